// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {byUnit, bytes, compact, count, cycles, digits, energy, grouped, number, share, time} from '../../web/src/format.js';

test('three significant digits in every range', () => {
  const seen = [0.00123, 0.0123, 0.123, 1.234, 9.996, 12.34, 99.96, 123.4, 999.4, 999.6, 1234.4].map(digits);
  assert.deepEqual(seen, ['0.00123', '0.0123', '0.123', '1.23', '10.0', '12.3', '100', '123', '999', '1,000', '1,234']);
});

test('times take the largest unit that leaves at least one', () => {
  assert.equal(time.short(0), '0 ns');
  assert.equal(time.short(0.5), '500 ps');
  assert.equal(time.short(999.4), '999 ns');
  assert.equal(time.short(999.6), '1.00 µs');
  assert.equal(time.short(36070.903), '36.1 µs');
  assert.equal(time.short(1.79e6), '1.79 ms');
  assert.equal(time.short(2.5e9), '2.50 s');
});

test('bytes are binary, energies decimal', () => {
  assert.equal(bytes.short(1024), '1.00 KiB');
  assert.equal(bytes.short(4194304), '4.00 MiB');
  assert.equal(bytes.short(1023), '1,023 B');
  assert.equal(energy.short(5006465314.4), '5.01 mJ');
  assert.equal(energy.short(0), '0 J');
});

test('exact values keep all digits and the unit of the file', () => {
  assert.equal(time.exact(36070.903), '36,070.903 ns');
  assert.equal(count.exact('9007199254740993'), '9,007,199,254,740,993');
  assert.equal(share.exact(0.757027530297058), '0.757027530297058');
});

test('what is no number is a dash and never zero', () => {
  for (const quantity of [time, bytes, energy, share, count]) {
    assert.equal(quantity.short(null), '–');
    assert.equal(quantity.exact(undefined), 'no value');
  }
  assert.equal(number(''), null);
  assert.equal(number('1e3'), 1000);
  assert.equal(number('trn2'), null);
});

test('counts are whole, with separators', () => {
  assert.equal(count.short(155648), '155,648');
  assert.equal(cycles.short(86571), '86,571');
  assert.equal(grouped('-1234.5678'), '-1,234.5678');
});

test('axis labels are short', () => {
  assert.deepEqual([0, 0.5, 10, 1000, 1500, 2e6].map(compact), ['0', '0.5', '10', '1k', '1.5k', '2M']);
});

test('an unknown unit stays beside its number', () => {
  assert.equal(byUnit('pJ/B').short(7.5), '7.50 pJ/B');
  assert.equal(byUnit('%').short(71.42857), '71.4 %');
  assert.equal(byUnit('').short(3), '3.00');
});
