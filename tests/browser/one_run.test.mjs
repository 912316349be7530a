// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {changed, close, documentOf, drawAll, json, open} from './browser.mjs';

const at = (object, path) => path.split('.').reduce((node, key) => node[key], object);

test('the page of a run opens without errors and asks for nothing', async () => {
  const page = await open('one.html');
  await drawAll(page);
  assert.match(await page.title(), /matmul/);
  assert.equal(await page.locator('main section h2').first().textContent(), 'Summary');
  await close(page);
});

test('the result in the page is that of the result file', () => {
  const [inPage, inFile] = [documentOf('one.html').runs[0].result, json('one.json')];
  for (const result of [inPage, inFile]) for (const key of ['run_info', 'command']) delete result[key];
  assert.deepEqual(inPage, inFile);
});

test('figures of the summary are exactly those of the result', async () => {
  const result = json('one.json');
  const page = await open('one.html');
  const fields = await page.locator('[data-field]').evaluateAll((list) => list.map((one) => [one.dataset.field, one.value]));
  assert.ok(fields.length >= 8, `${fields.length} figures`);
  for (const [field, text] of fields) assert.equal(Number(text), Number(at(result, field)), field);
  assert.ok((await page.locator('.verdict').textContent()).includes(result.bottleneck.sentence));
  await close(page);
});

test('figures read as on the terminal', async () => {
  const page = await open('one.html');
  const microseconds = json('one.json').time_ns / 1000;
  assert.equal(await page.locator('[data-field="time_ns"]').textContent(), `${microseconds.toPrecision(3)} µs`);
  await close(page);
});

test('tables below the charts have the numbers of the result', async () => {
  const result = json('one.json');
  const page = await open('one.html');
  const rowsOf = async (title) => {
    const part = page.locator('section', {has: page.locator(`h2:text-is("${title}")`)});
    await part.locator('details.numbers summary').click();
    await part.locator('details.numbers tbody tr').first().waitFor();  // filled when it opens
    return part.locator('details.numbers tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.querySelector('data')?.value ?? cell.textContent)));
  };
  const engines = await rowsOf('Engines: busy, stalled, idle');
  for (const [name, ...cells] of engines) {
    const {elapsed_cycles: elapsed, busy_cycles: busy} = result.engines[name.split(' ')[0]];
    assert.equal(Number(cells[0]), busy);
    assert.equal(cells.reduce((sum, cell) => sum + Number(cell), 0), elapsed, `${name} adds up`);
  }
  const bounds = await rowsOf('Lower bounds by resource');
  assert.deepEqual(bounds.map(([name]) => name).sort(), Object.keys(result.bottleneck.bounds_ns).sort());
  const energy = await rowsOf('Energy by component');
  assert.equal(energy.length, Object.keys(result.energy.components).length);
  const roofline = await rowsOf('Roofline');
  assert.ok(roofline.some(([name, peak]) => /bf16/.test(name) && peak === '78.6 TFLOP/s'), JSON.stringify(roofline));
  await close(page);
});

test('all assumed numbers are listed', async () => {
  const page = await open('one.html');
  const part = page.locator('section', {has: page.locator('h2:text-is("Assumed numbers")')});
  assert.deepEqual((await part.locator('tbody th').allTextContents()).sort(), [...json('one.json').chip.assumed].sort());
  await close(page);
});

test('a chart steps from point to point by arrow keys and reads them out', async () => {
  const page = await open('one.html');
  const part = page.locator('section', {has: page.locator('h2:text-is("Engines: busy, stalled, idle")')});
  await part.locator('.chart').focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await part.locator('.readout').textContent(), /^tensor, busy: \d+\.\d %$/);
  await page.keyboard.press('ArrowRight');
  assert.match(await part.locator('.readout').textContent(), /^tensor, stall: \w+: \d+\.\d %$/);
  await close(page);
});

test('an explanation shows path, faster parts and advice with their numbers', async () => {
  const {explanation} = documentOf('explained.html').runs[0];
  const page = await open('explained.html');
  const part = page.locator('#explanation');
  assert.equal(Number(await part.locator('p data').first().getAttribute('value')), explanation.critical_path.length_ns);
  const cells = (index) => part.locator('table').nth(index).locator('tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.querySelector('data').value)));
  const parts = Object.values(explanation.critical_path.parts).map(({ns}) => ns).filter((ns) => ns > 0).sort((a, b) => b - a);
  assert.deepEqual(await cells(0), parts);
  const times = await cells(1);
  assert.ok(times.length > 0 && times.every((time) => explanation.what_if.some((entry) => entry.time_ns === time)));
  for (const {text} of explanation.advice) assert.ok((await part.textContent()).includes(text));
  await close(page);
});

test('names from files are texts, whatever they contain', async () => {
  const evil = '<img src=x onerror="document.title=1">&amp;</script><b>';
  const name = changed('one.html', 'evil.html', (data) => {
    data.title = evil;
    data.runs[0].name = evil;
    const {result} = data.runs[0];
    Object.assign(result.workload, {name: evil, params: {[evil]: evil}});
    Object.assign(result.bottleneck, {sentence: evil, resource: evil});
    result.warnings = [evil];
    result.chip.marketing_name = evil;
    result.source_lines = [{file: evil, line: 1, text: evil, exposed_ns: 1, engine_ns: 1, stall_ns: {[evil]: 2}, dma_bytes: 1, instructions: 1}];
    data.runs[0].timeline.kinds.forEach((kind) => (kind.name = evil));
    data.runs[0].timeline.lanes.forEach((lane) => (lane.name = evil));
  });
  const page = await open(name);
  await drawAll(page);
  assert.equal(await page.locator('h1').textContent(), evil);
  assert.equal(await page.locator('main img, main b, header b').count(), 0);
  await page.locator('.timeline').hover({position: {x: 400, y: 40}});
  assert.equal(await page.locator('main img').count(), 0);
  await close(page);
});

test('warnings, projections and early stops stand above the figures', async () => {
  const name = changed('one.html', 'noted.html', ({runs: [{result}]}) => {
    result.warnings = ['average power 600 W is above the limit'];
    result.truncated = 'reached --max-time';
    result.chip.projected = true;
  });
  const page = await open(name);
  const notices = await page.locator('.notices li').allTextContents();
  assert.equal(notices.length, 3);
  assert.match(notices[0], /^PROJECTED/);
  assert.ok(notices.some((text) => text.includes('reached --max-time')) && notices.some((text) => text.includes('600 W')));
  assert.match(await page.locator('.subtitle').textContent(), /PROJECTED/);
  await close(page);
});

test('a missing or broken timeline leaves the rest of the page', async () => {
  const broken = [null, {}, {until_ns: 100, kinds: [], lanes: [{core: 0, name: 'tensor', slices: 7}]}, {until_ns: 'x', kinds: 3, lanes: {}}, {until_ns: 10, kinds: [], lanes: [null], series: []}];
  for (const [index, timeline] of broken.entries()) {
    const page = await open(changed('one.html', `broken-${index}.html`, (data) => void (data.runs[0].timeline = timeline)));
    assert.equal(await page.locator('[data-field="time_ns"]').getAttribute('value'), String(json('one.json').time_ns));
    assert.equal(await page.locator('h2:text-is("Energy by component")').count(), 1);
    await close(page);
  }
});

test('a page whose data it cannot read says so', async () => {
  const page = await open(changed('one.html', 'other.html', (data) => void (data.trnsim_page = '9.0')));
  assert.match(await page.getByRole('alert').textContent(), /cannot be shown: its data are of version 9\.0/);
  await close(page);
});

test('licences of the chart library are in the page', async () => {
  const page = await open('one.html');
  await page.locator('#licences > summary').click();
  const text = await page.locator('#licences').textContent();
  for (const words of ['echarts', 'zrender', 'Apache License', 'Redistribution and use in source and binary forms']) assert.ok(text.includes(words), words);
  await close(page);
});
