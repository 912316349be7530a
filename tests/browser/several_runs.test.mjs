// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {close, documentOf, drawAll, json, open} from './browser.mjs';

const CHIPS = ['trn1', 'trn2', 'trn4-projected'];
const results = CHIPS.map((chip) => json(`${chip}.json`));

async function rows(page) {
  const list = await page.locator('#compare tbody tr').evaluateAll((trs) => trs.map((tr) => [...tr.cells].map((cell) => ({text: cell.textContent, value: cell.querySelector('data')?.value ?? null}))));
  return new Map(list.map(([head, ...cells]) => [head.text, cells]));
}

test('runs stand side by side with the values of their results', async () => {
  const page = await open('several.html');
  const found = await rows(page);
  assert.deepEqual(found.get('Device time').map(({value}) => Number(value)), results.map(({time_ns: time}) => time));
  assert.deepEqual(found.get('MFU').map(({value}) => Number(value)), results.map(({mfu}) => mfu));
  assert.deepEqual(found.get('Bottleneck').map(({text}) => text), results.map(({bottleneck}) => bottleneck.resource));
  assert.ok(found.get('Chip')[2].text.includes('PROJECTED'));
  await drawAll(page);
  await close(page);
});

test('the best value is marked in words, and cycles of different clocks are not compared', async () => {
  const page = await open('several.html');
  const found = await rows(page);
  const best = (name) => found.get(name).map(({text}) => /best$/.test(text));
  const times = results.map(({time_ns: time}) => time);
  assert.deepEqual(best('Device time'), times.map((time) => time === Math.min(...times)));
  assert.deepEqual(best('Tensor cycles'), [false, false, false]);
  assert.match(await page.locator('#compare').textContent(), /compare times, not cycles/);
  await close(page);
});

test('details of each run can be chosen, by keyboard too', async () => {
  const page = await open('several.html');
  const names = documentOf('several.html').runs.map(({name}) => name);
  assert.equal(new Set(names).size, 3);
  const choice = page.getByLabel('Details of');
  assert.deepEqual(await choice.locator('option').allTextContents(), names);
  await choice.selectOption({index: 1});
  assert.equal(Number(await page.locator('[data-field="time_ns"]').getAttribute('value')), results[1].time_ns);
  await choice.focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(Number(await page.locator('[data-field="time_ns"]').getAttribute('value')), results[2].time_ns);
  await drawAll(page);
  await close(page);
});

test('a page made from a result says that it has no timeline', async () => {
  const page = await open('untimed.html');
  assert.match(await page.locator('section', {has: page.locator('h2:text-is("Timeline")')}).textContent(), /no timeline/);
  await close(page);
});
