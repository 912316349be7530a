// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {matcher, paretoFront, sorted} from '../../web/src/rows.js';

const rows = [['b', 10], ['a', 9], ['c', null], ['a10', '100'], ['a9', 9]];
const all = rows.map((_, index) => index);

test('numbers sort by size, also those written as text; empty cells come last in both directions', () => {
  assert.deepEqual(sorted(rows, all, 1, false), [1, 4, 0, 3, 2]);
  assert.deepEqual(sorted(rows, all, 1, true), [3, 0, 1, 4, 2]);
});

test('texts sort by name, with numbers inside by size', () => {
  assert.deepEqual(sorted(rows, all, 0, false), [1, 4, 3, 0, 2]);
});

const columns = [{name: 'kernel'}, {name: 'time_ns'}];
const passing = (text) => all.filter((index) => matcher(text, columns).test(rows[index]));

test('words filter by any cell', () => {
  assert.deepEqual(passing(''), all);
  assert.deepEqual(passing('a9'), [4]);
  assert.deepEqual(passing('A 100'), [3]);
});

test('comparisons filter by a column and join with and', () => {
  assert.deepEqual(passing('time_ns < 10'), [1, 4]);
  assert.deepEqual(passing('time_ns>=10'), [0, 3]);
  assert.deepEqual(passing('time_ns = 9 and kernel = a'), [1]);
  assert.deepEqual(passing('kernel != a'), [0, 2, 3, 4]);
});

test('a filter with a mistake says so and hides nothing', () => {
  assert.equal(matcher('tme < 3', columns).problem, 'No column is called tme');
  assert.equal(matcher('time_ns < x', columns).problem, 'x is not a number');
  assert.deepEqual(passing('tme < 3'), all);
});

/** The definition, for comparison: no other point is at least as good in both and better in one. */
function frontByDefinition(points, [x, y]) {
  const worth = points.map(([a, b]) => [x === 'most' ? -a : a, y === 'most' ? -b : b]);
  const beats = (p, q) => p[0] <= q[0] && p[1] <= q[1] && (p[0] < q[0] || p[1] < q[1]);
  return worth.filter((p) => !worth.some((q) => beats(q, p))).map(String).sort();
}

test('the Pareto front is the one of the definition, in every direction', () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) % 20;
  for (let round = 0; round < 50; ++round) {
    const points = Array.from({length: 30}, () => [random(), random()]);
    for (const better of [['least', 'least'], ['most', 'least'], ['least', 'most'], ['most', 'most']]) {
      const front = paretoFront(points, better).map((index) => points[index].map((value, place) => (better[place] === 'most' ? -value : value)));
      assert.deepEqual(front.map(String).sort(), [...new Set(frontByDefinition(points, better))]);
    }
  }
});

test('points without a number are not on the front', () => {
  assert.deepEqual(paretoFront([[1, null], [2, 5], ['', 1], [3, 4]]), [1, 3]);
  assert.deepEqual(paretoFront([]), []);
});
