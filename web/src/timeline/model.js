// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Lanes and counters of a timeline as arrays, and what is in a range of time. Nothing here knows the page.

/** Index of the first element above `limit` in an ascending list. */
export function firstAbove(list, limit) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A lane of the data with its slices as typed arrays: `reach[i]` is the latest end up to slice i. */
export function readLane(raw) {
  const lane = {core: raw.core, name: raw.name, bins: null, slices: null};
  if (raw.bins) {
    lane.bins = {width: raw.bins.width_ns, kinds: raw.bins.kinds, share: raw.bins.share, count: Math.max(0, ...raw.bins.share.map((row) => row.length))};
    return lane;
  }
  const {from_ns: from = [], length_ns: length = [], kind = [], line = []} = raw.slices ?? {};
  const slices = {from: Float64Array.from(from), end: new Float64Array(from.length), reach: new Float64Array(from.length), kind, line, count: from.length, kinds: 0};
  let reach = -Infinity;
  for (let i = 0; i < from.length; ++i) {
    slices.end[i] = from[i] + length[i];
    reach = Math.max(reach, slices.end[i]);
    slices.reach[i] = reach;
    slices.kinds = Math.max(slices.kinds, kind[i] + 1);
  }
  lane.slices = slices;
  return lane;
}

/** First slice that may be visible from `from` on. */
export const firstVisible = (slices, from) => firstAbove(slices.reach, from);

/** Slice or bin of a lane at a time; null where nothing is. A slice has `index`, a bin `shares` by kind. */
export function at(lane, time) {
  if (lane.bins) {
    const {width, kinds, share, count} = lane.bins;
    const index = Math.floor(time / width);
    if (index < 0 || index >= count) return null;
    return {bin: index, from: index * width, end: (index + 1) * width, shares: kinds.map((kind, row) => ({kind, share: share[row][index] ?? 0})).filter((part) => part.share > 0)};
  }
  const {slices} = lane;
  for (let index = firstVisible(slices, time); index < slices.count && slices.from[index] <= time; ++index) {
    if (slices.end[index] > time) return {index, from: slices.from[index], end: slices.end[index], kind: slices.kind[index], line: slices.line[index] ?? 0};
  }
  return null;
}

/** The slice or bin `step` (1 or −1) after the one at `time`; null at the ends. */
export function neighbour(lane, time, step) {
  if (lane.bins) {
    const index = Math.floor(time / lane.bins.width) + step;
    return index < 0 || index >= lane.bins.count ? null : at(lane, (index + 0.5) * lane.bins.width);
  }
  const {from} = lane.slices;
  const here = firstAbove(from, time) - 1;
  const index = here + step;
  if (index < 0 || index >= lane.slices.count) return null;
  return {index, from: from[index], end: lane.slices.end[index], kind: lane.slices.kind[index], line: lane.slices.line[index] ?? 0};
}

/** Time by kind within a range, as a Map; what is left of the range is idle. */
export function usage(lane, from, to) {
  const sums = new Map();
  const add = (kind, amount) => amount > 0 && sums.set(kind, (sums.get(kind) ?? 0) + amount);
  if (lane.bins) {
    const {width, kinds, share, count} = lane.bins;
    const last = Math.min(count - 1, Math.floor(to / width));
    for (let bin = Math.max(0, Math.floor(from / width)); bin <= last; ++bin) {
      const part = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
      kinds.forEach((kind, row) => add(kind, part * (share[row][bin] ?? 0)));
    }
    return sums;
  }
  const {slices} = lane;
  for (let i = firstVisible(slices, from); i < slices.count && slices.from[i] < to; ++i) {
    add(slices.kind[i], Math.min(to, slices.end[i]) - Math.max(from, slices.from[i]));
  }
  return sums;
}

/**
 * What to draw of a lane on `width` pixels: `rects` of slices at least a pixel wide, as {x, w, kind, index},
 * and `columns`, for pixels with shorter ones, as {x, parts: [[kind, share of the pixel], …]}.
 */
export function shapes(lane, from, to, width) {
  return lane.bins ? binShapes(lane.bins, from, to, width) : sliceShapes(lane.slices, from, to, width);
}

function sliceShapes(slices, from, to, width) {
  const scale = width / (to - from);
  const rects = [];
  const {kinds} = slices;
  const sums = new Float64Array((width + 1) * kinds);
  for (let i = firstVisible(slices, from); i < slices.count && slices.from[i] < to; ++i) {
    const left = Math.max(0, (slices.from[i] - from) * scale);
    const right = Math.min(width, (slices.end[i] - from) * scale);
    if (right - left >= 1) {
      rects.push({x: left, w: right - left, kind: slices.kind[i], index: i});
      continue;
    }
    const pixel = Math.floor(left);
    const cut = Math.min(right, pixel + 1);
    sums[pixel * kinds + slices.kind[i]] += cut - left;
    if (right > cut) sums[(pixel + 1) * kinds + slices.kind[i]] += right - cut;
  }
  return {rects, columns: nonZero(sums, kinds)};
}

/** Pixels with a share of any kind. */
function nonZero(sums, kinds) {
  const columns = [];
  for (let place = 0; place < sums.length; ++place) {
    if (sums[place] === 0) continue;
    const x = Math.floor(place / kinds);
    if (columns.length === 0 || columns[columns.length - 1].x !== x) columns.push({x, parts: []});
    columns[columns.length - 1].parts.push([place % kinds, Math.min(1, sums[place])]);
  }
  return columns;
}

function binShapes(bins, from, to, width) {
  const columns = [];
  const step = (to - from) / width;
  for (let x = 0; x < width; ++x) {
    const [left, right] = [from + x * step, from + (x + 1) * step];
    const first = Math.floor(left / bins.width);
    if (first >= bins.count) break;
    const last = Math.max(first, Math.min(bins.count - 1, Math.ceil(right / bins.width) - 1));
    const parts = [];
    bins.kinds.forEach((kind, row) => {
      let sum = 0;
      for (let bin = first; bin <= last; ++bin) sum += bins.share[row][bin] ?? 0;
      if (sum > 0) parts.push([kind, sum / (last - first + 1)]);
    });
    if (parts.length > 0) columns.push({x, parts});
  }
  return {rects: [], columns};
}

/** Value of a counter at a time; null outside. */
export function valueAt(series, time) {
  const index = Math.floor(time / series.width_ns);
  return index < 0 || index >= series.values.length ? null : series.values[index];
}

/** Least and largest value of a counter on each of `width` pixels; null where there is none. */
export function levels(series, from, to, width) {
  const step = (to - from) / width;
  const result = new Array(width).fill(null);
  for (let x = 0; x < width; ++x) {
    const first = Math.floor((from + x * step) / series.width_ns);
    if (first >= series.values.length) break;
    const last = Math.max(first, Math.min(series.values.length - 1, Math.ceil((from + (x + 1) * step) / series.width_ns) - 1));
    let [least, most] = [Infinity, -Infinity];
    for (let bin = Math.max(0, first); bin <= last; ++bin) {
      least = Math.min(least, series.values[bin]);
      most = Math.max(most, series.values[bin]);
    }
    result[x] = {least, most};
  }
  return result;
}

/** The visible range: zooms around a point, moves, never leaves [0, until] or falls below a picosecond or so. */
export class Range {
  constructor(until) {
    this.until = until > 0 ? until : 1;
    this.least = Math.min(this.until, Math.max(1, this.until / 1e7));
    this.reset();
  }

  reset() {
    this.from = 0;
    this.to = this.until;
  }

  get length() {
    return this.to - this.from;
  }

  get isWhole() {
    return this.length >= this.until;
  }

  /** Sets both ends, keeping the length where the range would leave the run. */
  set(from, to) {
    const length = Math.min(this.until, Math.max(this.least, to - from));
    const middle = (from + to) / 2;
    this.from = Math.max(0, Math.min(this.until - length, length === to - from ? from : middle - length / 2));
    this.to = this.from + length;
  }

  /** Makes the range `factor` times as long; `centre` stays where it is. */
  zoom(factor, centre = (this.from + this.to) / 2) {
    const length = Math.min(this.until, Math.max(this.least, this.length * factor));
    const place = (centre - this.from) / this.length;
    this.set(centre - place * length, centre - place * length + length);
  }

  /** Moves by a share of its own length. */
  pan(share) {
    const step = share * this.length;
    this.set(this.from + step, this.to + step);
  }
}

/** Round numbers within a range, about `count` of them, and their distance. */
export function ticks(from, to, count) {
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.9999);
  const list = [];
  for (let i = Math.ceil(from / step - 1e-9) + 0; i * step <= to + step * 1e-9; ++i) list.push(i * step);
  return {list, step};
}

/** The next round number: upper end of a counter's scale; bytes are round in powers of two. */
export function roundUp(value, binary = false) {
  if (!(value > 0)) return 1;
  if (binary) {
    const base = 2 ** Math.floor(Math.log2(value));
    return [1, 1.25, 1.5, 1.75, 2].map((factor) => factor * base).find((candidate) => candidate >= value * 0.9999);
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((candidate) => candidate >= value * 0.9999);
}
