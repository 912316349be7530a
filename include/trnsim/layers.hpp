// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/workload.hpp"

namespace trnsim {

/// A convolution as a list names it.
struct Convolution {
  std::uint64_t height = 1, width = 1;  ///< Of the input feature map, without padding.
  std::uint64_t filter_height = 1, filter_width = 1;
  std::uint64_t channels = 1, filters = 1;  ///< Over all groups.
  std::uint64_t stride = 1, pad = 0, dilation = 1;
  [[nodiscard]] std::uint64_t out_height() const;  ///< Rounds down; 0 when the filter does not fit.
  [[nodiscard]] std::uint64_t out_width() const;
  auto operator<=>(const Convolution&) const = default;
};

/// One layer: `groups` independent products [m, k] × [k, n].
///
/// A convolution is lowered to products: m = batch × output pixels, k = filter × channels / groups,
/// n = filters / groups. Samples of a batch share the weights, so that batch multiplies m.
struct Layer {
  std::string name;
  std::uint64_t m = 1, n = 1, k = 1;
  std::uint64_t batch = 1, groups = 1;
  std::string dtype;     ///< Empty: as the parameters of the run say.
  std::string sparsity;  ///< "2:4", simulated as dense; empty: none.
  std::optional<Convolution> convolution;
  std::uint64_t line = 0;  ///< In the file.

  [[nodiscard]] std::uint64_t macs() const { return groups * m * n * k; }
  /// Elements of the input as the model before the lowering holds them: the feature map of a convolution.
  [[nodiscard]] std::uint64_t input_elements() const;
  /// Elements of the input as the products read them.
  [[nodiscard]] std::uint64_t lowered_elements() const { return groups * m * k; }
};

struct LayerList {
  std::vector<Layer> layers;
  std::vector<std::string> warnings;  ///< What was doubtful in the file, and what is not modelled.
};

/// Reads a list of layers: a SCALE-Sim topology, with rows of matmul sizes (Layer, M, N, K) or of
/// convolutions (IFMAP and filter sizes, channels, filters, strides), columns by name.
///
/// InputError with every problem: file, line, column and text. With `strict`, doubtful columns and cells
/// are problems too.
LayerList parse_layers(std::string_view text, const std::string& file, bool strict = false);

/// The list as this reader writes it; reading it gives the same layers.
std::string to_csv(const std::vector<Layer>& layers);

/// Parameters of the matmul kernel for a layer: its sizes over the common ones. InputError if the common
/// ones name sizes.
KernelParams layer_params(const Layer& layer, const KernelParams& common);

}  // namespace trnsim
