// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "analysis/columns.hpp"
#include "analysis/fields.hpp"
#include "trnsim/result.hpp"

namespace trnsim {
namespace {

constexpr std::string_view kIntroduction = R"(# Results

What `trnsim run --json` and `--csv` write. This page is generated from the tables that the writers use.

- A count above 2^53 is a string in JSON, so that readers that hold numbers as doubles lose nothing; below it is a number.
- A ratio without a denominator is `null` in JSON and empty in CSV. There is no NaN and no infinity.
- A utilisation outside [0, 1] or an account that does not add up is an error of the simulator, never a result.
- GB is 10^9 bytes, GiB is 2^30 bytes. Energies cover the whole chip, idle cores included, unless the name says otherwise.
- `run_info` is the only group that differs between two runs of the same input.
- Later versions may add fields. A field keeps its meaning as long as `trnsim_result` stays the same.

)";

std::string_view type_name(FieldType type) {
  switch (type) {
    case FieldType::Text: return "text";
    case FieldType::TextOrNull: return "text or null";
    case FieldType::Number: return "number";
    case FieldType::NumberOrNull: return "number or null";
    case FieldType::Count: return "count";
    case FieldType::CountOrNull: return "count or null";
    case FieldType::Flag: return "true or false";
    case FieldType::Texts: return "list of texts";
    case FieldType::Numbers: return "list of numbers";
    case FieldType::Map: return "name to text";
    case FieldType::Any: return "object";
  }
  return "";
}

std::string joined(std::string_view placeholder) {
  std::string text;
  for (const std::string& name : placeholder_names(placeholder)) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

}  // namespace

std::string results_reference() {
  std::string page(kIntroduction);
  page += "## Fields of the JSON file\n\n| Path | Type | Unit | Meaning |\n|---|---|---|---|\n";
  for (const ResultField& f : result_fields()) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", f.path, type_name(f.type), f.unit, f.meaning);
  }
  page += "\nIn these paths\n\n";
  for (const std::string_view placeholder : {"{engine}", "{cause}", "{component}", "{resource}"}) {
    page += fmt::format("- `{}` is one of {};\n", placeholder, joined(placeholder));
  }
  page += "- `[]` stands for every entry of a list.\n";
  page += "\n## Columns of the CSV file\n\n| Column | Unit | Meaning |\n|---|---|---|\n";
  for (const Column& c : columns()) page += fmt::format("| `{}` | {} | {} |\n", c.name, c.unit, c.meaning);
  return page;
}

}  // namespace trnsim
