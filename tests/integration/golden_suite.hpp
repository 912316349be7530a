// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "integration/cli.hpp"

namespace trnsim {

/// A scratch folder with golden files of one small kernel.
class GoldenCli : public Cli {
 protected:
  /// Arguments of a copy of so many bytes, as JSON.
  static std::string copy_args(int bytes = 65536) {
    return R"(["--chip","trn2","--kernel","copy","--param","bytes=)" + std::to_string(bytes) + "\"]";
  }

  /// One case; `more` is further members such as "cycles":5.
  static std::string golden_case(const std::string& name, const std::string& more = {}, int bytes = 65536) {
    return R"(  {"name":")" + name + R"(","args":)" + copy_args(bytes) + (more.empty() ? "" : "," + more) + "}";
  }

  static std::string cycles_are(std::uint64_t cycles) { return "\"cycles\":" + std::to_string(cycles); }

  void write_suite(const std::string& file, const std::vector<std::string>& cases) const {
    std::string text = "{\"trnsim_golden\": \"1.0\",\n \"cases\": [\n";
    for (std::size_t i = 0; i < cases.size(); ++i) text += cases[i] + (i + 1 < cases.size() ? ",\n" : "\n");
    write(file, text + "]}\n");
  }

  [[nodiscard]] nlohmann::ordered_json copy_result(int bytes = 65536) const {
    return result(trnsim({"run", "--chip", "trn2", "--kernel", "copy", "--param", "bytes=" + std::to_string(bytes), "--json", "-"}).out);
  }
  [[nodiscard]] std::uint64_t copy_cycles(int bytes = 65536) const { return copy_result(bytes)["cycles"].get<std::uint64_t>(); }
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace trnsim
