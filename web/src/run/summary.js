// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The head of a run: what was simulated, the numbers that matter, the verdict, and what to know about them.
import {facts, h, panel, value} from '../dom.js';
import {bytes, clock, count, cycles, energy, power, rate, share, tflops, time} from '../format.js';

const figure = (name, content, note) => h('div', {class: 'figure'}, h('dt', null, name), h('dd', null, content, note && h('small', null, note)));

/** Short names and values, as `m=1024 n=1024`. */
export const parameters = (result) => Object.entries(result.workload.params ?? {}).map(([name, text]) => `${name}=${text}`).join(' ');

export const chipName = ({chip}) => (chip.marketing_name ? `${chip.name} (${chip.marketing_name})` : chip.name);

function notices(result) {
  const {chip} = result;
  const list = [];
  if (chip.projected) list.push(['PROJECTED', `${chip.name} is an announced chip: its numbers are projections.`]);
  if (chip.carried_over) list.push(['Carried over', chip.carried_over]);
  if (result.truncated) list.push(['Stopped early', result.truncated]);
  (result.warnings ?? []).forEach((text) => list.push(['Warning', text]));
  return list.length === 0 ? null : h('ul', {class: 'notices'}, list.map(([word, text]) => h('li', null, h('strong', null, word), ' ', text)));
}

function memoryFacts(result) {
  const part = (memory) => [value(bytes, memory.peak_bytes), ' of ', value(bytes, memory.capacity_bytes)];
  return facts([
    ['HBM', [value(bytes, result.hbm.read_bytes), ' read, ', value(bytes, result.hbm.write_bytes), ' written, ', value(rate, result.hbm.gb_per_s), ` = ${share.short(result.hbm.utilization)} of ${result.hbm.stacks_in_use} stack${Number(result.hbm.stacks_in_use) === 1 ? '' : 's'}`]],
    ['DMA', [value(bytes, result.dma.bytes), ', ', value(rate, result.dma.gb_per_s), ` = ${share.short(result.dma.utilization)}; `, value(count, result.dma.transfers), ' copies, ', value(count, result.dma.descriptors), ' descriptors']],
    ['SBUF peak', part(result.sbuf)],
    ['PSUM peak', part(result.psum)],
    ['Row hits', value(share, result.hbm.row_hit_rate)],
  ]);
}

export function summaryPanel(run) {
  const {result} = run;
  const tensorClock = result.engines.tensor?.clock_ghz;
  const spread = result.uncertainty?.time_ns;
  const {chip, workload, tool} = result;
  return panel('Summary', {wide: true, id: 'summary'},
    notices(result),
    h('p', {class: 'verdict'}, h('strong', null, `Bottleneck: ${result.bottleneck.resource}. `), result.bottleneck.sentence),
    h('dl', {class: 'figures'},
      figure('Device time', value(time, result.time_ns, {'data-field': 'time_ns'}), [value(cycles, result.cycles, {'data-field': 'cycles'}), ` cycles at ${clock.short(tensorClock)}`]),
      figure('Performance', value(tflops, result.tflops, {'data-field': 'tflops'}), ['MFU ', value(share, result.mfu, {'data-field': 'mfu'}), workload.dtype ? ` of ${workload.dtype}` : '']),
      figure('Array busy', value(share, result.array_busy, {'data-field': 'array_busy'}), ['with useful slots ', value(share, result.array_utilization, {'data-field': 'array_utilization'})]),
      figure('Energy', value(energy, result.energy.total_pj, {'data-field': 'energy.total_pj'}), [value(energy, result.energy.cores_used_pj), ' for the cores used']),
      figure('Power', value(power, result.power.average_w, {'data-field': 'power.average_w'}), [`limit ${power.short(result.power.limit_w)}`]),
      figure('With launch', value(time, result.total_ns, {'data-field': 'total_ns'}), [value(time, result.launch_ns), ' launch', Number(result.host_gap_ns) > 0 ? [', ', value(time, result.host_gap_ns), ' gaps'] : ''])),
    spread && spread.p50 !== null && h('p', null, 'With the assumed numbers drawn from their ranges: ', value(time, spread.p5), ' to ', value(time, spread.p95), `, median ${time.short(spread.p50)} (5th to 95th percentile of ${result.uncertainty.samples} samples).`),
    h('div', {class: 'columns'},
      facts([
        ['Workload', `${workload.name}${parameters(result) ? ` (${parameters(result)})` : ''}`],
        ['Chip', `${chipName(result)}, NeuronCore ${chip.generation}`],
        ['Cores used', `${result.cores.length} of ${chip.config?.chip?.cores ?? '?'}`],
        Object.keys(chip.overrides ?? {}).length ? ['Changed', Object.entries(chip.overrides).map(([key, text]) => `${key}=${text}`).join(', ')] : null,
        ['Instructions', value(count, workload.instructions)],
        ['Simulator', `${tool.name} ${tool.version} (${tool.commit})${result.run_info?.date ? `, ${result.run_info.date}` : ''}`],
      ]),
      memoryFacts(result)),
    h('p', {class: 'command'}, h('span', null, 'Command '), h('code', {tabindex: 0}, result.command)));
}

