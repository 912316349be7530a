// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What a run rests on and where it comes from, as tables: assumed numbers, source lines, layers.
import {h, panel, value} from '../dom.js';
import {bytes, byUnit, count, percent, share, time} from '../format.js';
import {table} from '../table.js';
import {assumedParameters} from './result.js';

const MOST_LINES = 200;

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

/** Stalls of a line, the longest first. */
const stalls = (line) => Object.entries(line.stall_ns ?? {}).filter(([, amount]) => amount > 0).sort(([, a], [, b]) => b - a).map(([cause, amount]) => `${cause} ${time.short(amount)}`).join(', ') || '–';

export function linesPanel(result) {
  const lines = result.source_lines ?? [];
  if (lines.length === 0) return null;
  const device = Number(result.time_ns);
  const place = (line) => (line.file ? `${line.file}:${line.line}` : 'no place');
  const rows = lines.slice(0, MOST_LINES).map((line) => [
    h('span', null, h('code', null, place(line)), line.text && [h('br'), h('code', {class: 'source'}, line.text.trim())]),
    h('span', null, value(time, line.exposed_ns), device ? ` (${percent(line.exposed_ns / device)} %)` : ''),
    value(time, line.engine_ns), stalls(line), value(bytes, line.dma_bytes), value(count, line.instructions)]);
  return panel('Source lines', {wide: true},
    h('p', {class: 'note'}, 'Exposed: device time that ended with the line. Engines: time they executed its instructions, cores summed.'),
    table('Source lines', ['Place', {text: 'Exposed', numeric: true}, {text: 'Engines', numeric: true}, 'Stalls', {text: 'Copied', numeric: true}, {text: 'Instructions', numeric: true}], rows),
    lines.length > MOST_LINES && h('p', {class: 'note'}, `The first ${MOST_LINES} of ${lines.length} lines.`));
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
