// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "trnsim/version.hpp"

namespace trnsim::app {

/// Keeps the order of keys, so that what is written is stable. For sources only: slow to compile.
using Json = nlohmann::ordered_json;

/// Parses a whole file. InputError names file and place, also for an empty one and for doubled keys.
Json parse_json(std::string_view text, const std::string& file);

/// The same with a check of the format's version key, e.g. "trnsim_result": "1.0".
Json parse_json(std::string_view text, const std::string& file, const FileFormat& format);

/// The text at a JSON pointer such as "/chip/name"; InputError if there is none.
std::string text_at(const Json& json, const char* pointer, const std::string& file);

}  // namespace trnsim::app
