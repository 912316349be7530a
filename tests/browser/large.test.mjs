// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {test} from 'node:test';

import {close, drawAll, file, json, open} from './browser.mjs';

const MOST_BYTES = 5e6;
const MOST_MS = 2000;
const CHUNK_BYTES = 1024;

/** Milliseconds until the page can be read: from the start of its navigation to its first frame with content. */
async function opening() {
  const page = await open('large.html');
  const time = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
  await close(page);
  return time;
}

test('the page of a large run is small', () => {
  const {size} = statSync(file('large.html'));
  const {workload, dma} = json('large.json');
  const events = Number(workload.instructions) + Number(dma.descriptors) + Number(dma.bytes) / CHUNK_BYTES;
  console.log(`${(events / 1e6).toFixed(1)} million events, ${(size / 1e6).toFixed(2)} MB`);
  assert.ok(events > 5e6, `${events} events`);
  assert.ok(size < MOST_BYTES, `${size} bytes`);
});

test('the page of a large run opens fast', async () => {
  const times = [await opening(), await opening(), await opening()].map(Math.round).sort((a, b) => a - b);
  console.log(`opens in ${times.join(', ')} ms`);
  assert.ok(times[0] < MOST_MS, `${times} ms`);
});

test('the timeline of a large run zooms', async () => {
  const page = await open('large.html');
  await page.locator('.timeline').focus();
  for (let i = 0; i < 12; ++i) await page.keyboard.press('+');
  const share = await page.locator('.timeline').evaluate(({dataset}) => dataset.to - dataset.from);
  assert.ok(share < json('large.json').time_ns / 100);
  await drawAll(page);
  await close(page);
});
