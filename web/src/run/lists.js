// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What a run rests on and where it comes from, as tables: assumed numbers, source lines, layers.
import {h, panel, value} from '../dom.js';
import {byUnit, percent, share, time} from '../format.js';
import {table} from '../table.js';
import {assumedParameters} from './result.js';

const bound = (number, unit) => `${number}${unit ? ` ${unit}` : ''}`;

export function parametersPanel(run) {
  const rows = assumedParameters(run);
  if (rows.length === 0) return null;
  const body = rows.map((row) => [
    h('code', null, row.path), bound(row.value ?? '–', row.unit), row.source,
    row.range ? `${row.range[0]} to ${bound(row.range[1], row.unit)}` : '–',
    row.share === null ? 'below 0.01 %' : h('data', {value: row.share, title: row.share}, `${(row.share * 100).toPrecision(3)} %${row.simulated ? ', simulated' : ''}`),
  ]);
  return panel('Assumed numbers', {wide: true},
    h('p', {class: 'note'}, `${rows.length} numbers of the chip have no published or measured source. Influence: how much the device time changes over the range of the number.`),
    h('details', {open: rows.length <= 12}, h('summary', null, `All ${rows.length}`), table('Assumed numbers', ['Key', {text: 'Value', numeric: true}, 'Source', {text: 'Range', numeric: true}, {text: 'Influence', numeric: true}], body)));
}

export function linesPanel(result) {
  const lines = result.source_lines ?? [];
  if (lines.length === 0) return null;
  const device = Number(result.time_ns);
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))].filter((key) => key !== 'file' && key !== 'line');
  const print = (key, content) => {
    if (content === null || content === undefined) return '–';
    if (typeof content === 'object') return Object.entries(content).filter(([, amount]) => Number(amount) > 0).map(([name, amount]) => `${name} ${key.endsWith('_ns') ? time.short(amount) : amount}`).join(', ') || '–';
    if (typeof content === 'number' && key.endsWith('_ns')) return h('span', null, value(time, content), device ? ` (${percent(content / device)} %)` : '');
    if (typeof content === 'number') return value(byUnit(key.endsWith('_bytes') ? 'B' : ''), content);
    return String(content);
  };
  return panel('Source lines', {wide: true}, table('Source lines', ['Place', ...columns.map((key) => key.replace(/_ns$/, '').replaceAll('_', ' '))],
    lines.slice(0, 200).map((line) => [h('code', null, `${line.file}:${line.line}`), ...columns.map((key) => print(key, line[key]))])),
  lines.length > 200 && h('p', {class: 'note'}, `The first 200 of ${lines.length} lines.`));
}

export function layersPanel(result) {
  const layers = result.layers ?? [];
  if (layers.length === 0) return null;
  const keys = Object.keys(layers[0]).filter((key) => typeof layers[0][key] !== 'object' || layers[0][key] === null);
  const print = (key, content) => {
    if (typeof content !== 'number') return String(content ?? '–');
    if (key.endsWith('_ns')) return value(time, content);
    if (['mfu', 'array_utilization', 'array_busy'].includes(key)) return value(share, content);
    return value(byUnit(key.endsWith('_pj') ? 'pJ' : key.endsWith('_bytes') ? 'B' : ''), content);
  };
  return panel('Layers', {wide: true}, table('Layers', keys.map((key) => ({text: key.replace(/_(ns|pj)$/, '').replaceAll('_', ' '), numeric: typeof layers[0][key] === 'number'})),
    layers.map((layer) => keys.map((key) => print(key, layer[key])))));
}
