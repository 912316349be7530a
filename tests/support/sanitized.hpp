// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRNSIM_SANITIZED true
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TRNSIM_SANITIZED true
#endif
#if !defined(TRNSIM_SANITIZED)
#define TRNSIM_SANITIZED false
#endif

namespace trnsim::test {

/// Built with the address sanitizer: memory and time say nothing.
inline constexpr bool kSanitized = TRNSIM_SANITIZED;

}  // namespace trnsim::test
