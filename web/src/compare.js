// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Several runs side by side: one column each, the best of a row in words.
import {axis, base, chart, legend, tip} from './chart.js';
import {h, panel, value} from './dom.js';
import {bytes, clock, count, cycles, energy, number, percent, power, rate, share, tflops, time} from './format.js';
import {bestOf, shortNames, splitParameters} from './runs.js';
import {rooflinePanel} from './run/roofline.js';
import {engineParts} from './run/result.js';
import {table} from './table.js';
import {causeIndex, fill, idleFill} from './theme.js';

const ROWS = [
  {name: 'Device time', quantity: time, of: (r) => r.time_ns, best: 'least'},
  {name: 'With launch', quantity: time, of: (r) => r.total_ns, best: 'least'},
  {name: 'Tensor cycles', quantity: cycles, of: (r) => r.cycles, best: 'cycles'},
  {name: 'Tensor clock', quantity: clock, of: (r) => r.engines.tensor?.clock_ghz},
  {name: 'Performance', quantity: tflops, of: (r) => r.tflops, best: 'most'},
  {name: 'MFU', quantity: share, of: (r) => r.mfu, best: 'most'},
  {name: 'Array busy', quantity: share, of: (r) => r.array_busy},
  {name: 'Useful slots of the array', quantity: share, of: (r) => r.array_utilization},
  {name: 'Energy of the chip', quantity: energy, of: (r) => r.energy.total_pj, best: 'least'},
  {name: 'Energy of the cores used', quantity: energy, of: (r) => r.energy.cores_used_pj, best: 'least'},
  {name: 'Power', quantity: power, of: (r) => r.power.average_w},
  {name: 'HBM read', quantity: bytes, of: (r) => r.hbm.read_bytes},
  {name: 'HBM written', quantity: bytes, of: (r) => r.hbm.write_bytes},
  {name: 'HBM rate', quantity: rate, of: (r) => r.hbm.gb_per_s},
  {name: 'DMA rate', quantity: rate, of: (r) => r.dma.gb_per_s},
  {name: 'SBUF peak', quantity: bytes, of: (r) => r.sbuf.peak_bytes},
  {name: 'PSUM peak', quantity: bytes, of: (r) => r.psum.peak_bytes},
  {name: 'Instructions', quantity: count, of: (r) => r.workload.instructions},
];

const TEXTS = [
  ['Chip', (r) => `${r.chip.name}${r.chip.projected ? ' (PROJECTED)' : ''}`],
  ['Workload', (r) => r.workload.name],
  ['Changed', (r) => Object.entries(r.chip.overrides ?? {}).map(([key, text]) => `${key}=${text}`).join(', ') || '–'],
  ['Cores used', (r) => r.cores.length],
  ['Bottleneck', (r) => r.bottleneck.resource],
];

export function compareView(runs) {
  const results = runs.map((run) => run.result);
  const clocks = new Set(results.map((result) => result.engines.tensor?.clock_ghz));
  const sameWork = new Set(results.map((result) => result.workload.flops)).size === 1;
  const {different, common} = splitParameters(results);
  const rows = TEXTS.map(([name, of]) => [name, ...results.map(of)]);
  rows.splice(2, 0, ...different.map((key) => [h('code', null, key), ...results.map(({workload}) => workload.params?.[key] ?? '–')]));
  for (const {name, quantity, of, best} of ROWS) {
    const values = results.map(of);
    const comparable = best === 'cycles' ? clocks.size === 1 : Boolean(best) && (sameWork || best === 'most');
    const winner = comparable ? bestOf(values, best === 'most' ? 'most' : 'least') : -1;
    rows.push([name, ...values.map((one, index) => h('span', null, value(quantity, one), index === winner && h('strong', {class: 'best'}, ' best')))]);
  }
  const notes = [
    common && `In all runs: ${common}.`,
    clocks.size > 1 && 'The Tensor clocks differ: compare times, not cycles.',
    !sameWork && 'The runs do different work: times and energies are not marked as better or worse.',
  ].filter(Boolean);
  return h('div', {class: 'grid'},
    panel(`${runs.length} runs side by side`, {wide: true, id: 'compare'}, notes.map((text) => h('p', {class: 'note'}, text)),
      table('Runs side by side', ['', ...runs.map(({name}) => ({text: name, numeric: true}))], rows)),
    timesPanel(runs), sameChip(results) ? rooflinePanel(runs, {title: 'Roofline of all runs'}) : tensorPanel(runs));
}

const sameChip = (results) => new Set(results.map((r) => JSON.stringify([r.chip.config_hash, r.cores.length, r.hbm.stacks_in_use]))).size === 1;

function timesPanel(runs) {
  const short = shortNames(runs.map(({name}) => name));
  const values = runs.map(({result}) => number(result.time_ns) ?? 0);
  const option = () => ({
    ...base(),
    grid: {left: 130, right: 76, top: 6, bottom: 24},
    xAxis: axis({type: 'value', splitNumber: 4, axisLabel: {formatter: time.short, hideOverlap: true}}),
    yAxis: axis({type: 'category', data: short, inverse: true, axisLabel: {width: 120, overflow: 'truncate'}}),
    series: [{type: 'bar', barMaxWidth: 22, data: values, itemStyle: fill(0), label: {show: true, position: 'right', color: base().textStyle.color, formatter: ({dataIndex}) => time.short(values[dataIndex])}}],
    tooltip: {...base().tooltip, trigger: 'item', formatter: ({dataIndex}) => tip(runs[dataIndex].name, [time.exact(values[dataIndex])])},
  });
  return panel('Device time', {}, chart({
    label: 'Device time of each run', height: 70 + runs.length * 34, option, points: () => runs.map((run, index) => ({series: 0, index, text: `${run.name}: ${time.short(values[index])}`})),
    table: () => table('Device times', ['Run', {text: 'Device time', numeric: true}], runs.map((run, index) => [run.name, time.exact(values[index])])),
  }));
}

function tensorPanel(runs) {
  const short = shortNames(runs.map(({name}) => name));
  const parts = runs.map(({result}) => engineParts(result.engines.tensor));
  const names = ['busy', ...new Set(parts.flatMap((list) => list.filter(({kind}) => kind === 'stall').map(({name}) => name))), 'idle'];
  const shareOf = (index, name) => parts[index].find((part) => part.name === name)?.share ?? 0;
  const label = (name) => (name === 'busy' || name === 'idle' ? name : `stall: ${name}`);
  const option = () => ({
    ...base(),
    grid: {left: 130, right: 16, top: 6, bottom: 86},
    legend: legend(),
    xAxis: axis({type: 'value', min: 0, max: 100, axisLabel: {formatter: '{value} %'}}),
    yAxis: axis({type: 'category', data: short, inverse: true, axisLabel: {width: 120, overflow: 'truncate'}}),
    series: names.map((name, at) => ({type: 'bar', stack: 'time', name: label(name), barMaxWidth: 26, itemStyle: name === 'idle' ? idleFill() : fill(causeIndex(name, at)), data: runs.map((_, index) => shareOf(index, name) * 100)})),
    tooltip: {...base().tooltip, trigger: 'item', formatter: ({seriesIndex, dataIndex}) => tip(`${runs[dataIndex].name}: ${label(names[seriesIndex])}`, [`${percent(shareOf(dataIndex, names[seriesIndex]))} %`])},
  });
  return panel('Tensor engine of each run', {}, chart({
    label: 'Share of time of the Tensor engine of each run', height: 138 + runs.length * 36, option,
    points: () => runs.flatMap((run, index) => names.map((name, series) => ({series, index, text: `${run.name}, ${label(name)}: ${percent(shareOf(index, name))} %`})).filter((_, at) => shareOf(index, names[at]) > 0)),
    table: () => table('Tensor engines, % of time', ['Run', ...names.map((name) => ({text: label(name), numeric: true}))], runs.map((run, index) => [run.name, ...names.map((name) => percent(shareOf(index, name)))])),
  }));
}
