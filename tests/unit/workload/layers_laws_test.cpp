// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "trnsim/layers.hpp"

namespace trnsim {
namespace {

std::uint64_t any(std::uint64_t least, std::uint64_t most) { return *rc::gen::resize(100, rc::gen::inRange(least, most + 1)); }

Layer any_layer() {
  Layer layer;
  const auto characters = rc::gen::container<std::string>(rc::gen::elementOf(std::string("aZ09 ,\"'\t#;|-_")));
  layer.name = "n" + *characters + "n";  // blanks around a name do not count
  layer.batch = any(1, 4);
  layer.dtype = *rc::gen::element<std::string>("", "bf16", "fp8_e4m3");
  layer.sparsity = *rc::gen::element<std::string>("", "2:4");
  if (*rc::gen::arbitrary<bool>()) {
    layer.groups = any(1, 3);
    Convolution c{any(1, 40), any(1, 40), any(1, 3), any(1, 3), layer.groups * any(1, 5), layer.groups * any(1, 5),
                  any(1, 3),  any(1, 2),  any(1, 2)};
    c.height += c.dilation * 3;
    c.width += c.dilation * 3;
    layer.convolution = c;
    layer.m = layer.batch * c.out_height() * c.out_width();
    layer.n = c.filters / layer.groups;
    layer.k = c.filter_height * c.filter_width * c.channels / layer.groups;
  } else {
    layer.groups = any(1, 9);
    layer.m = layer.batch * any(1, 5000);
    layer.n = any(1, 5000);
    layer.k = any(1, 5000);
  }
  return layer;
}

std::vector<Layer> any_layers() {
  std::vector<Layer> layers;
  for (std::uint64_t i = any(1, 5); i > 0; --i) layers.push_back(any_layer());
  return layers;
}

void expect_same(const std::vector<Layer>& a, const std::vector<Layer>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(a[i].name == b[i].name);
    RC_ASSERT(a[i].m == b[i].m && a[i].n == b[i].n && a[i].k == b[i].k);
    RC_ASSERT(a[i].batch == b[i].batch && a[i].groups == b[i].groups);
    RC_ASSERT(a[i].dtype == b[i].dtype && a[i].sparsity == b[i].sparsity);
    RC_ASSERT(a[i].convolution == b[i].convolution);
  }
}

RC_GTEST_PROP(LayerLaws, WhatIsWrittenIsReadAgain, ()) {
  const std::vector<Layer> layers = any_layers();
  const LayerList again = parse_layers(to_csv(layers), "again.csv");
  expect_same(layers, again.layers);
}

RC_GTEST_PROP(LayerLaws, LineEndsDoNotCount, ()) {
  const std::vector<Layer> layers = any_layers();
  std::string windows;
  for (const char c : to_csv(layers)) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  if (*rc::gen::arbitrary<bool>()) windows.resize(windows.size() - 2);
  expect_same(layers, parse_layers(windows, "again.csv").layers);
}

RC_GTEST_PROP(LayerLaws, OrderOfColumnsDoesNotCount, ()) {
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[any(0, i)]);
  const std::vector<std::string> titles{"Layer", "M", "N", "K", "Batch", "Groups"};
  std::vector<Layer> layers;
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& cells) {
    for (const std::size_t at : order) text += cells[at] + ",";
    text += "\n";
  };
  add_row(titles);
  for (std::uint64_t i = any(1, 4); i > 0; --i) {
    Layer layer;
    layer.name = "x" + std::to_string(i);
    layer.batch = any(1, 9);
    layer.groups = any(1, 9);
    layer.m = layer.batch * any(1, 999);
    layer.n = any(1, 999);
    layer.k = any(1, 999);
    layers.push_back(layer);
    add_row({layer.name, std::to_string(layer.m / layer.batch), std::to_string(layer.n), std::to_string(layer.k),
             std::to_string(layer.batch), std::to_string(layer.groups)});
  }
  expect_same(layers, parse_layers(text, "again.csv").layers);
}

}  // namespace
}  // namespace trnsim
