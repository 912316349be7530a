// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// A browser for tests: pages that collect what must not happen (console errors, requests), and pages
// whose data a test changes.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after} from 'node:test';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(join(process.env.TRNSIM_PACKAGES, 'package.json'))('playwright-core');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const folder = process.env.TRNSIM_PAGES;
export const file = (name) => join(folder, name);
export const json = (name) => JSON.parse(readFileSync(file(name), 'utf8'));

let browser = null;
after(async () => browser?.close());

/** Opens a page of the folder; `page.problems` lists errors and requests that went out. */
export async function open(name, {width = 1280, height = 900, scheme = 'light', touch = false} = {}) {
  browser ??= await chromium.launch({executablePath: process.env.TRNSIM_CHROMIUM, args: FLAGS});
  const context = await browser.newContext({viewport: {width, height}, colorScheme: scheme, hasTouch: touch});
  const page = await context.newPage();
  const address = pathToFileURL(file(name)).href;
  page.problems = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.problems.push(message.text()));
  page.on('pageerror', (error) => page.problems.push(error.stack));
  page.on('request', (request) => request.url() !== address && page.problems.push(`request of ${request.url()}`));
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  return page;
}

export async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const DATA = /(<script type="application\/json" id="trnsim-data">)(.*?)(<\/script>)/s;

/** The document in a page of the folder. */
export const documentOf = (name) => JSON.parse(DATA.exec(readFileSync(file(name), 'utf8'))[2]);

/** A copy of a page whose document `change` has changed. */
export function changed(name, copy, change) {
  const html = readFileSync(file(name), 'utf8');
  const document = documentOf(name);
  const text = JSON.stringify(change(document) ?? document).replaceAll('<', '\\u003c');
  writeFileSync(file(copy), html.replace(DATA, (_, open_, __, close_) => open_ + text + close_));
  return copy;
}

/** Makes all charts, also those far below. */
export const drawAll = async (page) => {
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};

/** How far the page is wider than the window, in pixels. */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
