// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>

namespace trnsim::app {

/// Text of an XML 1.0 attribute or element. Line ends and tabs become references, what XML cannot hold (other control characters,
/// U+FFFE, U+FFFF, bytes that are not UTF-8) becomes U+FFFD.
std::string xml_escape(std::string_view text);

/// The message of a GitHub workflow command, and a property of one such as the file's name.
std::string github_message(std::string_view text);
std::string github_property(std::string_view text);

/// A cell of a Markdown table: one line, no markup.
std::string markdown_cell(std::string_view text);

}  // namespace trnsim::app
