// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "trnsim/result.hpp"

namespace trnsim {

std::string layers_csv(const Result& result) {
  std::string text = "layer,m,n,k,batch,groups,repeats," + csv_header() + '\n';
  for (const LayerResult& l : result.layers) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(l.layer.name), l.layer.m, l.layer.n, l.layer.k, l.layer.batch,
                        l.layer.groups, l.repeats, csv_row(*l.result));
  }
  return text;
}

}  // namespace trnsim
