// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The timeline as a part of the page: a canvas that zooms and moves by wheel, drag, fingers, keys and
// buttons, a line of text that says what is under the cursor, a legend, and its numbers as a table.
import {asTable} from '../chart.js';
import {h, newId, panel} from '../dom.js';
import {byUnit, percent, time} from '../format.js';
import {table} from '../table.js';
import {onTheme} from '../theme.js';
import {Gestures} from './gestures.js';
import {at, neighbour, Range, readLane, usage, valueAt} from './model.js';
import {axisTime, kindStyles, layOut, Painter} from './paint.js';

const KEYS = 'Drag moves, Shift and drag zooms in, the wheel zooms once the timeline is clicked (before that with Ctrl). Keys: arrows left and right move, + and − zoom, Home shows all, arrows up and down choose a lane, N and P go to its next and previous slice, Z zooms to it.';

/** Problem of a timeline that cannot be shown; null if it can. */
function problemOf(raw) {
  if (!raw) return 'This page has no timeline of the run: it was made from a result file, or the run was not recorded.';
  if (!(raw.until_ns > 0) || !Array.isArray(raw.lanes) || !Array.isArray(raw.kinds)) return 'The timeline in this page cannot be read.';
  return null;
}

export function timelinePanel(run) {
  const part = (...content) => panel('Timeline', {wide: true, id: newId('timeline')}, ...content);
  const problem = problemOf(run.timeline);
  if (problem) return part(h('p', {class: 'note'}, problem));
  try {
    return part(run.timeline.note && h('p', {class: 'note'}, run.timeline.note), new TimelineView(run.timeline).element);
  } catch (error) {
    return part(h('p', {class: 'note', role: 'alert'}, `The timeline in this page cannot be read: ${error.message}`));
  }
}

class TimelineView {
  constructor(raw) {
    this.timeline = raw;
    this.range = new Range(raw.until_ns);
    const series = (raw.series ?? []).filter((one) => one.values?.length > 0 && one.width_ns > 0);
    this.layout = layOut(raw.lanes.map(readLane), series);
    this.state = {range: this.range, cursor: null, row: null, mark: null, selection: null};
    this.build();
    this.painter = new Painter(this.canvas, raw, this.layout);
    this.listen();
    this.say('');
    this.showRange();
  }

  build() {
    const button = (text, label, action) => h('button', {type: 'button', 'aria-label': label, title: label, onclick: action}, text);
    const change = (action) => () => {
      action();
      this.changed();
    };
    this.helpId = newId('keys');
    this.canvas = h('canvas', {class: 'lanes', style: `height:${this.layout.height}px`});
    this.box = h('div', {class: 'timeline', role: 'application', 'aria-roledescription': 'timeline', 'aria-label': 'Timeline of engines, rings and counters', 'aria-describedby': this.helpId, tabindex: 0}, this.canvas);
    this.readout = h('p', {class: 'readout', 'aria-live': 'polite'});
    this.rangeText = h('span', {class: 'range'});
    this.legend = h('ul', {class: 'legend'});
    this.numbers = asTable('time of each lane in the visible range', () => (this.tableBox = h('div', null, this.table())));
    this.element = h('div', null,
      h('div', {class: 'tools'},
        button('−', 'Zoom out', change(() => this.range.zoom(2))), button('+', 'Zoom in', change(() => this.range.zoom(0.5))),
        button('←', 'Earlier', change(() => this.range.pan(-0.25))), button('→', 'Later', change(() => this.range.pan(0.25))),
        button('Whole run', 'Show the whole run', change(() => this.range.reset())), this.rangeText),
      this.box, this.readout, this.legend, h('p', {class: 'note', id: this.helpId}, KEYS), this.numbers);
    this.showLegend();
  }

  showLegend() {
    const styles = kindStyles(this.canvas.getContext('2d'), this.timeline.kinds);
    this.legend.replaceChildren(...this.timeline.kinds.map(({name, busy}, index) => h('li', null,
      h('span', {class: busy ? 'swatch' : 'swatch hatched', style: `--fill:${styles[index].colour}`, 'aria-hidden': 'true'}), busy ? name : `stall: ${name}`)), h('li', null, h('span', {class: 'swatch idle', 'aria-hidden': 'true'}), 'idle'));
  }

  listen() {
    new ResizeObserver(() => this.redraw()).observe(this.box);
    onTheme(() => {
      this.painter.restyle();
      this.showLegend();
      this.redraw();
    });
    this.box.addEventListener('keydown', (event) => this.key(event));
    new Gestures(this);
  }

  get gutter() {
    return this.box.clientWidth < 560 ? 84 : 118;
  }

  get plotWidth() {
    return Math.max(10, Math.floor(this.box.clientWidth - this.gutter - 6));
  }

  timeOf(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left - this.gutter;
    return this.range.from + (x / this.plotWidth) * this.range.length;
  }

  rowOf(event) {
    const y = event.clientY - this.canvas.getBoundingClientRect().top;
    return this.layout.rows.find((row) => y >= row.y && y <= row.y + row.height) ?? null;
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.box.clientWidth > 0) this.painter.draw(this.state, this.box.clientWidth, this.gutter);
    });
  }

  changed() {
    this.showRange();
    this.redraw();
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.tableBox && this.numbers.open && this.tableBox.replaceChildren(this.table()), 200);
  }

  showRange() {
    const {from, to, until, length} = this.range;
    const text = (moment) => axisTime(moment, length / 1000, until);
    this.rangeText.textContent = this.range.isWhole ? `whole run, ${time.short(until)}` : `${text(from)} to ${text(to)}, ${time.short(length)} of ${time.short(until)}`;
    Object.assign(this.box.dataset, {from, to});
  }

  say(text) {
    this.readout.textContent = text || 'Point at a slice, or choose a lane with the arrow keys.';
  }

  hover(event) {
    const row = this.rowOf(event);
    const moment = this.timeOf(event);
    this.state.cursor = moment >= this.range.from ? moment : null;
    if (row && this.state.cursor !== null) this.say(this.describe(row, moment, this.hit(row, moment)));
    this.redraw();
  }

  /** Slice at a moment, or a short one up to two pixels beside it. */
  hit(row, moment) {
    if (row.type !== 'lane') return null;
    const pixel = this.range.length / this.plotWidth;
    return at(row.lane, moment) ?? at(row.lane, moment - pixel) ?? at(row.lane, moment + pixel);
  }

  choose(row, moment) {
    const found = row && this.hit(row, moment);
    this.state.row = row;
    this.state.mark = found ? {row, from: found.from, end: found.end} : null;
    if (row) this.say(this.describe(row, moment, found));
  }

  describe(row, moment, found) {
    const {until, length} = this.range;
    const clock = (value) => axisTime(value, Math.max(0.1, length / 10000), until);
    if (row.type === 'counter') {
      const level = valueAt(row.series, moment);
      return `${row.label} at ${clock(moment)}: ${level === null ? 'no value' : byUnit(row.series.unit).short(level)}`;
    }
    if (!found) return `${row.label} at ${clock(moment)}: idle`;
    const span = `${clock(found.from)}, ${time.short(found.end - found.from)} long`;
    const name = (kind) => (this.timeline.kinds[kind].busy ? this.timeline.kinds[kind].name : `stall: ${this.timeline.kinds[kind].name}`);
    if (found.shares) return `${row.label}, bin from ${span}: ${found.shares.map(({kind, share}) => `${name(kind)} ${percent(share)} %`).join(', ') || 'idle'}`;
    return `${row.label}: ${name(found.kind)} from ${span}${found.line > 0 ? `, line ${found.line}` : ''}`;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.range.pan(-0.15), ArrowRight: () => this.range.pan(0.15), PageUp: () => this.range.pan(-0.9), PageDown: () => this.range.pan(0.9),
      '+': () => this.range.zoom(0.6), '=': () => this.range.zoom(0.6), '-': () => this.range.zoom(1 / 0.6), '−': () => this.range.zoom(1 / 0.6),
      Home: () => this.range.reset(), ArrowUp: () => this.chooseRow(-1), ArrowDown: () => this.chooseRow(1),
      n: () => this.step(1), p: () => this.step(-1), z: () => this.zoomToMark(),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
    this.changed();
  }

  chooseRow(step) {
    const {rows} = this.layout;
    const index = rows.indexOf(this.state.row);
    this.choose(rows[index < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, index + step))], (this.range.from + this.range.to) / 2);
  }

  step(direction) {
    const {row, mark} = this.state;
    if (row?.type !== 'lane') return;
    const here = mark ? (row.lane.bins ? (mark.from + mark.end) / 2 : mark.from) : this.range.from;
    const found = neighbour(row.lane, here, direction);
    if (!found) return;
    this.state.mark = {row, from: found.from, end: found.end};
    if (found.from < this.range.from || found.end > this.range.to) this.range.set(found.from - this.range.length * 0.2, found.from + this.range.length * 0.8);
    this.say(this.describe(row, found.from, found));
  }

  zoomToMark() {
    const {mark} = this.state;
    if (mark) this.range.set(mark.from - (mark.end - mark.from) * 0.5, mark.end + (mark.end - mark.from) * 0.5);
  }

  /** Share of the visible range by kind for each lane, mean of each counter. */
  table() {
    const {from, to, length} = this.range;
    const {kinds} = this.timeline;
    const lanes = this.layout.rows.filter(({type}) => type === 'lane').map(({lane, label}) => ({label, sums: usage(lane, from, to)}));
    const used = kinds.map((kind, index) => ({...kind, index})).filter(({index}) => lanes.some(({sums}) => sums.has(index)));
    const rows = lanes.map(({label, sums}) => {
      const rest = length - [...sums.values()].reduce((sum, one) => sum + one, 0);
      return [label, ...used.map(({index}) => percent((sums.get(index) ?? 0) / length)), percent(Math.max(0, rest) / length)];
    });
    const counters = this.layout.rows.filter(({type}) => type === 'counter').map(({series, label}) => {
      const first = Math.max(0, Math.floor(from / series.width_ns));
      const part = series.values.slice(first, Math.max(first + 1, Math.ceil(to / series.width_ns)));
      const {short} = byUnit(series.unit);
      return [label, short(part.reduce((sum, one) => sum + one, 0) / Math.max(1, part.length)), short(part.reduce((most, one) => Math.max(most, one), 0))];
    });
    return h('div', null,
      table('Lanes, % of the visible range', ['Lane', ...used.map(({name, busy}) => ({text: busy ? name : `stall: ${name}`, numeric: true})), {text: 'idle', numeric: true}], rows),
      counters.length > 0 && table('Counters in the visible range', ['Counter', {text: 'Mean', numeric: true}, {text: 'Largest', numeric: true}], counters));
  }
}
