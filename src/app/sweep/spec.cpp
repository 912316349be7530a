// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/spec.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/fnv.hpp"
#include "app/read_file.hpp"
#include "app/sweep/check_values.hpp"
#include "app/sweep/combination.hpp"
#include "app/sweep/description.hpp"
#include "app/sweep/filter_points.hpp"
#include "app/sweep/resolve.hpp"
#include "trnsim/error.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

/// Everything that decides results, one item a line. A JSON text stands for each string, so that two
/// descriptions cannot read alike.
std::string canonical(const SweepDescription& sweep, const NamedContent& content) {
  std::string text = fmt::format("trnsim {} {}\n", tool_version(), tool_commit());
  const auto item = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("{} {}:{}\n", name, value.size(), value);
  };
  for (const auto& [path, value] : sweep.base) {
    item("base", path);
    item("value", value);
  }
  for (const Axis& axis : sweep.axes) {
    item("axis", axis.path);
    for (const std::string& value : axis.values) item("value", value);
    if (axis.values.empty()) item("range", fmt::format("{} {} {}", axis.range->from, axis.range->to, axis.range->log));
  }
  item("combine", fmt::format("{} {} {}", static_cast<int>(sweep.combine), sweep.samples, sweep.samples > 0 ? sweep.seed : 0));
  for (const std::string& filter : sweep.filters) item("filter", filter);
  for (const std::string& part : content) item("content", part);
  return text;
}

}  // namespace

struct SweepSpec::Impl {
  std::string text;
  std::string hash;
  SweepDescription sweep;
  Resolver resolver;
  std::vector<std::string> axes;
  std::unique_ptr<Combination> combination;
  std::optional<std::vector<std::uint32_t>> passing;  ///< Points that pass the filters, if there are any.
};

SweepSpec SweepSpec::parse(std::string_view text, const std::string& file) {
  Problems problems(file);
  auto impl =
      std::make_unique<Impl>(Impl{std::string(text), {}, read_description(text, file, problems), Resolver(folder_of(file)), {}, {}, {}});
  const SweepDescription& sweep = impl->sweep;
  const NamedContent content = check_values(sweep, impl->resolver, problems);
  FilterSet filters(sweep, problems);
  if (!problems.empty()) throw InputError(problems.list());
  impl->combination = std::make_unique<Combination>(sweep);
  if (!sweep.filters.empty()) impl->passing = filters.passing(*impl->combination, problems);
  if (!problems.empty()) throw InputError(problems.list());
  for (const Axis& axis : sweep.axes) impl->axes.push_back(axis.path);
  impl->hash = fmt::format("{:016x}", fnv1a(canonical(sweep, content)));
  return SweepSpec(std::move(impl));
}

SweepSpec SweepSpec::load(const std::string& path) { return parse(read_file(path), path == "-" ? "stdin" : path); }

SweepSpec::SweepSpec(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
SweepSpec::SweepSpec(SweepSpec&&) noexcept = default;
SweepSpec& SweepSpec::operator=(SweepSpec&&) noexcept = default;
SweepSpec::~SweepSpec() = default;

const std::vector<std::string>& SweepSpec::axes() const { return impl_->axes; }
std::size_t SweepSpec::size() const { return impl_->passing ? impl_->passing->size() : impl_->combination->size(); }
const JobLimits& SweepSpec::limits() const { return impl_->sweep.limits; }
const std::string& SweepSpec::text() const { return impl_->text; }
const std::string& SweepSpec::hash() const { return impl_->hash; }

std::vector<std::string> SweepSpec::chips() const {
  const std::string path = "chip";
  for (const Axis& axis : impl_->sweep.axes) {
    if (axis.path != path) continue;
    std::vector<std::string> chips;
    for (const std::string& value : axis.values) chips.push_back(impl_->resolver.chip(value));
    return chips;
  }
  return {impl_->resolver.chip(impl_->sweep.base.at(path))};
}

SweepPoint SweepSpec::point(std::size_t index) const {
  if (index >= size()) throw InternalError(fmt::format("sweep point {} of {}", index, size()));
  const std::size_t place = impl_->passing ? (*impl_->passing)[index] : index;
  SweepPoint point;
  point.index = index;
  std::map<std::string, std::string> values = impl_->sweep.base;
  for (std::size_t i = 0; i < impl_->axes.size(); ++i) {
    point.values.push_back(impl_->combination->value(place, i));
    values[impl_->axes[i]] = point.values.back();
  }
  point.request = impl_->resolver.request(values);
  return point;
}

}  // namespace trnsim::app
