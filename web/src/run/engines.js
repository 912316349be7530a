// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Where the time of each engine goes: busy, stalled by cause, idle, as parts of one bar.
import {axis, base, chart, legend, tip} from '../chart.js';
import {h, panel} from '../dom.js';
import {cycles, percent} from '../format.js';
import {table} from '../table.js';
import {causeIndex, fill, idleFill} from '../theme.js';
import {ENGINES, engineParts} from './result.js';

export function enginesPanel(result) {
  const engines = ENGINES.filter((name) => result.engines[name]).map((name) => ({name, parts: engineParts(result.engines[name]), used: Number(result.engines[name].instructions) > 0}));
  const causes = [...new Set(engines.flatMap(({parts}) => parts.filter((part) => part.kind === 'stall').map((part) => part.name)))];
  const series = ['busy', ...causes, 'idle'];
  const part = (engine, name) => engine.parts.find((candidate) => candidate.name === name);
  const label = (name) => (name === 'busy' || name === 'idle' ? name : `stall: ${name}`);
  const option = () => ({
    ...base(),
    grid: {left: 62, right: 16, top: 6, bottom: 86},
    legend: legend(),
    xAxis: axis({type: 'value', min: 0, max: 100, axisLabel: {formatter: '{value} %'}}),
    yAxis: axis({type: 'category', data: engines.map(({name}) => name), inverse: true}),
    series: series.map((name, index) => ({
      type: 'bar', stack: 'time', name: label(name), barWidth: '64%', itemStyle: name === 'idle' ? idleFill() : fill(causeIndex(name, index)),
      data: engines.map((engine) => (part(engine, name)?.share ?? 0) * 100),
    })),
    tooltip: {...base().tooltip, trigger: 'item', formatter: ({seriesIndex, dataIndex}) => {
      const found = part(engines[dataIndex], series[seriesIndex]);
      return tip(`${engines[dataIndex].name}: ${label(series[seriesIndex])}`, found ? [`${percent(found.share)} %, ${cycles.short(found.cycles)} cycles`] : []);
    }},
  });
  const points = () => engines.flatMap((engine, index) => series.map((name, at) => ({series: at, index, name, found: part(engine, name)})).filter(({found}) => found?.cycles > 0)
    .map(({series: at, name, found}) => ({series: at, index, text: `${engine.name}, ${label(name)}: ${percent(found.share)} %`})));
  const rows = () => engines.map((engine) => [engine.used ? engine.name : `${engine.name} (not used)`, ...series.map((name) => {
    const found = part(engine, name);
    return h('data', {value: found?.cycles ?? 0, title: `${cycles.exact(found?.cycles ?? 0)}`}, found ? percent(found.share) : '0.0');
  })]);
  return panel('Engines: busy, stalled, idle', {}, chart({
    label: 'Share of time of each engine', height: 318, option, points,
    note: 'Share of the device time, cores used together. An engine stalls when it has an instruction and waits.',
    table: () => table('Engines, % of time', ['Engine', ...series.map((name) => ({text: label(name), numeric: true}))], rows()),
  }));
}
