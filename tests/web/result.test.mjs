// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {assumedParameters, bandwidths, configValue, engineParts, peakOfRun, peaks, rooflinePoint, unitOfKey} from '../../web/src/run/result.js';
import {betterOf, firstChoice, parallelColumns, readColumns, tableColumns} from '../../web/src/sweep/columns.js';

const result = {
  time_ns: 1000, mfu: 0.5, cores: [{}, {}],
  workload: {macs: 39321600, flops: 78643200},
  chip: {assumed: ['dma.ring_depth', 'hbm.tcl_ns'], config: {tensor: {rows: 128, columns: 128, clock_ghz: 2.4, fp32_passes: 4, fp8_rate: 2, mxfp8_rate: 0, mxfp4_rate: 0}, dma: {engines: 16, engine_gb_per_s: 23, ring_depth: 64}, hbm: {stack_gb_per_s: 716, tcl_ns: 14}}},
  dma: {gb_per_s: 100, utilization: 0.25},
  hbm: {read_bytes: 3000, write_bytes: 1000, gb_per_s: 4, utilization: null},
  influences: [{path: 'hbm.tcl_ns', value: 14, range: [11.2, 16.8], share: 0.02, simulated: true}],
};

test('peaks cover the types of the chip and the cores used', () => {
  const found = peaks(result);
  assert.deepEqual(found.map(({types}) => types), [['fp8'], ['bf16', 'fp16'], ['tf32', 'fp32']]);
  assert.ok(Math.abs(found[1].peak - 2 * 78.6432) < 1e-9);
});

test('the peak behind the MFU follows from the result', () => {
  assert.equal(peakOfRun(result), 2 * 78.6432);
  assert.equal(peakOfRun({...result, mfu: null}), null);
});

test('bandwidths are those that utilisations refer to', () => {
  assert.deepEqual(bandwidths(result), [{name: 'HBM', rate: 716}, {name: 'DMA engines', rate: 400}]);
});

test('the point of a run is its rate at its FLOP per byte; without traffic there is none', () => {
  assert.deepEqual(rooflinePoint(result), {intensity: 19660.8, tflops: 78.6432});
  assert.equal(rooflinePoint({...result, hbm: {...result.hbm, read_bytes: 0, write_bytes: 0}}), null);
  assert.equal(rooflinePoint({...result, workload: {flops: 0}}), null);
});

test('parts of an engine add up to its time and leave out causes that do not occur', () => {
  const parts = engineParts({elapsed_cycles: 100, busy_cycles: 60, idle_cycles: 10, stall_cycles: {wait_dma: 30, issue: 0}});
  assert.deepEqual(parts.map(({name, share}) => [name, share]), [['busy', 0.6], ['wait_dma', 0.3], ['idle', 0.1]]);
  assert.deepEqual(engineParts({elapsed_cycles: 0, busy_cycles: 0, idle_cycles: 0, stall_cycles: {}}), []);
});

test('assumed numbers carry value, unit and influence, the strongest first', () => {
  const rows = assumedParameters({result});
  assert.deepEqual(rows.map(({path, value, unit, share}) => [path, value, unit, share]), [['hbm.tcl_ns', 14, 'ns', 0.02], ['dma.ring_depth', 64, '', null]]);
  assert.equal(configValue(result.chip.config, 'no.such.key'), undefined);
  assert.equal(unitOfKey('hbm.stack_gb_per_s'), 'GB/s');
});

const sweep = {
  axes: ['params.m', 'chip', 'set.fixed'],
  columns: [{name: 'status'}, {name: 'time_ns', unit: 'ns'}, {name: 'mfu'}, {name: 'energy_total_pj', unit: 'pJ'}, {name: 'params'}, {name: 'kernels'}],
  rows: [[1, 'trn1', 2, 'done', 100, 0.5, 7, 'm=1', 1], [2, 'trn2', 2, 'done', 200, 0.6, 8, 'm=2', 1], [3, 'trn2', 2, 'refused', null, null, null, 'm=3', null]],
};

test('columns know whether they are axes and numbers', () => {
  const columns = readColumns(sweep);
  assert.deepEqual(columns.filter(({axis}) => axis).map(({label}) => label), ['m', 'chip', 'fixed']);
  assert.deepEqual(columns.filter(({numeric}) => numeric).map(({name}) => name), ['params.m', 'set.fixed', 'time_ns', 'mfu', 'energy_total_pj', 'kernels']);
  assert.equal(columns.find(({name}) => name === 'mfu').quantity.short(0.5), '50.0 %');
});

test('the first scatter is energy over time; more utilisation is better', () => {
  const {x, y} = firstChoice(readColumns(sweep));
  assert.deepEqual([x.name, y.name, betterOf(x), betterOf({name: 'mfu'})], ['time_ns', 'energy_total_pj', 'least', 'most']);
});

test('parallel coordinates and table leave out what never changes', () => {
  assert.deepEqual(parallelColumns(readColumns(sweep)).map(({name}) => name), ['params.m', 'chip', 'time_ns', 'mfu', 'energy_total_pj']);
  assert.deepEqual(tableColumns(readColumns(sweep)).map(({name}) => name), ['params.m', 'chip', 'set.fixed', 'status', 'time_ns', 'mfu', 'energy_total_pj']);
});
