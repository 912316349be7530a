// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "workload/trace_json.hpp"
#include "workload/trace_parse.hpp"

namespace trnsim {

/// Reads the first line of a trace. A version this reader does not know is the only problem reported.
void read_header(LineReader& reader, const simdjson::dom::object& object, TraceHeader& header);

}  // namespace trnsim
