// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Draws lanes and counters on a canvas: only what is in the visible range, shorter slices than a pixel as
// columns of shares. Stalls are hatched, so that they differ from work without their colours.
import {byUnit, digits} from '../format.js';
import {causeIndex, colours} from '../theme.js';
import {levels, roundUp, shapes, ticks} from './model.js';

export const LANE = 22;
export const GAP = 3;
export const COUNTER = 46;
export const AXIS = 24;
const FONT = '11px system-ui, sans-serif';

/** Rows from top to bottom: a heading for each core, its lanes, then the counters. */
export function layOut(lanes, series) {
  const rows = [];
  let y = AXIS;
  const cores = [...new Set([...lanes.map((lane) => lane.core), ...series.map((one) => one.core)])];
  const several = cores.filter((core) => core !== null && core !== undefined).length > 1;
  const label = (row) => (several && row.core !== null && row.core !== undefined ? `${row.core}: ${row.name}` : row.name);
  for (const lane of lanes) {
    rows.push({type: 'lane', lane, y, height: LANE, label: label(lane)});
    y += LANE + GAP;
  }
  for (const one of series) {
    y += 2;
    rows.push({type: 'counter', series: one, y, height: COUNTER, label: label(one), top: roundUp(one.values.reduce((most, item) => Math.max(most, item), 0), one.unit === 'B')});
    y += COUNTER + GAP + 2;
  }
  return {rows, height: y};
}

/** Time for the axis with as many decimals as the distance of ticks needs. */
export function axisTime(time, step, until) {
  const [factor, unit] = until >= 1e9 ? [1e9, 's'] : until >= 1e6 ? [1e6, 'ms'] : until >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / factor) - 1e-9)));
  return `${(time / factor).toFixed(decimals)} ${unit}`;
}

function hatch(context, colour, ground) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const pen = tile.getContext('2d');
  pen.fillStyle = ground;
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.4;
  pen.beginPath();
  for (const offset of [-6, 0, 6]) {
    pen.moveTo(offset, 6);
    pen.lineTo(offset + 6, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}

/** Fill of each kind: plain for work, hatched for stalls. */
export function kindStyles(context, kinds) {
  const theme = colours();
  let work = 0;
  return kinds.map(({name, busy}, index) => {
    const colour = theme.hues[(busy ? work++ : causeIndex(name, index)) % theme.hues.length];
    return {colour, fill: busy ? colour : hatch(context, colour, theme.ground), busy};
  });
}

export class Painter {
  constructor(canvas, timeline, layout) {
    Object.assign(this, {canvas, timeline, layout, context: canvas.getContext('2d')});
    this.restyle();
  }

  restyle() {
    this.styles = kindStyles(this.context, this.timeline.kinds);
  }

  /** `state`: range, cursor (time or null), row in focus, mark {row, from, end} or null; `gutter` for the labels. */
  draw(state, width, gutter) {
    const {context, layout} = this;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(layout.height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, {width: w, height: h});
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, layout.height);
    context.font = FONT;
    context.textBaseline = 'middle';
    const plot = {x: gutter, width: Math.max(10, Math.floor(width - gutter - 6))};
    this.axis(state, plot);
    for (const row of layout.rows) {
      this.label(row, gutter, state.row === row);
      if (row.type === 'lane') this.lane(row, state, plot);
      else this.counter(row, state, plot);
    }
    this.cursor(state, plot);
  }

  axis({range}, plot) {
    const {context} = this;
    const theme = colours();
    const {list, step} = ticks(range.from, range.to, Math.max(2, plot.width / 110));
    context.strokeStyle = theme.line;
    context.fillStyle = theme.soft;
    context.lineWidth = 1;
    context.textAlign = 'left';
    for (const tick of list) {
      const x = Math.round(plot.x + ((tick - range.from) / range.length) * plot.width) + 0.5;
      context.beginPath();
      context.moveTo(x, AXIS - 6);
      context.lineTo(x, this.layout.height);
      context.stroke();
      const text = axisTime(tick, step, range.until);
      if (x + context.measureText(text).width + 3 < plot.x + plot.width + 6) context.fillText(text, x + 3, AXIS / 2 - 1);
    }
  }

  label(row, gutter, focused) {
    const {context} = this;
    const theme = colours();
    context.textAlign = 'left';
    context.fillStyle = focused ? theme.accent : theme.ink;
    context.font = focused ? `bold ${FONT}` : FONT;
    context.fillText((focused ? '▸ ' : '') + row.label, 2, row.y + (row.type === 'lane' ? row.height / 2 : 9), gutter - 6);
    context.font = FONT;
    if (row.type === 'counter') {
      context.fillStyle = theme.soft;
      context.fillText(`0–${row.series.unit === '%' ? `${digits(row.top)} %` : byUnit(row.series.unit).short(row.top)}`, 2, row.y + 25, gutter - 6);
    }
  }

  lane(row, {range}, plot) {
    const {context} = this;
    const theme = colours();
    context.fillStyle = theme.idle;
    context.fillRect(plot.x, row.y, plot.width, row.height);
    const {rects, columns} = shapes(row.lane, range.from, range.to, plot.width);
    this.columns(columns, row, plot);
    for (const rect of rects) {
      const style = this.styles[rect.kind];
      context.fillStyle = style.fill;
      context.fillRect(plot.x + rect.x, row.y, rect.w, row.height);
      if (rect.w >= 3) {
        context.fillStyle = theme.ground;
        context.fillRect(plot.x + rect.x + rect.w - 0.75, row.y, 0.75, row.height);
      }
      if (rect.w > 30) this.name(rect, row, plot, style);
    }
  }

  /**
   * Work from below, stalls on top of it; what is left is idle. Edges are on whole pixels, so that equal
   * neighbours become one rectangle: rectangles cost most.
   */
  columns(columns, row, plot) {
    const used = [...new Set(columns.flatMap(({parts}) => parts.map(([kind]) => kind)))].sort((a, b) => this.styles[b].busy - this.styles[a].busy || a - b);
    const filled = new Float64Array(plot.width + 1);
    for (const kind of used) {
      this.context.fillStyle = this.styles[kind].fill;
      let run = null;
      for (const {x, parts} of columns) {
        const share = parts.find(([own]) => own === kind)?.[1] ?? 0;
        const bottom = row.height - Math.round(filled[x] * row.height);
        filled[x] += share;
        const top = row.height - Math.round(Math.min(1, filled[x]) * row.height);
        if (run && run.x + run.width === x && run.top === top && run.bottom === bottom) {
          ++run.width;
          continue;
        }
        this.block(run, row, plot);
        run = {x, width: 1, top, bottom};
      }
      this.block(run, row, plot);
    }
  }

  block(run, row, plot) {
    if (run && run.bottom > run.top) this.context.fillRect(plot.x + run.x, row.y + run.top, run.width, run.bottom - run.top);
  }

  name(rect, row, plot, style) {
    const {context} = this;
    const theme = colours();
    const text = this.timeline.kinds[rect.kind].name;
    const width = context.measureText(text).width;
    if (width + 8 > rect.w) return;
    const x = plot.x + rect.x + (rect.w - width) / 2;
    context.textAlign = 'left';
    if (!style.busy) {
      context.fillStyle = theme.ground;
      context.fillRect(x - 3, row.y + 3, width + 6, row.height - 6);
    }
    context.fillStyle = style.busy ? theme.ground : theme.ink;
    context.fillText(text, x, row.y + row.height / 2 + 0.5);
  }

  counter(row, {range}, plot) {
    const {context} = this;
    const theme = colours();
    const base = row.y + row.height;
    const y = (level) => base - (level / row.top) * (row.height - 2);
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(plot.x, base + 0.5);
    context.lineTo(plot.x + plot.width, base + 0.5);
    context.stroke();
    const list = levels(row.series, range.from, range.to, plot.width);
    const line = new Path2D();
    const count = list.findIndex((level) => !level);
    const shown = count < 0 ? list : list.slice(0, count);
    if (shown.length === 0) return;
    shown.forEach((level, x) => line.lineTo(plot.x + x + 0.5, y(level.most)));
    const area = new Path2D(line);
    area.lineTo(plot.x + shown.length - 0.5, base);
    area.lineTo(plot.x + 0.5, base);
    context.fillStyle = context.strokeStyle = theme.hues[0];
    context.globalAlpha = 0.28;
    context.fill(area);
    context.globalAlpha = 1;
    context.lineWidth = 1.25;
    context.stroke(line);
    context.lineWidth = 1;
  }

  cursor({range, cursor, mark, selection}, plot) {
    const {context} = this;
    const theme = colours();
    const place = (time) => plot.x + ((time - range.from) / range.length) * plot.width;
    const inside = (x) => Math.max(plot.x, Math.min(plot.x + plot.width, x));
    if (mark) {
      const [left, right] = [inside(place(mark.from)), inside(place(mark.end))];
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      context.strokeRect(left, mark.row.y - 1, Math.max(2, right - left), mark.row.height + 2);
      context.lineWidth = 1;
    }
    if (selection) {
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.18;
      context.fillRect(inside(place(selection[0])), AXIS, inside(place(selection[1])) - inside(place(selection[0])), this.layout.height - AXIS);
      context.globalAlpha = 1;
    }
    if (cursor === null || cursor < range.from || cursor > range.to) return;
    context.strokeStyle = theme.accent;
    context.beginPath();
    context.moveTo(Math.round(place(cursor)) + 0.5, 4);
    context.lineTo(Math.round(place(cursor)) + 0.5, this.layout.height);
    context.stroke();
  }
}
