// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "page/json_text.hpp"
#include "page/plain_template.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

/// Adds JSON so that no text in it can end the element it stands in.
void add_escaped(std::string& html, std::string_view json) {
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t next = std::min(json.find('<', at), json.size());
    html += json.substr(at, next - at);
    if (next < json.size()) html += "\\u003c";
    at = next + 1;
  }
}

std::string data_of(const Page& page) {
  std::string json = fmt::format("{{\"trnsim_page\":\"1.0\",\"title\":{},\"runs\":", json_string(page.title));
  add_list(json, page.runs, [](std::string& text, const PageRun& run) {
    text += fmt::format("{{\"name\":{},\"result\":", json_string(run.name));
    text += run.result;
    text += ",\"timeline\":";
    text += run.timeline.empty() ? "null" : run.timeline;
    if (!run.explanation.empty()) text += ",\"explanation\":" + run.explanation;
    text += '}';
  });
  json += ",\"sweep\":";
  json += page.sweep.empty() ? "null" : page.sweep;
  return json + "}";
}

}  // namespace

std::string page_html(const Page& page, std::string_view form) {
  if (form.empty()) form = kPlainTemplate;
  const std::size_t at = form.find(kPagePlaceholder);
  if (at == std::string_view::npos) throw InternalError("page: its template has no place for the data");
  std::string html(form.substr(0, at));
  html += "<script type=\"application/json\" id=\"trnsim-data\">";
  add_escaped(html, data_of(page));
  html += "</script>";
  html += form.substr(at + kPagePlaceholder.size());
  return html;
}

}  // namespace trnsim
