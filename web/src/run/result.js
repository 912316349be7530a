// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What the page needs of a result (docs/results.md) beyond its fields. Nothing here knows the page.
import {number} from '../format.js';

export const ENGINES = ['tensor', 'vector', 'scalar', 'gpsimd', 'sync'];

/** Times of the array's BF16 rate, by type; 0 where the chip has no such type. */
const RATES = {
  bf16: () => 1,
  fp16: () => 1,
  tf32: (tensor) => 1 / tensor.fp32_passes,
  fp32: (tensor) => 1 / tensor.fp32_passes,
  fp8: (tensor) => tensor.fp8_rate,
  mxfp8: (tensor) => tensor.mxfp8_rate,
  mxfp4: (tensor) => tensor.mxfp4_rate,
};

/** Peak of the cores used in TFLOP/s for each type that the chip has, types of equal peak together. */
export function peaks(result) {
  const {tensor} = result.chip.config;
  const array = 2 * tensor.rows * tensor.columns * tensor.clock_ghz * 1e-3 * Math.max(1, result.cores.length);
  const byPeak = new Map();
  for (const [type, factor] of Object.entries(RATES)) {
    const peak = array * (factor(tensor) || 0);
    if (peak > 0) byPeak.set(peak, [...(byPeak.get(peak) ?? []), type]);
  }
  return [...byPeak].map(([peak, types]) => ({peak, types})).sort((a, b) => b.peak - a.peak);
}

/** Peak of the MFU: of workload.dtype, as the result has it. Null without MACs. */
export function peakOfRun(result) {
  const [mfu, macs, time] = [number(result.mfu), number(result.workload.macs), number(result.time_ns)];
  return mfu && macs && time ? (2 * macs) / time / 1e3 / mfu : null;
}

/** Bandwidths in GB/s that feed the work: HBM stacks in use, DMA engines of the cores used. */
export function bandwidths(result) {
  const {config} = result.chip;
  const cores = Math.max(1, result.cores.length);
  // The result knows the sustained rate: utilisation is measured against it.
  const sustained = number(result.dma.gb_per_s) && number(result.dma.utilization) ? result.dma.gb_per_s / result.dma.utilization : config.dma.engines * config.dma.engine_gb_per_s * cores;
  const hbm = number(result.hbm.gb_per_s) && number(result.hbm.utilization) ? result.hbm.gb_per_s / result.hbm.utilization : config.hbm.stack_gb_per_s;
  return [{name: 'HBM', rate: hbm}, {name: 'DMA engines', rate: sustained}];
}

/** FLOP for each byte moved from and to HBM, and TFLOP/s reached; null where there is none. */
export function rooflinePoint(result) {
  const traffic = number(result.hbm.read_bytes) + number(result.hbm.write_bytes);
  const flops = number(result.workload.flops);
  if (!traffic || !flops || !number(result.time_ns)) return null;
  return {intensity: flops / traffic, tflops: flops / result.time_ns / 1e3};
}

/** Shares of an engine's time: busy, the stall causes that occur, idle; they add up to 1. */
export function engineParts(engine) {
  const elapsed = number(engine.elapsed_cycles);
  if (!elapsed) return [];
  const parts = [{name: 'busy', kind: 'busy', cycles: number(engine.busy_cycles)}];
  for (const [cause, amount] of Object.entries(engine.stall_cycles)) {
    if (number(amount) > 0) parts.push({name: cause, kind: 'stall', cycles: number(amount)});
  }
  parts.push({name: 'idle', kind: 'idle', cycles: number(engine.idle_cycles)});
  return parts.map((part) => ({...part, share: part.cycles / elapsed}));
}

/** Value at a dotted path of the chip description; undefined if there is none. */
export function configValue(config, path) {
  return path.split('.').reduce((node, key) => (node === null || typeof node !== 'object' ? undefined : node[key]), config);
}

/** Unit that the end of a key names. */
export function unitOfKey(path) {
  const key = path.split('.').pop();
  const ends = [['gb_per_s', 'GB/s'], ['_ghz', 'GHz'], ['_cycles', 'cycles'], ['_pj_per_bit', 'pJ/bit'], ['_pj_per_byte', 'pJ/B'], ['_pj_per_element', 'pJ/element'], ['_pj', 'pJ'], ['_bytes', 'B'], ['_ns', 'ns'], ['_w', 'W'], ['_w_per_stack', 'W'], ['_w_per_active_core', 'W']];
  return ends.find(([end]) => key.endsWith(end))?.[1] ?? '';
}

/** Assumed numbers of the run with what is known of each, the most influential first. */
export function assumedParameters(run) {
  const {result} = run;
  const influence = new Map((result.influences ?? []).map((entry) => [entry.path, entry]));
  const details = new Map((run.parameters ?? []).map((entry) => [entry.path, entry]));
  const rows = (result.chip.assumed ?? []).map((path) => {
    const [effect, detail] = [influence.get(path), details.get(path)];
    return {
      path,
      value: effect?.value ?? configValue(result.chip.config, path),
      unit: detail?.unit ?? unitOfKey(path),
      source: detail?.source ?? 'assumed',
      range: effect?.range ?? detail?.range ?? null,
      share: effect?.share ?? null,
      simulated: effect?.simulated ?? false,
    };
  });
  return rows.sort((a, b) => (b.share ?? 0) - (a.share ?? 0) || a.path.localeCompare(b.path));
}
