// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// All parts of one run, in the order in which one reads them.
import {h} from '../dom.js';
import {timelinePanel} from '../timeline/view.js';
import {boundsPanel, energyPanel} from './bars.js';
import {enginesPanel} from './engines.js';
import {explanationPanel} from './explanation.js';
import {layersPanel, linesPanel, parametersPanel} from './lists.js';
import {rooflinePanel} from './roofline.js';
import {summaryPanel} from './summary.js';

/** A part that cannot be made says so and leaves the others alone. */
function part(name, make) {
  try {
    return make();
  } catch (error) {
    return h('section', {class: 'panel'}, h('h2', null, name), h('p', {class: 'note', role: 'alert'}, `This part of the result cannot be shown: ${error.message}`));
  }
}

export function runView(run) {
  const {result} = run;
  return h('div', {class: 'grid'},
    part('Summary', () => summaryPanel(run)),
    part('Engines', () => enginesPanel(result)),
    part('Roofline', () => rooflinePanel([run])),
    part('Timeline', () => timelinePanel(run)),
    part('Explanation', () => explanationPanel(run.explanation)),
    part('Bounds', () => boundsPanel(result)),
    part('Energy', () => energyPanel(result)),
    part('Source lines', () => linesPanel(result)),
    part('Layers', () => layersPanel(result)),
    part('Assumed numbers', () => parametersPanel(run)));
}
