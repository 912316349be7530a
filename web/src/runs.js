// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What several runs have in common and where one is best. Nothing here knows the page.
import {number} from './format.js';

/** Place of the best value, where one is better than all others; −1 if none is. */
export function bestOf(values, direction) {
  const numbers = values.map(number);
  if (numbers.some((one) => one === null) || numbers.length < 2) return -1;
  const best = direction === 'most' ? Math.max(...numbers) : Math.min(...numbers);
  return numbers.filter((one) => one === best).length === 1 ? numbers.indexOf(best) : -1;
}

/** Parameters with other values in some of the runs, and the rest as one text. */
export function splitParameters(results) {
  const params = results.map(({workload}) => workload.params ?? {});
  const keys = [...new Set(params.flatMap(Object.keys))];
  const same = (key) => new Set(params.map((one) => one[key])).size === 1;
  return {different: keys.filter((key) => !same(key)), common: keys.filter(same).map((key) => `${key}=${params[0][key]}`).join(' ')};
}

/** Names without the words that all begin with, for narrow labels. */
export function shortNames(names) {
  const words = names.map((name) => name.split(' '));
  let same = 0;
  while (words.every((list) => same < list.length - 1 && list[same] === words[0][same])) ++same;
  return words.map((list) => list.slice(same).join(' ').replace(/^\((.*)\)$/, '$1'));
}
