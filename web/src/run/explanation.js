// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The explanation of a run (docs/explain.md): critical path, what faster parts would gain, advice.
import {h, panel, value} from '../dom.js';
import {percent, time} from '../format.js';
import {table} from '../table.js';

export function explanationPanel(explanation) {
  if (!explanation) return null;
  const path = explanation.critical_path;
  const base = explanation.time_ns;
  const parts = Object.entries(path.parts).filter(([, part]) => part.ns > 0).sort(([, a], [, b]) => b.ns - a.ns);
  const bar = (part) => h('span', {class: 'meter', 'aria-hidden': 'true'}, h('span', {style: `width:${Math.max(0, Math.min(100, part * 100)).toFixed(2)}%`}));
  const gains = (explanation.what_if ?? []).filter((entry) => entry.time_ns !== null).sort((a, b) => b.gain_ns - a.gain_ns);
  return panel('Why it takes this long', {wide: true, id: 'explanation'},
    h('p', null, `Critical path: ${path.steps.toLocaleString('en')} instructions and copies, `, value(time, path.length_ns), ' long.'),
    h('div', {class: 'columns'},
      h('div', null, h('h3', null, 'Parts of the critical path'), table('Parts of the critical path', ['Part', {text: 'Time', numeric: true}, {text: 'Share', numeric: true}, ''],
        parts.map(([name, part]) => [name, value(time, part.ns), `${percent(part.share)} %`, bar(part.share)]))),
      gains.length > 0 && h('div', null, h('h3', null, 'What if, simulated'), table('What if', ['Resource', 'Change', {text: 'Time', numeric: true}, {text: 'Difference', numeric: true}],
        gains.slice(0, 12).map((entry) => [entry.resource, entry.change, value(time, entry.time_ns), `${entry.gain_ns > 0 ? '−' : '+'}${percent(Math.abs(entry.gain_ns) / base)} %`])))),
    explanation.advice?.length > 0 && h('div', null, h('h3', null, 'Advice'), h('ul', {class: 'advice'}, explanation.advice.map((entry) => h('li', null, h('strong', null, entry.text), h('br'), `Rests on: ${entry.number}`, h('br'), h('small', null, `Source: ${entry.source}`))))));
}
