// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {bestOf, shortNames, splitParameters} from '../../web/src/runs.js';

test('the best is the one value better than all others', () => {
  assert.equal(bestOf([3, 1, 2], 'least'), 1);
  assert.equal(bestOf([3, 1, 2], 'most'), 0);
  assert.equal(bestOf([1, 1, 2], 'least'), -1, 'two are as good');
  assert.equal(bestOf([1, null], 'least'), -1, 'one has no value');
  assert.equal(bestOf([1], 'least'), -1, 'one run alone');
});

test('parameters part into those that differ and those that do not', () => {
  const results = [{workload: {params: {m: '1', k: '2'}}}, {workload: {params: {m: '1', k: '3', extra: 'x'}}}];
  assert.deepEqual(splitParameters(results), {different: ['k', 'extra'], common: 'm=1'});
  assert.deepEqual(splitParameters([{workload: {}}, {workload: {}}]), {different: [], common: ''});
});

test('short names leave out the words that all begin with', () => {
  assert.deepEqual(shortNames(['matmul on trn2 (naive.json)', 'matmul on trn2 (fast.json)']), ['naive.json', 'fast.json']);
  assert.deepEqual(shortNames(['matmul on trn1', 'softmax on trn1']), ['matmul on trn1', 'softmax on trn1']);
  assert.deepEqual(shortNames(['matmul on trn1']), ['trn1']);
});
