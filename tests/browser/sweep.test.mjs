// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {close, documentOf, drawAll, open} from './browser.mjs';

const {sweep} = documentOf('sweep.html');
const names = [...sweep.axes.map((axis) => axis.name ?? axis), ...sweep.columns.map(({name}) => name)];
const column = (name) => sweep.rows.map((row) => row[names.indexOf(name)]);
const has = (value) => value !== null && value !== '';

async function shown(page, name) {
  const place = await page.locator('#points thead th button').evaluateAll((buttons, wanted) => buttons.findIndex(({title}) => title === wanted), name);
  return page.locator('#points tbody tr').evaluateAll((rows, index) => rows.map((row) => row.cells[index].querySelector('data')?.value ?? row.cells[index].textContent), place);
}
const head = (page, name) => page.locator(`#points thead th:has(button[title="${name}"])`);

test('a sweep says how many points it has and how many failed', async () => {
  const page = await open('sweep.html');
  assert.ok(sweep.failed > 0, 'the sweep of this test has failures');
  const text = await page.locator('#summary').textContent();
  assert.ok(text.includes(`${sweep.rows.length} points`) && text.includes(`${sweep.failed} points have no result`), text);
  await drawAll(page);
  await close(page);
});

test('a column sorts by mouse, both ways', async () => {
  const page = await open('sweep.html');
  const times = column('time_ns').filter(has).map(Number).sort((a, b) => a - b);
  await head(page, 'time_ns').getByRole('button').click();
  assert.equal(await head(page, 'time_ns').getAttribute('aria-sort'), 'ascending');
  assert.deepEqual((await shown(page, 'time_ns')).filter(has).map(Number), times.slice(0, 50));
  await head(page, 'time_ns').getByRole('button').click();
  assert.equal(await head(page, 'time_ns').getAttribute('aria-sort'), 'descending');
  assert.deepEqual((await shown(page, 'time_ns')).filter(has).map(Number), times.reverse().slice(0, 50));
  await close(page);
});

test('a column sorts by keyboard', async () => {
  const page = await open('sweep.html');
  await head(page, 'params.m').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  assert.equal(await head(page, 'params.m').getAttribute('aria-sort'), 'descending');
  const values = (await shown(page, 'params.m')).map(Number);
  assert.deepEqual(values, [...values].sort((a, b) => b - a));
  await close(page);
});

test('rows are filtered by text and by comparison', async () => {
  const page = await open('sweep.html');
  const filter = page.getByLabel('Filter rows');
  await filter.fill('fp32');
  assert.ok((await shown(page, 'params.dtype')).every((text) => text === 'fp32'));
  await filter.fill('params.m = 512 and time_ns > 0');
  const expected = sweep.rows.filter((row) => Number(row[names.indexOf('params.m')]) === 512 && has(row[names.indexOf('time_ns')])).length;
  assert.equal((await shown(page, 'params.m')).length, expected);
  await filter.fill('no_such_column > 1');
  assert.match(await page.locator('#points').textContent(), /No column is called no_such_column/);
  await close(page);
});

test('the Pareto front of the chosen columns is that of the rows', async () => {
  const page = await open('sweep.html');
  await page.getByLabel('Up', {exact: true}).selectOption('mfu');
  assert.equal(await page.getByLabel('Up: better').inputValue(), 'most');
  await page.locator('#pareto details.numbers summary').click();
  await page.locator('#pareto details.numbers tbody tr').first().waitFor();
  const listed = await page.locator('#pareto details.numbers tbody tr').count();
  const points = column('time_ns').map((time, index) => [time, column('mfu')[index]]).filter(([time, mfu]) => has(time) && has(mfu)).map((pair) => pair.map(Number));
  const front = points.filter(([time, mfu]) => !points.some(([t, u]) => t <= time && u >= mfu && (t < time || u > mfu)));
  assert.equal(listed, new Set(front.map(String)).size);
  await close(page);
});

test('the points of the scatter are read out by keys, the front first', async () => {
  const page = await open('sweep.html');
  await page.locator('#pareto .chart').focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await page.locator('#pareto .readout').textContent(), /^Pareto front, .*m=/);
  await close(page);
});

test('a brush on the parallel coordinates filters the table, and can be undone', async () => {
  const page = await open('sweep.html');
  await page.locator('#parallel').scrollIntoViewIfNeeded();
  await drawAll(page);
  const box = await page.locator('#parallel .chart').boundingBox();
  await page.mouse.move(box.x + 60, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 130, {steps: 6});
  await page.mouse.up();
  await page.waitForFunction(() => /chosen/.test(document.querySelector('#parallel .tools').textContent));
  assert.deepEqual([...new Set(await shown(page, 'params.m'))], ['512']);
  await page.getByRole('button', {name: 'Show all points'}).click();
  assert.ok(new Set(await shown(page, 'params.m')).size > 1);
  await close(page);
});
