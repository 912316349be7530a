// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string_view>

namespace trnsim {

/// The report page without data: a whole HTML file in which `kPageDataPlace` stands once. Empty if the
/// build has no page (TRNSIM_PAGE is off).
std::string_view page_template();

/// Where `<script type="application/json" id="trnsim-data">…</script>` belongs in the template.
inline constexpr std::string_view kPageDataPlace = "<!--trnsim-data-->";

}  // namespace trnsim
