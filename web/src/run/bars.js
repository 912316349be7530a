// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Bars of one value each: energy by component, lower bounds by resource.
import {axis, base, chart, tip} from '../chart.js';
import {panel} from '../dom.js';
import {energy, number, percent, time} from '../format.js';
import {table} from '../table.js';
import {colours, fill} from '../theme.js';

/** One bar for each {name, value, note}; `quantity` prints the values. */
function bars({label, entries, quantity, mark, note, head, rows}) {
  const option = () => ({
    ...base(),
    grid: {left: 134, right: 84, top: mark ? 22 : 6, bottom: 24},
    xAxis: axis({type: 'value', splitNumber: 4, axisLabel: {formatter: (amount) => quantity.short(amount), hideOverlap: true, showMaxLabel: !mark}, max: mark ? Math.max(mark.value, ...entries.map(({value}) => value)) * 1.02 : null}),
    yAxis: axis({type: 'category', data: entries.map(({name}) => name), inverse: true, axisLabel: {width: 126, overflow: 'truncate'}}),
    series: [{
      type: 'bar', barWidth: '62%', data: entries.map(({value}) => value), itemStyle: fill(0),
      label: {show: true, position: 'right', color: colours().ink, formatter: ({dataIndex}) => entries[dataIndex].text},
      markLine: mark ? {symbol: 'none', silent: true, lineStyle: {color: colours().ink, type: 'dashed', width: 1.5}, label: {color: colours().ink, formatter: mark.name, position: 'start', distance: 4}, data: [{xAxis: mark.value}]} : undefined,
    }],
    tooltip: {...base().tooltip, trigger: 'item', formatter: ({dataIndex}) => tip(entries[dataIndex].name, [quantity.exact(entries[dataIndex].value), entries[dataIndex].note])},
  });
  const points = () => entries.map((entry, index) => ({series: 0, index, text: `${entry.name}: ${quantity.short(entry.value)}, ${entry.note}`}));
  return chart({label, height: 60 + entries.length * 25, option, points, note, table: () => table(label, head, rows)});
}

export function energyPanel(result) {
  const total = number(result.energy.total_pj);
  const entries = Object.entries(result.energy.components).map(([name, amount]) => ({name, value: number(amount) ?? 0}))
    .sort((a, b) => b.value - a.value).map((entry) => ({...entry, text: `${total ? percent(entry.value / total) : '–'} %`, note: `${total ? percent(entry.value / total) : '–'} % of ${energy.short(total)}`}));
  return panel('Energy by component', {}, bars({
    label: 'Energy by component', entries, quantity: energy, note: `${energy.short(total)} for the ${result.energy.scope}; ${result.energy.source}.`,
    head: ['Component', {text: 'Energy', numeric: true}, {text: 'Share', numeric: true}],
    rows: entries.map((entry) => [entry.name, energy.short(entry.value), entry.text]),
  }));
}

export function boundsPanel(result) {
  const device = number(result.time_ns);
  const shares = result.bottleneck.shares;
  const entries = Object.entries(result.bottleneck.bounds_ns).map(([name, bound]) => ({name, value: number(bound) ?? 0}))
    .sort((a, b) => b.value - a.value).map((entry) => ({...entry, text: time.short(entry.value), note: `${device ? percent(entry.value / device) : '–'} % of the device time; in use ${percent(shares[entry.name] ?? 0)} %`}));
  return panel('Lower bounds by resource', {}, bars({
    label: 'Least time that each resource alone would need', entries, quantity: time, mark: {name: `device time ${time.short(device)}`, value: device},
    note: 'Least time that each resource alone would need for this work. Nothing but the longest of them can be hidden completely.',
    head: ['Resource', {text: 'Bound', numeric: true}, {text: 'Of the time', numeric: true}, {text: 'In use', numeric: true}],
    rows: entries.map((entry) => [entry.name, time.short(entry.value), device ? `${percent(entry.value / device)} %` : '–', `${percent(shares[entry.name] ?? 0)} %`]),
  }));
}
