// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/fields.hpp"

#include "trnsim/snapshot.hpp"

namespace trnsim {
namespace {

using enum FieldType;

constexpr ResultField kFields[]{
    {"trnsim_result", Text, "", "Version of this format: 1.0"},
    {"tool.name", Text, "", "trnsim"},
    {"tool.version", Text, "", "Version of the simulator"},
    {"tool.commit", Text, "", "Revision of its sources"},
    {"model", Text, "", "What is simulated: `timing`, which means time, traffic and energy, never values"},
    {"model_fidelity", Map, "", "How each part is modelled: event driven, closed form or constant"},
    {"command", Text, "", "Command line that made the result"},
    {"warnings", Texts, "", "Remarks that a reader must know, e.g. power above the limit"},
    {"truncated", TextOrNull, "", "Why the run stopped early; null for a complete run"},
    {"run_info.host", Text, "", "Machine the simulation ran on"},
    {"run_info.date", Text, "", "When it ran, UTC"},
    {"run_info.seconds", Number, "s", "How long it took on that machine"},

    {"chip.name", Text, "", "Preset or name in the description"},
    {"chip.marketing_name", Text, "", "Name of the product"},
    {"chip.generation", Text, "", "NeuronCore generation: v2, v3 or v4"},
    {"chip.projected", Flag, "", "Numbers are projections of an announced chip"},
    {"chip.carried_over", Text, "", "Remark on numbers taken from an older chip"},
    {"chip.config", Any, "", "Resolved chip description, keys as in chip files"},
    {"chip.config_hash", Text, "", "Hash of chip.config: equal descriptions, equal hash"},
    {"chip.overrides", Map, "", "Overrides from the command line: key path to value"},
    {"chip.assumed", Texts, "", "Key paths of numbers without a source that this result rests on"},

    {"workload.name", Text, "", "Kernel, or name in the trace header"},
    {"workload.source", Text, "", "`kernel`, or the trace file"},
    {"workload.order", Text, "", "`written`: the instructions of an engine ran as they stand; `list`: a list scheduler ordered them first"},
    {"workload.params", Map, "", "Resolved parameters"},
    {"workload.dtype", TextOrNull, "", "Operand type whose peak MFU refers to; null when the layers of a list differ"},
    {"workload.instructions", Count, "", "Trace records executed, all cores"},
    {"workload.macs", Count, "MAC", "Useful multiply-accumulates of the whole workload; padding and masked pairs not counted"},
    {"workload.flops", Count, "FLOP", "Useful floating-point operations, two per MAC included"},
    {"workload.hash", TextOrNull, "",
     "Hash of the program: equal programs, equal hash; null for a stopped run, which has not read all of it"},

    {"time_ns", Number, "ns", "Device time, to 1 ps"},
    {"launch_ns", Number, "ns", "Launch overhead of the host, not part of time_ns"},
    {"kernels", Count, "", "Kernels one after another: layers of a list, else 1"},
    {"host_gap_ns", Number, "ns", "Gaps of the host between kernels, together: (kernels − 1) × chip.launch_gap_ns; not part of time_ns"},
    {"total_ns", Number, "ns", "launch_ns + time_ns + host_gap_ns: a warm run as the host sees it"},
    {"iterations.count", Count, "", "Runs of the work one after another (`run --iterations`), each with its own launch"},
    {"iterations.first_run_ns", Number, "ns", "What the first of them takes more, chip.first_run_ns; in no other time of the result"},
    {"iterations.first_ns", Number, "ns", "The first, cold run: first_run_ns + total_ns"},
    {"iterations.warm_ns", Number, "ns", "Each later, warm run: total_ns"},
    {"iterations.all_ns", Number, "ns", "All of them: first_ns + (count − 1) × warm_ns"},
    {"cycles", Count, "cycles", "Device time in Tensor-engine cycles, rounded up"},
    {"tflops", NumberOrNull, "TFLOP/s", "workload.flops / time; null without useful FLOPs or for a truncated run"},
    {"mfu", NumberOrNull, "",
     "2 × workload.macs / time over the peak of workload.dtype and the cores used; null without MACs or for a truncated run"},
    {"array_utilization", NumberOrNull, "",
     "Spatial and temporal: executed MACs without transposes / (rows × columns × rate multiplier of their type × cycles × cores); null "
     "when the array has no work"},
    {"array_busy", NumberOrNull, "", "Temporal: cycles with moving data in the array / (cycles × cores); at least array_utilization"},

    {"cores[].core", Count, "", "Number of the physical core"},
    {"cores[].end_ns", Number, "ns", "Last completion on this core"},
    {"cores[].window_limited", Count, "", "Times an engine waited because the planning window was full"},
    {"cores[].engines.{engine}.clock_ghz", Number, "GHz", "Clock the cycles of this engine are counted in"},
    {"cores[].engines.{engine}.elapsed_cycles", Count, "cycles", "busy + stalls + idle, exactly"},
    {"cores[].engines.{engine}.busy_cycles", Count, "cycles", "Executing"},
    {"cores[].engines.{engine}.idle_cycles", Count, "cycles", "No instruction left"},
    {"cores[].engines.{engine}.stall_cycles.{cause}", Count, "cycles", "Has an instruction and waits, by cause"},
    {"cores[].engines.{engine}.utilization", NumberOrNull, "", "busy / elapsed"},
    {"cores[].engines.{engine}.instructions", Count, "", "Instructions executed"},
    {"cores[].engines.{engine}.elements", Count, "elements", "Elements processed"},
    {"cores[].tensor.executed_macs", Count, "MAC", "Executed multiply-accumulates, transposes included"},
    {"cores[].tensor.transpose_macs", Count, "MAC", "Part of executed_macs: transposes"},
    {"cores[].tensor.idle_slot_macs", Count, "MAC", "Slots of the busy array left empty by small tiles"},
    {"cores[].tensor.array_cycles", Count, "cycles", "Cycles with moving data in the array"},
    {"cores[].tensor.matmuls", Count, "", "MultiplyMoving instructions"},
    {"cores[].tensor.loads", Count, "", "LoadStationary instructions executed"},
    {"cores[].tensor.loads_skipped", Count, "", "LoadStationary not needed: the stationary tile was there"},
    {"cores[].dma.bytes", Count, "B", "Bytes moved by the DMA engines of the core"},
    {"cores[].dma.descriptors", Count, "", "Descriptors of its copies"},
    {"cores[].dma.transfers", Count, "", "Copies"},
    {"cores[].dma.gb_per_s", NumberOrNull, "GB/s", "bytes / device time"},
    {"cores[].dma.utilization", NumberOrNull, "", "gb_per_s over the sustained rate of the core's DMA engines"},
    {"cores[].dma.engines_used", Count, "", "DMA engines of the rings in use"},
    {"cores[].dma.hbm_read_bytes", Count, "B", "Payload read from HBM"},
    {"cores[].dma.hbm_write_bytes", Count, "B", "Payload written to HBM"},
    {"cores[].sbuf.peak_bytes", Count, "B", "Largest sum of tiles alive in the SBUF of the core"},
    {"cores[].sbuf.peak_bytes_per_partition", Count, "B", "The same in its fullest partition"},
    {"cores[].sbuf.capacity_bytes", Count, "B", "Size of the SBUF of the core"},
    {"cores[].sbuf.partitions[].first", Count, "",
     "First of neighbouring partitions with the same peak. `partitions` covers all of them, in their order"},
    {"cores[].sbuf.partitions[].last", Count, "", "Last of them"},
    {"cores[].sbuf.partitions[].peak_bytes", Count, "B", "Largest sum of tiles alive in each of them"},
    {"cores[].sbuf.read_bytes", Count, "B", "Bytes read at its ports"},
    {"cores[].sbuf.write_bytes", Count, "B", "Bytes written at its ports"},
    {"cores[].psum.peak_bytes", Count, "B", "Largest sum of tiles alive in the PSUM of the core"},
    {"cores[].psum.peak_bytes_per_partition", Count, "B", "The same in its fullest partition"},
    {"cores[].psum.capacity_bytes", Count, "B", "Size of the PSUM of the core"},
    {"cores[].psum.partitions[].first", Count, "", "As those of sbuf"},
    {"cores[].psum.partitions[].last", Count, "", "Last of them"},
    {"cores[].psum.partitions[].peak_bytes", Count, "B", "Largest sum of tiles alive in each of them"},
    {"cores[].psum.read_bytes", Count, "B", "Bytes read at its ports"},
    {"cores[].psum.write_bytes", Count, "B", "Bytes written at its ports"},

    {"engines.{engine}.clock_ghz", Number, "GHz", "Clock the cycles of this engine are counted in"},
    {"engines.{engine}.elapsed_cycles", Count, "cycles", "Sum over the cores used"},
    {"engines.{engine}.busy_cycles", Count, "cycles", "Sum over the cores used"},
    {"engines.{engine}.idle_cycles", Count, "cycles", "Sum over the cores used"},
    {"engines.{engine}.stall_cycles.{cause}", Count, "cycles", "Sum over the cores used"},
    {"engines.{engine}.utilization", NumberOrNull, "", "busy / elapsed of the sums"},
    {"engines.{engine}.instructions", Count, "", "Sum over the cores used"},
    {"engines.{engine}.elements", Count, "elements", "Sum over the cores used"},
    {"tensor.scope", Text, "", "What the values of this group cover: the cores used, summed"},
    {"tensor.executed_macs", Count, "MAC", "Sum over the cores used"},
    {"tensor.transpose_macs", Count, "MAC", "Sum over the cores used"},
    {"tensor.idle_slot_macs", Count, "MAC", "Sum over the cores used"},
    {"tensor.array_cycles", Count, "cycles", "Sum over the cores used"},
    {"tensor.matmuls", Count, "", "Sum over the cores used"},
    {"tensor.loads", Count, "", "Sum over the cores used"},
    {"tensor.loads_skipped", Count, "", "Sum over the cores used"},

    {"dma.scope", Text, "", "What the values of this group cover: the cores used, summed"},
    {"dma.bytes", Count, "B", "Bytes moved by the DMA engines of the cores used"},
    {"dma.descriptors", Count, "", "Descriptors"},
    {"dma.transfers", Count, "", "Copies"},
    {"dma.gb_per_s", NumberOrNull, "GB/s", "dma.bytes / device time"},
    {"dma.utilization", NumberOrNull, "", "dma.gb_per_s over the sustained rate of the DMA engines of the cores used"},
    {"dma.hbm_read_bytes", Count, "B", "Payload read from HBM"},
    {"dma.hbm_write_bytes", Count, "B", "Payload written to HBM"},
    {"hbm.scope", Text, "", "What the values of this group cover: the stacks in use"},
    {"hbm.stacks_in_use", Count, "", "Stacks with any traffic"},
    {"hbm.read_bytes", Count, "B", "Bytes read, all stacks"},
    {"hbm.write_bytes", Count, "B", "Bytes written, all stacks"},
    {"hbm.gb_per_s", NumberOrNull, "GB/s", "(read_bytes + write_bytes) / device time"},
    {"hbm.utilization", NumberOrNull, "", "hbm.gb_per_s over the peak of the stacks in use"},
    {"hbm.row_hit_rate", NumberOrNull, "", "Bursts to an open row / all bursts"},
    {"hbm.row_hits", Count, "", "Bursts to an open row"},
    {"hbm.row_misses", Count, "", "Bursts that opened a row"},
    {"hbm.refreshes", Count, "", "Refreshes that the accesses met"},
    {"hbm.back_pressure", Count, "", "Requests that found a full queue"},
    {"border.input_bytes", Count, "B", "Size of the inputs in HBM; a tensor that cores share counts once, one of several layers in each"},
    {"border.output_bytes", Count, "B", "Size of the outputs in HBM"},
    {"border.read_bytes", Count, "B", "Bytes read from inputs by all cores"},
    {"border.write_bytes", Count, "B", "Bytes written to outputs"},
    {"border.reread_bytes", Count, "B", "Part of border.read_bytes beyond border.input_bytes: read again"},
    {"border.inner_bytes", Count, "B",
     "Bytes from and to HBM tensors that are neither: spilled tiles, intermediate results; with border.read_bytes and border.write_bytes "
     "the bytes of hbm"},
    {"sbuf.scope", Text, "", "What the values of this group cover: the cores used, summed"},
    {"sbuf.peak_bytes", Count, "B", "Sum over the cores used of the largest sum of tiles alive"},
    {"sbuf.peak_bytes_per_partition", Count, "B", "Fullest partition of the fullest core"},
    {"sbuf.capacity_bytes", Count, "B", "SBUF of the cores used"},
    {"sbuf.partition_skew", NumberOrNull, "",
     "1 − mean over the partitions of their peak / largest peak, of the core where that is largest: 0 when all are used alike, null when "
     "nothing is"},
    {"sbuf.skewed", Flag, "", "partition_skew is above 0.5: the fullest partition holds more than twice the mean; the report says so"},
    {"sbuf.read_bytes", Count, "B", "Bytes read at the ports"},
    {"sbuf.write_bytes", Count, "B", "Bytes written at the ports"},
    {"psum.scope", Text, "", "What the values of this group cover: the cores used, summed"},
    {"psum.peak_bytes", Count, "B", "Sum over the cores used of the largest sum of tiles alive"},
    {"psum.peak_bytes_per_partition", Count, "B", "Fullest partition of the fullest core"},
    {"psum.capacity_bytes", Count, "B", "PSUM of the cores used"},
    {"psum.partition_skew", NumberOrNull, "", "As that of sbuf"},
    {"psum.skewed", Flag, "", "partition_skew is above 0.5"},
    {"psum.read_bytes", Count, "B", "Bytes read at the ports"},
    {"psum.write_bytes", Count, "B", "Bytes written at the ports"},

    {"energy.scope", Text, "", "What total_pj covers: the whole chip, idle cores included"},
    {"energy.total_pj", Number, "pJ", "Sum of the components"},
    {"energy.components.{component}", Number, "pJ", "Energy of one component; instruction issue counts with the engine that executes"},
    {"energy.cores_used_pj", Number, "pJ", "Dynamic energy plus the share of the static one of the cores used"},
    {"energy.source", Text, "", "Where the coefficients come from"},
    {"power.average_w", NumberOrNull, "W", "energy.total_pj / device time"},
    {"power.limit_w", Number, "W", "Default power of the chip; exceeding it is a warning"},
    {"bottleneck.resource", Text, "", "Resource with the largest lower bound; `latency` when none explains 60 % of the time"},
    {"bottleneck.sentence", Text, "", "The verdict for a person"},
    {"bottleneck.shares.{resource}", Number, "", "Share of device time the resource was in use (its busiest core or stack)"},
    {"bottleneck.shares.latency", Number, "", "Share of device time beyond the resource most in use"},
    {"bottleneck.bounds_ns.{resource}", Number, "ns", "Least time this resource alone would need for the work"},

    {"influences[].path", Text, "",
     "Key path of an assumed number. `influences` is what the range of the number would do to the time, the strongest first: estimated "
     "from "
     "the counters of the run; `run` simulates both ends of the first three of more than 5 %, if the work is short. Less than 0.01 % is "
     "left out"},
    {"influences[].value", Number, "", "Its value in the run, in the unit of the key"},
    {"influences[].range", Numbers, "", "Lowest and highest value, from the chip description"},
    {"influences[].lo_ns", Number, "ns", "Device time at the lowest value"},
    {"influences[].hi_ns", Number, "ns", "Device time at the highest value"},
    {"influences[].share", Number, "", "Largest less smallest of these and the time of the run, over the time of the run"},
    {"influences[].simulated", Flag, "", "The two times are of runs at both ends, not estimated"},
    {"uncertainty.samples", Count, "", "Samples of `run --uncertainty`; 0 without it, and the other fields are then null or empty"},
    {"uncertainty.failed", Count, "", "Of these without a time; the percentiles leave them out"},
    {"uncertainty.seed", CountOrNull, "", "Of the drawings: the same seed, the same samples"},
    {"uncertainty.time_ns.p5", NumberOrNull, "ns", "Device time that 5 % of the samples stay below"},
    {"uncertainty.time_ns.p50", NumberOrNull, "ns", "Median device time of the samples"},
    {"uncertainty.time_ns.p95", NumberOrNull, "ns", "Device time that 95 % of the samples stay below"},
    {"uncertainty.parameters[].path", Text, "", "Key path of a number that was drawn, the largest share first"},
    {"uncertainty.parameters[].confidence", Text, "", "assumed or derived"},
    {"uncertainty.parameters[].value", Number, "", "Its value in the chip description, in the unit of the key"},
    {"uncertainty.parameters[].range", Numbers, "", "Lowest and highest value that was drawn"},
    {"uncertainty.parameters[].rank_correlation", Number, "", "Spearman's, with the device time over the samples"},
    {"uncertainty.parameters[].share", Number, "",
     "Its square: about the part of the spread of the ranks that goes with this number. By chance alone it is 1 / (samples - 1) on "
     "average"},
    {"uncertainty.parameters[].change_ns", Number, "ns",
     "Change of the device time from the lowest to the highest value, by the straight line through the samples"},
    {"uncertainty.failures", Texts, "", "Why a sample has no time, one line each"},
    {"uncertainty.held", Texts, "", "Key paths set by the user, which are not drawn"},

    {"source_lines[].file", TextOrNull, "",
     "Source file of the kernel, as the trace names it. `source_lines` is empty unless the trace has the places of its instructions; the "
     "line with the longest exposed time comes first. File and line are null in the last entry: instructions without a place, and the "
     "time after the last completion"},
    {"source_lines[].line", CountOrNull, "", "Line in it, from 1"},
    {"source_lines[].text", TextOrNull, "", "The line, if its file can be read"},
    {"source_lines[].instructions", Count, "", "Instructions of the line, cores summed; the entries add up to workload.instructions"},
    {"source_lines[].dma_bytes", Count, "B", "Bytes of the copies it triggers"},
    {"source_lines[].exposed_ns", Number, "ns",
     "Device time that ended with the line: all completions of instructions and copies in the order of time, each has the time since the "
     "one before it. A copy that others hide gets almost nothing, one that everybody waits for gets the wait. The entries add up to "
     "time_ns"},
    {"source_lines[].engine_ns", Number, "ns", "Sum of busy_ns"},
    {"source_lines[].busy_ns.{engine}", Number, "ns",
     "Time the engine executed instructions of the line, cores summed; the entries add up to busy_cycles of the engine"},
    {"source_lines[].stall_ns.{cause}", Number, "ns",
     "Time instructions of the line waited at the head of their engine, by cause; all engines, cores summed"},

    {"layers[].name", Text, "",
     "Name in the list. `layers` is empty unless the run had a list of layers; its times, bytes, work and energies add up to those of the "
     "whole"},
    {"layers[].m", Count, "", "Rows of each product: batch × output pixels of a convolution"},
    {"layers[].n", Count, "", "Columns of each product: filters / groups of a convolution"},
    {"layers[].k", Count, "", "Contraction: filter height × width × channels / groups of a convolution"},
    {"layers[].batch", Count, "", "Samples that share the weights, a factor of m"},
    {"layers[].groups", Count, "", "Independent products of these sizes"},
    {"layers[].dtype", Text, "", "Operand type"},
    {"layers[].repeats", Count, "", "Layers of the list with this very product, which is simulated once"},
    {"layers[].input_elements", Count, "elements", "Input before the lowering: the feature map of a convolution"},
    {"layers[].lowered_elements", Count, "elements", "Input as the products read it: groups × m × k"},
    {"layers[].time_ns", Number, "ns", "Device time of the layer, to 1 ps"},
    {"layers[].cycles", Count, "cycles", "The same in Tensor-engine cycles, rounded up"},
    {"layers[].instructions", Count, "", "Trace records executed, all cores"},
    {"layers[].macs", Count, "MAC", "Useful multiply-accumulates"},
    {"layers[].flops", Count, "FLOP", "Useful floating-point operations"},
    {"layers[].dma_bytes", Count, "B", "Bytes moved by the DMA engines of the cores used"},
    {"layers[].hbm_read_bytes", Count, "B", "Bytes read, all stacks"},
    {"layers[].hbm_write_bytes", Count, "B", "Bytes written, all stacks"},
    {"layers[].energy_pj", Number, "pJ", "Energy of the chip during the layer"},
    {"layers[].mfu", NumberOrNull, "", "Useful MACs against the peak of the layer's type and the cores it used"},
    {"layers[].array_utilization", NumberOrNull, "", "Executed MACs against the array of the cores it used"},
    {"layers[].bottleneck", Text, "", "Resource that limits the layer"},
    {"layers[].bound_ns", NumberOrNull, "ns", "Least time of the layer by arithmetic alone, as `run --bound` gives it"},
    {"layers[].bound_ratio", NumberOrNull, "", "time_ns over bound_ns, at least 1"},
};

constexpr std::string_view kComponents[]{"tensor_array", "vector", "scalar", "gpsimd", "sbuf", "psum", "dma", "hbm", "link", "static"};
constexpr std::string_view kResources[]{"tensor array", "tensor instructions", "vector",      "scalar",
                                        "gpsimd",       "DMA issue",           "DMA engines", "HBM bandwidth"};

}  // namespace

std::span<const ResultField> result_fields() { return kFields; }

std::vector<std::string> resource_names() { return {std::begin(kResources), std::end(kResources)}; }

std::vector<std::string> placeholder_names(std::string_view part) {
  std::vector<std::string> names;
  if (part == "{engine}") {
    for (std::size_t i = 0; i < kEngineCount; ++i) names.emplace_back(name_of(static_cast<EngineKind>(i)));
  } else if (part == "{cause}") {
    for (std::size_t i = 0; i < kStallReasonCount; ++i) names.emplace_back(name_of(static_cast<StallReason>(i)));
  } else if (part == "{component}") {
    names.assign(std::begin(kComponents), std::end(kComponents));
  } else if (part == "{resource}") {
    names = resource_names();
  }
  return names;
}

}  // namespace trnsim
