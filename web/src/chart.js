// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The chart library with only the parts in use, and what every chart of the page has: colours of the
// theme, a description, keys that go from point to point, and its numbers as a table.
import {BarChart, LineChart, ParallelChart, ScatterChart} from 'echarts/charts';
import {AriaComponent, GridComponent, LegendComponent, MarkLineComponent, ParallelComponent, TooltipComponent} from 'echarts/components';
import {init, use} from 'echarts/core';
import {CanvasRenderer} from 'echarts/renderers';

import {h} from './dom.js';
import {colours, isDark, onTheme} from './theme.js';

use([BarChart, LineChart, ParallelChart, ScatterChart, AriaComponent, GridComponent, LegendComponent, MarkLineComponent, ParallelComponent, TooltipComponent, CanvasRenderer]);

const alive = new Set();
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) entry.target.start();
}, {rootMargin: '400px'});
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) entry.target.chart?.resize();
});
onTheme(() => alive.forEach((element) => element.draw()));
addEventListener('beforeprint', () => alive.forEach((element) => element.start()));

/** Settings that all charts share, for the colours of now. */
export function base() {
  const theme = colours();
  return {
    animation: false,
    darkMode: isDark(),
    backgroundColor: 'transparent',
    textStyle: {fontFamily: 'system-ui, sans-serif', color: theme.ink},
    tooltip: {
      confine: true,
      backgroundColor: theme.ground,
      borderColor: theme.line,
      textStyle: {color: theme.ink, fontSize: 13},
      renderMode: 'html',
    },
  };
}

/** An axis in the colours of the theme. */
export function axis(settings) {
  const theme = colours();
  return {
    nameLocation: 'middle',
    nameTextStyle: {color: theme.soft},
    axisLine: {lineStyle: {color: theme.soft}},
    splitLine: {lineStyle: {color: theme.line}},
    ...settings,
    axisLabel: {color: theme.ink, ...settings.axisLabel},
  };
}

export function legend(settings = {}) {
  const theme = colours();
  return {bottom: 0, itemWidth: 18, itemHeight: 12, textStyle: {color: theme.ink}, inactiveColor: theme.soft, ...settings};
}

/** Texts in a tooltip: elements, since names come from files. */
export const tip = (title, lines) => h('div', {class: 'tip'}, h('strong', null, title), lines.map((line) => h('div', null, line)));

/**
 * A figure with a chart. `option()` gives its settings, `points()` what the arrow keys step through as
 * {series, index, text}, `table()` the same numbers as an element. `events` are those of the library. Narrower than `least` pixels it scrolls.
 */
export function chart({label, height, least = 0, option, points = () => [], table, events = {}, note}) {
  const readout = h('p', {class: 'readout', 'aria-live': 'polite'});
  const box = h('div', {class: 'chart', role: 'application', 'aria-roledescription': 'chart', 'aria-label': `${label}. Arrow keys go from point to point.`, tabindex: 0, style: `height:${height}px;min-width:${least}px`});
  let at = -1;
  box.draw = () => {
    if (box.chart) box.chart.setOption({...base(), ...option()}, {notMerge: true});
  };
  box.start = () => {
    near.unobserve(box);
    if (box.chart) return;
    box.chart = init(box, null, {renderer: 'canvas'});
    for (const [name, handler] of Object.entries(events)) box.chart.on(name, (event) => handler(event, box.chart));
    box.draw();
  };
  box.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const list = points();
    if (!step || list.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    at = (at + step + list.length) % list.length;
    box.chart.dispatchAction({type: 'showTip', seriesIndex: list[at].series, dataIndex: list[at].index});
    readout.textContent = list[at].text;
  });
  box.addEventListener('blur', () => {
    box.chart?.dispatchAction({type: 'hideTip'});
    readout.textContent = '';
  });
  alive.add(box);
  near.observe(box);
  sizes.observe(box);
  const figure = h('figure', null, least > 0 ? h('div', {class: 'scroll'}, box) : box, readout, note && h('p', {class: 'note'}, note), table && asTable(label, table));
  figure.redraw = box.draw;
  figure.forget = () => {
    alive.delete(box);
    near.unobserve(box);
    sizes.unobserve(box);
    box.chart?.dispose();
  };
  return figure;
}

/** The numbers of a chart, made when somebody opens them. */
export function asTable(label, table) {
  const details = h('details', {class: 'numbers'}, h('summary', null, 'As a table', h('span', {class: 'hidden'}, `: ${label}`)));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(table());
  });
  return details;
}

/** Ends the charts inside an element that leaves the page. */
export function forgetCharts(element) {
  element.querySelectorAll('figure').forEach((figure) => figure.forget?.());
}
