// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {at, firstAbove, levels, neighbour, Range, readLane, roundUp, shapes, ticks, usage, valueAt} from '../../web/src/timeline/model.js';

const slices = {core: 0, name: 'tensor', slices: {from_ns: [0, 10, 40], length_ns: [10, 20, 5], kind: [0, 1, 0], line: [3, 4, 0]}};
const bins = {core: 0, name: 'vector', bins: {width_ns: 10, kinds: [2, 0], share: [[0.5, 1, 0], [0.25, 0, 0]]}};
const sumOf = (shape) => shape.rects.reduce((sum, {w}) => sum + w, 0) + shape.columns.reduce((sum, {parts}) => sum + parts.reduce((a, [, b]) => a + b, 0), 0);

test('a search finds the first element above a limit', () => {
  assert.equal(firstAbove([1, 3, 3, 5], 3), 3);
  assert.equal(firstAbove([1, 3, 3, 5], 0), 0);
  assert.equal(firstAbove([], 0), 0);
});

test('a slice reaches from its start to before its end', () => {
  const lane = readLane(slices);
  assert.equal(at(lane, 9.99).index, 0);
  assert.deepEqual(at(lane, 10), {index: 1, from: 10, end: 30, kind: 1, line: 4});
  assert.equal(at(lane, 30), null);
  assert.equal(at(lane, 45), null);
});

test('an earlier slice that reaches further is found', () => {
  const lane = readLane({core: 0, name: 'ring', slices: {from_ns: [0, 5, 20], length_ns: [30, 2, 1], kind: [0, 0, 0], line: [0, 0, 0]}});
  assert.equal(at(lane, 25).index, 0);
  assert.equal(shapes(lane, 22, 24, 10).rects.length, 1);
});

test('a bin tells the shares that are not zero', () => {
  const lane = readLane(bins);
  assert.deepEqual(at(lane, 3).shares, [{kind: 2, share: 0.5}, {kind: 0, share: 0.25}]);
  assert.equal(at(lane, 30), null);
});

test('next and previous go from slice to slice and stop at the ends', () => {
  const lane = readLane(slices);
  assert.equal(neighbour(lane, 0, 1).index, 1);
  assert.equal(neighbour(lane, 35, 1).index, 2);
  assert.equal(neighbour(lane, 40, 1), null);
  assert.equal(neighbour(lane, 0, -1), null);
  assert.equal(neighbour(readLane(bins), 5, 1).bin, 1);
});

test('time by kind is exact within a range, of slices and of bins', () => {
  assert.deepEqual([...usage(readLane(slices), 5, 42)], [[0, 7], [1, 20]]);
  assert.deepEqual([...usage(readLane(bins), 5, 20)], [[2, 12.5], [0, 1.25]]);
});

test('drawing keeps the time: pixels add up to the slices at every zoom', () => {
  const from = Array.from({length: 20000}, (_, i) => i * 3);
  const lane = readLane({core: 0, name: 'x', slices: {from_ns: from, length_ns: from.map((_, i) => (i % 5 === 0 ? 3 : 1)), kind: from.map((_, i) => i % 2), line: []}});
  for (const [left, right] of [[0, 60000], [1000, 9000], [30000, 30050]]) {
    const exact = [...usage(lane, left, right).values()].reduce((a, b) => a + b, 0);
    const drawn = (sumOf(shapes(lane, left, right, 1000)) / 1000) * (right - left);
    assert.ok(Math.abs(drawn - exact) < exact * 1e-6, `${drawn} instead of ${exact}`);
  }
});

test('drawing works on what is visible only', () => {
  const from = Array.from({length: 20000}, (_, i) => i * 10);
  const lane = readLane({core: 0, name: 'x', slices: {from_ns: from, length_ns: from.map(() => 10), kind: from.map(() => 0), line: []}});
  assert.equal(shapes(lane, 1000, 1100, 800).rects.length, 10);
});

test('bins that share a pixel are averaged', () => {
  const {columns} = shapes(readLane(bins), 0, 20, 1);
  assert.deepEqual(columns[0].parts, [[2, 0.75], [0, 0.125]]);
});

test('counters have a value in each bin and none outside', () => {
  const series = {width_ns: 10, values: [1, 5, 3]};
  assert.equal(valueAt(series, 10), 5);
  assert.equal(valueAt(series, 30), null);
  assert.equal(valueAt(series, -1), null);
  assert.deepEqual(levels(series, 0, 40, 4), [{least: 1, most: 1}, {least: 5, most: 5}, {least: 3, most: 3}, null]);
  assert.deepEqual(levels(series, 0, 30, 1), [{least: 1, most: 5}]);
});

test('zooming leaves the point under the cursor where it is', () => {
  const range = new Range(1000);
  range.zoom(0.5, 250);
  assert.deepEqual([range.from, range.to], [125, 625]);
});

test('a range never leaves the run, whatever is asked', () => {
  const range = new Range(1000);
  range.zoom(0.1, 0);
  range.pan(-5);
  assert.deepEqual([range.from, range.to], [0, 100]);
  range.pan(50);
  assert.deepEqual([range.from, range.to], [900, 1000]);
  range.zoom(1000);
  assert.ok(range.isWhole);
  for (let i = 0; i < 200; ++i) range.zoom(0.5, 333);
  assert.ok(range.length >= range.least && range.from <= 333 && range.to >= 333);
});

test('ticks are round and within the range', () => {
  assert.deepEqual(ticks(0, 100, 5), {list: [0, 20, 40, 60, 80, 100], step: 20});
  assert.deepEqual(ticks(13, 27, 3).list, [15, 20, 25]);
  assert.equal(ticks(0.3, 0.4, 4).list.length, 2 + 1);
});

test('scales end at the next round number; bytes in powers of two', () => {
  assert.equal(roundUp(368), 400);
  assert.equal(roundUp(0), 1);
  assert.equal(roundUp(4194304, true), 4194304);
  assert.equal(roundUp(4194305 + 1e6, true), 4194304 * 1.25);
});
