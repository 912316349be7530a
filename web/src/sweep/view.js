// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// A sweep: trade-offs as a scatter with its Pareto front, parallel coordinates with brushes, all rows.
import {axis, base, chart, legend, tip} from '../chart.js';
import {choice, facts, h, panel, value} from '../dom.js';
import {byUnit, compact, number} from '../format.js';
import {paretoFront} from '../rows.js';
import {sortableTable, table} from '../table.js';
import {colours} from '../theme.js';
import {betterOf, firstChoice, parallelColumns, readColumns, tableColumns} from './columns.js';

// Beyond so many points a scatter is drawn in bulk, and keys step through no more.
const MANY = 2000;

export function sweepView(sweep) {
  const columns = readColumns(sweep);
  const shown = tableColumns(columns);
  const rows = sortableTable('Rows of the sweep', shown, sweep.rows.map((row) => shown.map(({index}) => row[index])));
  const failed = Number(sweep.failed ?? 0);
  const changing = columns.filter(({axis: isAxis}) => isAxis);
  return h('div', {class: 'grid'},
    panel('Sweep', {wide: true, id: 'summary'},
      h('p', null, `${sweep.name ? `${sweep.name}: ` : ''}${sweep.points > sweep.rows.length ? `${sweep.rows.length} of ${sweep.points}` : sweep.rows.length} points over ${changing.map(({name, distinct}) => `${name} (${distinct} values)`).join(', ')}.`),
      failed > 0 ? h('ul', {class: 'notices'}, h('li', null, h('strong', null, 'Failed'), ` ${failed} ${failed === 1 ? 'point has' : 'points have'} no result and ${failed === 1 ? 'is' : 'are'} not in the charts.`)) : h('p', {class: 'note'}, 'No point failed.'),
      sameValues(sweep)),
    columns.some(({numeric, axis: isAxis}) => numeric && !isAxis) && panel('Trade-offs', {wide: true, id: 'pareto'}, paretoPart(sweep, columns)),
    panel('Parallel coordinates', {wide: true, id: 'parallel'}, parallelPart(sweep, columns, rows)),
    panel('All points', {wide: true, id: 'points'}, rows));
}

/** Columns with one value in all rows. */
function sameValues({same}) {
  if (!same?.length) return null;
  return h('details', null, h('summary', null, `The same in all points: ${same.length} columns`),
    facts(same.map((column) => [column.name, column.unit ? value(byUnit(column.unit), column.value) : String(column.value)])));
}

const pointName = (columns, row) => columns.filter(({axis: isAxis}) => isAxis).map(({label, index}) => `${label}=${row[index]}`).join(' ');

function paretoPart(sweep, columns) {
  const numeric = columns.filter((column) => column.numeric);
  const first = firstChoice(columns);
  const state = {x: first.x, y: first.y, better: [betterOf(first.x), betterOf(first.y)]};
  const holder = h('div');
  const find = (name) => numeric.find((column) => column.name === name);
  const names = numeric.map(({name, label}) => [name, label]);
  const directions = [['least', 'less is better'], ['most', 'more is better']];
  const tools = h('div', {class: 'tools'});
  const redraw = () => {
    tools.replaceChildren(
      choice('Across', names, state.x.name, (name) => change(() => Object.assign(state, {x: find(name), better: [betterOf(find(name)), state.better[1]]}))),
      choice('Across: better', directions, state.better[0], (word) => change(() => (state.better[0] = word))),
      choice('Up', names, state.y.name, (name) => change(() => Object.assign(state, {y: find(name), better: [state.better[0], betterOf(find(name))]}))),
      choice('Up: better', directions, state.better[1], (word) => change(() => (state.better[1] = word))));
    holder.firstChild?.forget?.();
    holder.replaceChildren(paretoChart(sweep, columns, state));
  };
  function change(action) {
    const place = [...tools.querySelectorAll('select')].indexOf(document.activeElement);
    action();
    redraw();
    tools.querySelectorAll('select')[place]?.focus();
  }
  redraw();
  return [tools, holder];
}

function paretoChart(sweep, columns, {x, y, better}) {
  const points = sweep.rows.map((row) => [row[x.index], row[y.index]]);
  const front = paretoFront(points, better);
  const inFront = new Set(front);
  const rest = points.map((_, index) => index).filter((index) => !inFront.has(index) && number(points[index][0]) !== null && number(points[index][1]) !== null);
  const at = (index) => [number(points[index][0]), number(points[index][1])];
  const describe = (index) => `${pointName(columns, sweep.rows[index])}: ${x.label} ${x.quantity.short(points[index][0])}, ${y.label} ${y.quantity.short(points[index][1])}`;
  const spread = (column, place) => {
    const values = [...rest, ...front].map((index) => at(index)[place]);
    return values.every((one) => one > 0) && Math.max(...values) / Math.min(...values) > 20 ? 'log' : 'value';
  };
  const axisOf = (column, place, gap) => axis({type: spread(column, place), scale: true, name: column.label, nameGap: gap, axisLabel: {formatter: (amount) => (column.unit ? column.quantity.short(amount) : compact(amount)), hideOverlap: true}});
  const option = () => {
    const theme = colours();
    return {
      ...base(),
      aria: {enabled: false},
      grid: {left: 92, right: 24, top: 16, bottom: 78},
      legend: legend(),
      xAxis: axisOf(x, 0, 28),
      yAxis: axisOf(y, 1, 74),
      series: [
        {type: 'scatter', name: 'other points', large: rest.length > MANY, symbol: 'circle', symbolSize: 8, itemStyle: {color: 'transparent', borderColor: theme.soft, borderWidth: 1.4}, data: rest.map((index) => ({value: at(index), row: index}))},
        {type: 'line', name: 'Pareto front', symbol: 'diamond', symbolSize: 14, step: false, lineStyle: {width: 1.6, color: theme.hues[0]}, itemStyle: {color: theme.hues[0]}, data: front.map((index) => ({value: at(index), row: index}))},
      ],
      tooltip: {...base().tooltip, trigger: 'item', formatter: ({seriesName, data}) => tip(seriesName, [pointName(columns, sweep.rows[data.row]), `${x.label}: ${x.quantity.short(points[data.row][0])}`, `${y.label}: ${y.quantity.short(points[data.row][1])}`])},
    };
  };
  return chart({
    label: `${y.label} over ${x.label}`, height: 400, option,
    points: () => [...front.map((index, place) => ({series: 1, index: place, text: `Pareto front, ${describe(index)}`})), ...rest.slice(0, MANY).map((index, place) => ({series: 0, index: place, text: describe(index)}))],
    note: `${front.length} of ${front.length + rest.length} points are on the front (diamonds, joined by a line): no other point is better in both.`,
    table: () => table('Pareto front', ['Point', {text: x.label, numeric: true}, {text: y.label, numeric: true}], front.map((index) => [pointName(columns, sweep.rows[index]) || `row ${index}`, x.quantity.exact(points[index][0]), y.quantity.exact(points[index][1])])),
  });
}

function parallelPart(sweep, columns, rows) {
  const axes = parallelColumns(columns);
  if (axes.length < 2) return h('p', {class: 'note'}, 'Fewer than two columns change.');
  const lines = sweep.rows.map((row, index) => ({row: index, value: axes.map(({index: place, numeric}) => (numeric ? number(row[place]) : String(row[place] ?? '')))})).filter(({value}) => value.every((one) => one !== null));
  const status = h('span', {'aria-live': 'polite'}, `${lines.length} points`);
  const clear = h('button', {type: 'button'}, 'Show all points');
  const option = () => {
    const theme = colours();
    return {
      ...base(),
      aria: {enabled: false},
      parallel: {left: 60, right: 76, top: 44, bottom: 24, parallelAxisDefault: {nameLocation: 'end', nameGap: 16, nameTextStyle: {color: theme.ink, fontSize: 12}, axisLine: {lineStyle: {color: theme.soft}}, axisTick: {lineStyle: {color: theme.soft}}, areaSelectStyle: {width: 18, color: theme.accent, borderColor: theme.accent, opacity: 0.3}}},
      parallelAxis: axes.map((column, dim) => ({
        dim, name: column.label, type: column.numeric ? 'value' : 'category', scale: true,
        data: column.numeric ? undefined : [...new Set(lines.map(({value}) => value[dim]))],
        axisLabel: {color: theme.ink, textBorderColor: theme.ground, textBorderWidth: 3, hideOverlap: true, formatter: column.numeric ? (amount) => (column.unit ? column.quantity.short(amount) : compact(amount)) : undefined},
      })),
      series: [{type: 'parallel', smooth: false, inactiveOpacity: 0.06, activeOpacity: 0.9, lineStyle: {width: 1.4, opacity: 0.55, color: theme.hues[0]}, data: lines}],
    };
  };
  const figure = chart({
    label: 'Parallel coordinates', height: 340, least: 90 * axes.length, option, note: 'Drag along an axis to keep only the points in that part; the table below follows. By keyboard, use its filter, for example time_ns < 5000.',
    events: {axisareaselected: (_, instance) => {
      const found = instance.getModel().getSeriesByIndex(0).getRawIndicesByActiveState('active');
      const brushed = instance.getOption().parallelAxis.some(({areaSelectStyle, ...one}) => one.activeIntervals?.length) || found.length > 0;
      const chosen = brushed && found.length > 0 ? new Set(found.map((place) => lines[place].row)) : null;
      status.textContent = chosen ? `${chosen.size} of ${lines.length} points chosen` : `${lines.length} points`;
      rows.update(chosen);
    }},
  });
  clear.addEventListener('click', () => {
    figure.redraw();
    status.textContent = `${lines.length} points`;
    rows.update(null);
  });
  return [h('div', {class: 'tools'}, clear, status), figure];
}
