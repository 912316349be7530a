// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "workload/generator.hpp"
#include "workload/kernels/buffers.hpp"
#include "workload/kernels/emit.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint32_t kMaxPartitions = 128;
constexpr std::uint64_t kTiles = 16;  ///< Enough for the copies that one ring has in flight.

struct CopyPlan {
  std::uint64_t bytes = 0;
  std::uint32_t partitions = kMaxPartitions;
  std::uint32_t bytes_per_partition = 0;
  bool from_hbm = true, to_hbm = false;
  unsigned queues = 1;
  DgeMode mode = DgeMode::Default;
  std::vector<std::uint64_t> slices;  ///< Bytes per core.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t chunk() const { return std::uint64_t{partitions} * bytes_per_partition; }
  /// Copies that move `total` bytes.
  [[nodiscard]] std::uint64_t copies(std::uint64_t total) const {
    const std::uint64_t rest = total % chunk();
    return total / chunk() + (rest >= partitions ? 1 : 0) + (rest % partitions > 0 ? 1 : 0);
  }
  /// The bytes that do not spread evenly over the partitions: one row if it fits a tile, else one byte each.
  [[nodiscard]] bool odd_bytes_in_one_row() const { return bytes_per_partition >= partitions; }
  /// Bytes per partition that a tile needs.
  [[nodiscard]] std::uint32_t width() const {
    if (bytes >= chunk()) return bytes_per_partition;
    return static_cast<std::uint32_t>(std::max(bytes / partitions, odd_bytes_in_one_row() ? bytes % partitions : 1));
  }
};

BufferSpec tiles(const std::string& name, const CopyPlan& plan, std::uint64_t count) {
  return {
      name, Buffer::Sbuf, DType::Uint8, fmt::format("[{}, {}]", plan.partitions, plan.width()), plan.partitions, tile_bytes(plan.width()),
      count};
}

/// How descriptors are made: the chip's own way unless the parameter says otherwise.
DgeMode descriptor_mode(ParamReader& params, const ChipConfig& chip) {
  const DmaConfig& dma = chip.dma;
  std::vector<std::string_view> allowed{name_of(DgeMode::Default)};
  if (dma.static_mode.available) allowed.push_back(name_of(DgeMode::Static));
  if (dma.software_mode.available) allowed.push_back(name_of(DgeMode::Software));
  if (dma.hardware_mode.available) allowed.push_back(name_of(DgeMode::Hardware));
  return dge_mode_from(params.choice("dge", allowed)).value_or(DgeMode::Default);
}

CopyPlan plan_copy(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  CopyPlan plan;
  plan.partitions = std::min(kMaxPartitions, chip.sbuf.partitions);
  plan.bytes = params.integer("bytes", 1, std::uint64_t{1} << 50);
  plan.bytes_per_partition = static_cast<std::uint32_t>(params.integer("bytes_per_partition", 1, std::uint64_t{1} << 26));
  plan.from_hbm = params.choice("from", {"hbm", "sbuf"}) == "hbm";
  plan.to_hbm = params.choice("to", {"hbm", "sbuf"}) == "hbm";
  plan.queues = dma_queues(params, chip);
  plan.mode = descriptor_mode(params, chip);
  plan.slices = split(params, plan.bytes, plan.chunk(), cores, "bytes");
  params.check();
  const int rings = int{!plan.from_hbm} + int{!plan.to_hbm};
  if (rings == 0) return plan;
  const std::uint64_t one = tiles("", plan, 1).bytes_per_partition;
  const std::uint64_t taken = plan.mode == DgeMode::Software ? chip.sbuf.swdge_reserve_bytes : 0;
  const std::uint64_t space = chip.sbuf_bytes_per_partition() - std::min(taken, chip.sbuf_bytes_per_partition());
  const std::uint64_t fit = std::max<std::uint64_t>(1, space / (one * rings));
  const std::uint64_t count = std::min({kTiles, fit, ceil_div(plan.slices.front(), plan.chunk()) + 1});
  if (!plan.from_hbm) plan.buffers.push_back(tiles("src", plan, count));
  if (!plan.to_hbm) plan.buffers.push_back(tiles("dst", plan, count));
  check_capacity("copy", plan.buffers, chip);
  return plan;
}

/// Chunks of [partitions, bytes_per_partition] in address order; the last one at its true size.
class CopySource final : public RecordSource {
 public:
  CopySource(const CopyPlan& plan, std::uint64_t bytes) : plan_(plan), bytes_(bytes), copies_(plan.queues) {
    copies_.set_mode(plan.mode);
    TensorId next = static_cast<TensorId>(int{plan.from_hbm} + int{plan.to_hbm});
    const std::uint64_t uses = plan.copies(bytes);
    for (const BufferSpec& b : plan.buffers) {
      (b.name == "src" ? src_ : dst_) = TileRing(b, next, uses);
      next += static_cast<TensorId>(b.count);
    }
  }

  RecordStream records() override {
    for (std::uint64_t use = 0; use < full_chunks(); ++use) {
      co_yield move(use, use * plan_.chunk(), plan_.partitions, plan_.bytes_per_partition);
    }
    co_yield move_rest(full_chunks());
  }

  RecordStream summary() override {
    weight_ = full_chunks();
    if (weight_ > 0) co_yield move(0, 0, plan_.partitions, plan_.bytes_per_partition);
    weight_ = 1;
    co_yield move_rest(full_chunks());
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  [[nodiscard]] std::uint64_t full_chunks() const { return bytes_ / plan_.chunk(); }
  [[nodiscard]] std::uint64_t rest() const { return bytes_ % plan_.chunk(); }

  RecordStream move_rest(std::uint64_t use) {
    std::uint64_t offset = use * plan_.chunk();
    if (const auto columns = static_cast<std::uint32_t>(rest() / plan_.partitions); columns > 0) {
      co_yield move(use++, offset, plan_.partitions, columns);
      offset += std::uint64_t{plan_.partitions} * columns;
    }
    if (const auto odd = static_cast<std::uint32_t>(rest() % plan_.partitions); odd > 0) {
      const bool one_row = plan_.odd_bytes_in_one_row();
      co_yield move(use, offset, one_row ? 1 : odd, one_row ? odd : 1);
    }
  }

  RecordStream move(std::uint64_t use, std::uint64_t offset, std::uint32_t rows, std::uint32_t columns) {
    if (!plan_.from_hbm && src_.first_use(use)) co_yield src_.declare(use);  // its content does not matter
    if (!plan_.to_hbm && dst_.first_use(use)) co_yield dst_.declare(use);
    const Operand src = plan_.from_hbm ? hbm_operand(0, DType::Uint8, rows, offset, columns, columns) : src_.operand(use, rows, 0, columns);
    const Operand dst = plan_.to_hbm ? hbm_operand(plan_.from_hbm ? 1 : 0, DType::Uint8, rows, offset, columns, columns)
                                     : dst_.operand(use, rows, 0, columns);
    co_yield copies_.copy(dst, src);
    if (!plan_.to_hbm && dst_.last_use(use)) co_yield dst_.release(use);
    if (!plan_.from_hbm && src_.last_use(use)) co_yield src_.release(use);
  }

  CopyPlan plan_;
  std::uint64_t bytes_;
  CopyEmitter copies_;
  TileRing src_, dst_;
};

TensorInfo hbm_bytes_tensor(const std::string& name, TensorUse use, std::uint64_t bytes) {
  TensorInfo t;
  t.name = name;
  t.dtype = DType::Uint8;
  t.use = use;
  t.shape = {bytes};
  return t;
}

Workload make_copy(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  const CopyPlan plan = plan_copy(params, chip, cores);
  Workload workload;
  std::vector<TensorInfo> all;
  for (const std::uint64_t bytes : plan.slices) {
    ProgramInfo info;
    info.name = "copy";
    info.params = params.resolved();
    if (plan.from_hbm) info.tensors.push_back(hbm_bytes_tensor("src", TensorUse::Input, bytes));
    if (plan.to_hbm) info.tensors.push_back(hbm_bytes_tensor("dst", TensorUse::Output, bytes));
    info.instructions = plan.copies(bytes);
    all.insert(all.end(), info.tensors.begin(), info.tensors.end());
    workload.programs.push_back(std::make_unique<GeneratedProgram>(std::move(info), std::make_unique<CopySource>(plan, bytes)));
  }
  check_hbm("copy", all, chip);
  return workload;
}

std::string describe_copy(ParamReader& params, const ChipConfig& chip) {
  const CopyPlan plan = plan_copy(params, chip, 1);
  std::string text = fmt::format("copy of {} bytes in chunks of [{}, {}], {} of them\n", plan.bytes, plan.partitions,
                                 plan.bytes_per_partition, ceil_div(plan.bytes, plan.chunk()));
  text += "loop:    chunks in address order, the last one at its true size\n";
  text += fmt::format("step:    sync: dma_copy {} -> {}, {} ring{}\n", plan.from_hbm ? "hbm" : "sbuf", plan.to_hbm ? "hbm" : "sbuf",
                      plan.queues, plan.queues > 1 ? "s in turn" : "");
  return text + describe_buffers(plan.buffers, chip);
}

}  // namespace

KernelDefinition copy_definition() {
  return {{"copy",
           "Moves bytes between HBM and SBUF in chunks over all partitions",
           {{"bytes", "", "total, at least 1"},
            {"bytes_per_partition", "16384", "of one chunk"},
            {"from", "hbm", "hbm sbuf"},
            {"to", "sbuf", "hbm sbuf"},
            dma_queues_param("auto"),
            {"dge", "default", "descriptors: default static software hardware, where the chip has them"}}},
          make_copy,
          describe_copy};
}

}  // namespace trnsim::kernel
