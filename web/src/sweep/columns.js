// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Columns of a sweep: axes first, then results; which of them are numbers, and which to start with.
import {byUnit, number, plain, share} from '../format.js';

const SHARES = /^(mfu|array_utilization|array_busy)$|utilization$|_rate$/;

/** {name, label, quantity, axis, numeric} for each column of the rows. */
export function readColumns(sweep) {
  const columns = [...sweep.axes.map((axis) => (typeof axis === 'string' ? {name: axis, axis: true} : {...axis, axis: true})), ...sweep.columns.map((column) => (typeof column === 'string' ? {name: column} : column))];
  return columns.map((column, index) => {
    const values = sweep.rows.map((row) => row[index]).filter((cell) => cell !== null && cell !== undefined && cell !== '');
    const numeric = values.length > 0 && values.every((cell) => number(cell) !== null);
    const quantity = !numeric ? null : column.axis ? plainAxis : SHARES.test(column.name) ? share : byUnit(column.unit ?? '');
    return {...column, index, numeric, quantity, distinct: new Set(values.map(String)).size, label: column.name.replace(/^(params|set)\./, '')};
  });
}

/** Axis values as they were written: 0.96, 1024. */
const plainAxis = {...plain, short: (value) => String(value)};

/** Two columns for the first scatter: time, and energy or what else is a result. */
export function firstChoice(columns) {
  const numeric = columns.filter((column) => column.numeric && !column.axis);
  const x = numeric.find(({name}) => name === 'time_ns') ?? numeric[0] ?? columns.find(({numeric: yes}) => yes);
  const y = numeric.find((column) => column !== x && /energy.*total_pj|total_pj|energy/.test(column.name)) ?? numeric.find((column) => column !== x) ?? x;
  return {x, y};
}

/** Whether more of it is better. */
export const betterOf = (column) => (/^(tflops|mfu|array_utilization|array_busy)$|gb_per_s|utilization$|hit_rate/.test(column.name) ? 'most' : 'least');

/** Axes that change and the results that matter, for the parallel coordinates. */
export function parallelColumns(columns) {
  const axes = columns.filter(({axis, distinct}) => axis && distinct > 1).slice(0, 6);
  const results = ['time_ns', 'mfu', 'array_utilization', 'energy.total_pj', 'energy_total_pj', 'power.average_w', 'average_w', 'hbm.gb_per_s', 'dma.gb_per_s'];
  const found = results.map((name) => columns.find((column) => column.name === name)).filter((column) => column?.numeric && column.distinct > 1);
  const others = columns.filter((column) => !column.axis && column.numeric && column.distinct > 1 && !found.includes(column));
  return [...axes, ...found, ...others].slice(0, Math.max(3, axes.length + 4));
}

const FIRST = ['status', 'time_ns', 'cycles', 'tflops', 'mfu', 'array_utilization', 'array_busy', 'bottleneck', 'energy_total_pj', 'average_w', 'hbm_gb_per_s', 'hbm_utilization', 'dma_gb_per_s', 'dma_utilization', 'sbuf_peak_bytes', 'psum_peak_bytes', 'hbm_row_hit_rate', 'truncated', 'error'];
const MOST = 24;

/** Columns of the table: axes, then what people look at first, then others that change; not texts that repeat the axes. */
export function tableColumns(columns) {
  const axes = columns.filter(({axis}) => axis);
  const first = FIRST.map((name) => columns.find((column) => column.name === name && !column.axis)).filter((column) => column && column.distinct > 0);
  const others = columns.filter((column) => !column.axis && !first.includes(column) && column.numeric && column.distinct > 1);
  return [...axes, ...first, ...others].slice(0, Math.max(MOST, axes.length + 8));
}
