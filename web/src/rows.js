// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Rows of a table: order, filters, Pareto fronts. Nothing here knows the page.
import {number} from './format.js';

/** Numbers of `rows` in the order of a column: numbers by size, texts by name, empty cells last; stable. */
export function sorted(rows, indices, column, descending) {
  const sign = descending ? -1 : 1;
  return [...indices].sort((a, b) => {
    const [left, right] = [rows[a][column], rows[b][column]];
    const empty = (cell) => cell === null || cell === undefined || cell === '';
    if (empty(left) || empty(right)) return empty(left) - empty(right) || a - b;
    const [x, y] = [number(left), number(right)];
    if (x !== null && y !== null) return sign * (x - y) || a - b;
    return sign * String(left).localeCompare(String(right), 'en', {numeric: true}) || a - b;
  });
}

const COMPARE = {
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '=': (a, b) => a === b, '!=': (a, b) => a !== b,
};

/**
 * Reads a filter: `COLUMN < NUMBER` (also <= > >= = !=), joined by `and`, or words that must all occur in a
 * row. Returns {test, problem}; with a problem every row passes.
 */
export function matcher(text, columns) {
  const pass = {test: () => true, problem: null};
  if (!text.trim()) return pass;
  const parts = text.split(/\s+and\s+/i).map((part) => /^\s*([\w.\- ]+?)\s*(<=|>=|!=|=|<|>)\s*(.+?)\s*$/.exec(part));
  if (parts.some((part) => part === null)) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return {test: (row) => words.every((word) => row.some((cell) => String(cell ?? '').toLowerCase().includes(word))), problem: null};
  }
  const tests = [];
  for (const [, name, sign, operand] of parts) {
    const column = columns.findIndex((candidate) => candidate.name === name);
    if (column < 0) return {...pass, problem: `No column is called ${name}`};
    const limit = number(operand);
    if (limit === null && sign !== '=' && sign !== '!=') return {...pass, problem: `${operand} is not a number`};
    tests.push((row) => {
      const cell = row[column];
      if (limit === null) return COMPARE[sign](String(cell ?? ''), operand);
      const left = number(cell);
      return left !== null && COMPARE[sign](left, limit);
    });
  }
  return {test: (row) => tests.every((one) => one(row)), problem: null};
}

/**
 * Indices of the points that no other point beats in both coordinates, in the order of x. `better` are
 * 'least' or 'most' for x and y. Points without a number are left out; of equal points the first is taken.
 */
export function paretoFront(points, better = ['least', 'least']) {
  const sign = better.map((word) => (word === 'most' ? -1 : 1));
  const usable = points.map(([x, y], index) => ({x: number(x), y: number(y), index})).filter(({x, y}) => x !== null && y !== null);
  usable.sort((a, b) => sign[0] * (a.x - b.x) || sign[1] * (a.y - b.y) || a.index - b.index);
  const front = [];
  let best = Infinity;
  for (const point of usable) {
    if (sign[1] * point.y < best) {
      best = sign[1] * point.y;
      front.push(point.index);
    }
  }
  return front;
}
