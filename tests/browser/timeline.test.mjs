// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {changed, close, json, open} from './browser.mjs';

const range = (page) => page.locator('.timeline').evaluate(({dataset}) => [Number(dataset.from), Number(dataset.to)]);
const length = async (page) => (await range(page)).reduce((from, to) => to - from);
const readout = (page) => page.locator('.timeline + .readout').textContent();

async function timeline(name = 'one.html', settings = {}) {
  const page = await open(name, settings);
  const box = page.locator('.timeline');
  await box.scrollIntoViewIfNeeded();
  return {page, box, until: await length(page)};
}

test('the timeline shows the whole run at first', async () => {
  const {page, until} = await timeline();
  assert.deepEqual(await range(page), [0, until]);
  assert.ok(Math.abs(until - json('one.json').time_ns) < 1);
  await close(page);
});

test('the wheel zooms around the pointer once the timeline has the focus', async () => {
  const {page, box, until} = await timeline();
  const {x, y, width} = await box.boundingBox();
  await page.mouse.move(x + width * 0.6, y + 40);
  await page.mouse.wheel(0, 10);
  assert.equal(await length(page), until, 'without focus the page scrolls');
  await box.scrollIntoViewIfNeeded();
  const again = await box.boundingBox();
  await page.mouse.click(again.x + width * 0.6, again.y + 40);
  const before = await range(page);
  await page.mouse.wheel(0, -240);
  await page.waitForFunction((whole) => Number(document.querySelector('.timeline').dataset.to) - Number(document.querySelector('.timeline').dataset.from) < whole, until);
  const after = await range(page);
  assert.ok(after[0] > before[0] && after[1] < before[1]);
  await page.keyboard.press('Home');
  assert.equal(await length(page), until);
  await close(page);
});

test('dragging moves, Shift and drag chooses a range', async () => {
  const {page, box, until} = await timeline();
  await box.focus();
  for (let i = 0; i < 4; ++i) await page.keyboard.press('+');
  const [from, to] = await range(page);
  const {x, y} = await box.boundingBox();
  await page.mouse.move(x + 600, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 500, y + 60, {steps: 4});
  await page.mouse.up();
  const moved = await range(page);
  assert.ok(moved[0] > from && Math.abs(moved[1] - moved[0] - (to - from)) < until * 1e-9);
  await page.keyboard.down('Shift');
  await page.mouse.move(x + 400, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 500, y + 60, {steps: 4});
  await page.mouse.up();
  await page.keyboard.up('Shift');
  assert.ok((await length(page)) < (to - from) * 0.2);
  await close(page);
});

test('keys zoom, move and show all again', async () => {
  const {page, box, until} = await timeline();
  await box.focus();
  await page.keyboard.press('+');
  const zoomed = await range(page);
  assert.ok(zoomed[1] - zoomed[0] < until);
  await page.keyboard.press('ArrowRight');
  assert.ok((await range(page))[0] > zoomed[0]);
  await page.keyboard.press('ArrowLeft');
  assert.ok(Math.abs((await range(page))[0] - zoomed[0]) < until * 1e-9);
  await page.keyboard.press('-');
  assert.equal(await length(page), until);
  for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
  await page.keyboard.press('Home');
  assert.deepEqual(await range(page), [0, until]);
  await close(page);
});

test('buttons do the same', async () => {
  const {page, until} = await timeline();
  await page.getByRole('button', {name: 'Zoom in'}).click();
  assert.ok((await length(page)) < until);
  await page.getByRole('button', {name: 'Later'}).click();
  assert.ok((await range(page))[0] > 0);
  await page.getByRole('button', {name: 'Show the whole run'}).click();
  assert.equal(await length(page), until);
  await close(page);
});

/** Two lanes with known slices, and one in bins. */
const known = () => changed('one.html', 'known.html', (data) => {
  data.runs[0].timeline = {
    until_ns: 1000, kinds: [{name: 'nc_matmul', busy: true}, {name: 'wait_dma', busy: false}],
    lanes: [
      {core: 0, name: 'tensor', slices: {from_ns: [0, 500, 600], length_ns: [500, 100, 250], kind: [1, 0, 0], line: [4, 5, 6]}},
      {core: 0, name: 'vector', bins: {width_ns: 250, kinds: [0, 1], share: [[0.25, 0, 0, 1], [0.5, 1, 0, 0]]}},
    ],
    series: [{name: 'power', unit: 'W', core: null, width_ns: 500, values: [100, 140]}],
  };
});

test('lanes and slices are read out by keys: name, start, length, cause, line', async () => {
  const {page, box} = await timeline(known());
  await box.focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await readout(page), 'tensor: nc_matmul from 0.5000 µs, 100 ns long, line 5');
  await page.keyboard.press('p');
  assert.equal(await readout(page), 'tensor: stall: wait_dma from 0.0000 µs, 500 ns long, line 4');
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  assert.equal(await readout(page), 'tensor: nc_matmul from 0.6000 µs, 250 ns long, line 6');
  await page.keyboard.press('z');
  assert.ok((await length(page)) <= 501);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  assert.match(await readout(page), /^vector/);
  await page.keyboard.press('ArrowDown');
  assert.match(await readout(page), /^power at .*: 140 W$/);
  await close(page);
});

test('pointing reads out slices, bins and counters', async () => {
  const {page, box} = await timeline(known());
  const {x, y, width} = await box.boundingBox();
  const point = (share, dy) => page.mouse.move(x + 118 + share * (width - 124), y + dy);
  await point(0.55, 34);
  assert.match(await readout(page), /^tensor: nc_matmul from 0.5/);
  await point(0.9, 34);
  assert.match(await readout(page), /^tensor at .*: idle$/);
  await point(0.1, 60);
  assert.match(await readout(page), /^vector, bin from .* nc_matmul 25\.0 %, stall: wait_dma 50\.0 %$/);
  await point(0.25, 100);
  assert.match(await readout(page), /^power at .*: 100 W$/);
  await close(page);
});

test('the table of the timeline is that of the visible range', async () => {
  const {page} = await timeline(known());
  const part = page.locator('section', {has: page.locator('h2:text-is("Timeline")')});
  await part.locator('details.numbers summary').click();
  await part.locator('tbody tr').first().waitFor();
  const rows = await part.locator('tbody').first().locator('tr').allInnerTexts();
  assert.deepEqual(rows.map((row) => row.split('\t')), [['tensor', '35.0', '50.0', '15.0'], ['vector', '31.3', '37.5', '31.3']]);
  await close(page);
});

test('stalls are hatched on the canvas, work is not', async () => {
  const {page, box} = await timeline(known());
  const colours = await box.locator('canvas').evaluate((canvas) => {
    const ratio = devicePixelRatio;
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const pen = copy.getContext('2d', {willReadFrequently: true});
    pen.drawImage(canvas, 0, 0);
    const plot = canvas.clientWidth - 124;
    const distinct = (share) => {
      const {data} = pen.getImageData((118 + share * plot) * ratio, 28 * ratio, 14 * ratio, 14 * ratio);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add(`${data[i] >> 4},${data[i + 1] >> 4},${data[i + 2] >> 4}`);
      return seen.size;
    };
    return {stall: distinct(0.05), work: distinct(0.62)};
  });
  assert.ok(colours.stall > 1, `${colours.stall} colours in a stall`);
  assert.equal(colours.work, 1);
  await close(page);
});

test('two fingers zoom', async () => {
  const {page, box, until} = await timeline('one.html', {width: 390, height: 844, touch: true});
  const {x, y} = await box.boundingBox();
  const session = await page.context().newCDPSession(page);
  const touch = (type, distance) => session.send('Input.dispatchTouchEvent', {type, touchPoints: type === 'touchEnd' ? [] : [{x: x + 220 - distance, y: y + 40, id: 0}, {x: x + 220 + distance, y: y + 40, id: 1}]});
  await touch('touchStart', 30);
  for (const distance of [40, 60, 90]) await touch('touchMove', distance);
  await touch('touchEnd', 0);
  await page.waitForFunction((whole) => Number(document.querySelector('.timeline').dataset.to) - Number(document.querySelector('.timeline').dataset.from) < whole * 0.6, until);
  await close(page);
});

test('twenty thousand slices in each of ten lanes are drawn without a pause', async () => {
  const name = changed('one.html', 'many.html', (data) => {
    const lanes = Array.from({length: 10}, (_, index) => {
      const from = Array.from({length: 20000}, (__, i) => i * 10 + (index % 3));
      return {core: 0, name: `lane ${index}`, slices: {from_ns: from, length_ns: from.map((__, i) => 3 + (i % 7)), kind: from.map((__, i) => i % 2), line: from.map(() => 0)}};
    });
    data.runs[0].timeline = {until_ns: 200010, kinds: [{name: 'nc_matmul', busy: true}, {name: 'wait_dma', busy: false}], lanes, series: []};
  });
  const {page, box} = await timeline(name);
  await box.focus();
  // Time of the page's thread, which does not depend on what else the machine does.
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async () => (await session.send('Performance.getMetrics')).metrics.find(({name: metric}) => metric === 'ThreadTime').value * 1000;
  const before = await busy();
  const frames = 20;
  await page.evaluate(async (count) => {
    const element = document.querySelector('.timeline');
    for (let i = 0; i < count; ++i) {
      element.dispatchEvent(new KeyboardEvent('keydown', {key: i % 2 ? '-' : '+', bubbles: true}));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  }, frames);
  const each = ((await busy()) - before) / frames;
  console.log(`${each.toFixed(1)} ms a frame`);
  assert.ok(each < 120, `a frame takes ${each.toFixed(1)} ms`);
  await close(page);
});
