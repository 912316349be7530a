// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The page: reads its data once, then shows a sweep, several runs side by side, or one run.
import {compareView} from './compare.js';
import {forgetCharts} from './chart.js';
import {choice, h} from './dom.js';
import {chipName} from './run/summary.js';
import {runView} from './run/view.js';
import {sweepView} from './sweep/view.js';
import {themeSwitch} from './theme.js';

function readData() {
  const element = document.getElementById('trnsim-data');
  if (!element) throw new Error('the page holds no data');
  const data = JSON.parse(element.textContent);
  element.remove();
  if (!/^1\./.test(data.trnsim_page ?? '')) throw new Error(`its data are of version ${data.trnsim_page}; this page reads 1.x`);
  return data;
}

/** What was run, in one line under the title. */
function subtitle({runs, sweep}) {
  if (sweep) return `Sweep, ${sweep.rows.length} points`;
  if (runs.length > 1) return `${runs.length} runs`;
  if (runs.length === 0) return 'No runs';
  const {result} = runs[0];
  return `${chipName(result)}, ${result.cores.length} core${result.cores.length === 1 ? '' : 's'}${result.chip.projected ? ', PROJECTED' : ''}`;
}

function header(data) {
  document.title = `${data.title} – trnsim`;
  return [h('div', null, h('p', {class: 'brand'}, 'trnsim report'), h('h1', null, data.title), h('p', {class: 'subtitle'}, subtitle(data))), themeSwitch(h)];
}

function runsPart(runs) {
  if (runs.length === 1) return runView(runs[0]);
  const holder = h('div');
  const show = (index) => {
    forgetCharts(holder);
    holder.replaceChildren(runView(runs[index]));
  };
  show(0);
  return h('div', null, compareView(runs), h('div', {class: 'tools choose'}, choice('Details of', runs.map(({name}, index) => [index, name]), 0, (index) => show(Number(index)))), holder);
}

function start() {
  const content = document.getElementById('content');
  let data;
  try {
    data = readData();
  } catch (error) {
    document.getElementById('top').append(h('h1', null, 'trnsim report'));
    content.append(h('p', {role: 'alert'}, `This report cannot be shown: ${error.message}.`));
    document.documentElement.dataset.ready = 'no';
    return;
  }
  data.runs ??= [];
  document.getElementById('top').append(...header(data));
  if (data.sweep) content.append(sweepView(data.sweep));
  if (data.runs.length > 0) content.append(runsPart(data.runs));
  document.documentElement.dataset.ready = 'yes';
}

start();
