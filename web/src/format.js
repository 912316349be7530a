// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Numbers as people read them, three significant digits, and exactly. A missing number is a dash.

const MISSING = '–';

/** Number of a JSON value: counts above 2^53 are texts there. Null if there is none. */
export function number(value) {
  if (value === null || value === undefined || value === '') return null;
  const result = Number(value);
  return Number.isFinite(result) ? result : null;
}

/** Three significant digits with thousands separators: 0.0123, 1.23, 12.3, 123, 1,234. */
export function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 999.5) return grouped(Math.round(value));
  if (size < 1e-4) return value.toExponential(2);
  const decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3 - Math.ceil(Math.log10(size));
  return value.toFixed(Math.max(0, Math.min(8, decimals)));
}

/** Whole numbers and texts of digits with thousands separators. */
export function grouped(value) {
  const [whole, rest] = String(value).split('.');
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',') + (rest === undefined ? '' : `.${rest}`);
}

function scaled(value, steps) {
  const size = Math.abs(value);
  const [factor, unit] = steps.find(([least]) => size >= least * 0.9995) ?? steps[steps.length - 1];
  return `${digits(value / factor)} ${unit}`;
}

const TIME = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns'], [1e-3, 'ps']];
const BYTES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];
const ENERGY = [[1e12, 'J'], [1e9, 'mJ'], [1e6, 'µJ'], [1e3, 'nJ'], [1, 'pJ']];
const COUNT = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

/** Ways to print a quantity: `short` for people, `exact` with all digits and the unit of the file. */
function quantity(unit, short) {
  return {
    unit,
    short: (value) => (number(value) === null ? MISSING : short(number(value))),
    exact: (value) => (number(value) === null ? 'no value' : `${grouped(value)}${unit ? ` ${unit}` : ''}`),
  };
}

export const time = quantity('ns', (value) => (value === 0 ? '0 ns' : scaled(value, TIME)));
export const bytes = quantity('B', (value) => (value === 0 ? '0 B' : scaled(value, BYTES)));
export const energy = quantity('pJ', (value) => (value === 0 ? '0 J' : scaled(value, ENERGY)));
export const rate = quantity('GB/s', (value) => `${digits(value)} GB/s`);
export const power = quantity('W', (value) => `${digits(value)} W`);
export const tflops = quantity('TFLOP/s', (value) => `${digits(value)} TFLOP/s`);
export const clock = quantity('GHz', (value) => `${digits(value)} GHz`);
export const count = quantity('', (value) => (Number.isInteger(value) ? grouped(value) : digits(value)));
export const cycles = quantity('cycles', (value) => grouped(Math.round(value)));
export const plain = quantity('', digits);
/** A share from 0 to 1 as per cent. */
export const share = {
  unit: '',
  short: (value) => (number(value) === null ? MISSING : `${percent(number(value))} %`),
  exact: (value) => (number(value) === null ? 'no value' : String(value)),
};

/** Per cent without its sign, one decimal as the report on the terminal has it. */
export const percent = (value) => (value * 100).toFixed(1);

/** Axis labels: 1.5k, 20M. */
export const compact = (value) => (value === 0 ? '0' : Math.abs(value) < 1000 ? String(Number(value.toPrecision(3))) : scaledRound(value));

function scaledRound(value) {
  const [factor, unit] = COUNT.find(([least]) => Math.abs(value) >= least);
  return `${Number((value / factor).toPrecision(3))}${unit}`;
}

const UNITS = {ns: time, B: bytes, pJ: energy, 'GB/s': rate, W: power, 'TFLOP/s': tflops, cycles, GHz: clock};

/** How to print values of a unit of the result file; unknown units are kept as they are. */
export function byUnit(unit) {
  return UNITS[unit] ?? (unit === '%' ? quantity('%', (value) => `${value.toFixed(1)} %`) : quantity(unit ?? '', (value) => (unit ? `${digits(value)} ${unit}` : digits(value))));
}
