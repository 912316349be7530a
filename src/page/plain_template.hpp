// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string_view>

namespace trnsim {

/// What stands in a page where its data belong.
inline constexpr std::string_view kPagePlaceholder = "<!--trnsim-data-->";

/// A page without its own front-end: shows the numbers of each result as text.
inline constexpr std::string_view kPlainTemplate = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>trnsim</title>
</head>
<body>
<h1 id="title"></h1>
<p>This build of trnsim has no charts (TRNSIM_PAGE is off): the results as text.</p>
<div id="runs"></div>
<!--trnsim-data-->
<script>
const page = JSON.parse(document.getElementById("trnsim-data").textContent);
document.getElementById("title").textContent = document.title = page.title;
for (const run of page.runs) {
  const text = document.createElement("pre");
  text.textContent = run.name + "\n" + JSON.stringify(run.result, null, 2);
  document.getElementById("runs").append(text);
}
</script>
</body>
</html>
)";

}  // namespace trnsim
