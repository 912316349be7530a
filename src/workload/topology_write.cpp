// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "trnsim/layers.hpp"

namespace trnsim {
namespace {

std::string quoted(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

std::string sizes(const Layer& layer) {
  if (!layer.convolution) return fmt::format("{},{},{},,,,,,,,,", layer.m / layer.batch, layer.n, layer.k);
  const Convolution& c = *layer.convolution;
  return fmt::format(",,,{},{},{},{},{},{},{},{},{}", c.height, c.width, c.filter_height, c.filter_width, c.channels, c.filters, c.stride,
                     c.pad, c.dilation);
}

}  // namespace

std::string to_csv(const std::vector<Layer>& layers) {
  std::string text =
      "Layer name,M,N,K,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,Pad,Dilation,Batch,Groups,Dtype,"
      "Sparsity\n";
  for (const Layer& layer : layers) {
    text += fmt::format("{},{},{},{},{},{}\n", quoted(layer.name), sizes(layer), layer.batch, layer.groups, layer.dtype, layer.sparsity);
  }
  return text;
}

}  // namespace trnsim
