// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "app/uncertainty/study.hpp"

namespace trnsim::app {

void add_study_options(Options& options);  ///< --uncertainty --seed --sample-timeout --sample-memory

/// UsageError when options do not go together or are out of range.
StudyRequest study_request(const ParsedOptions& options, const RunRequest& request);

}  // namespace trnsim::app
