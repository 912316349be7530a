// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// node take.mjs FOLDER: pictures of the pages in TRNSIM_PAGES, as the documents show them.
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(join(process.env.TRNSIM_PACKAGES, 'package.json'))('playwright-core');
const executable = process.env.TRNSIM_CHROMIUM;
const browser = await chromium.launch({executablePath: executable.includes('/') ? executable : `/usr/bin/${executable}`, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking']});

/** Opens a page with all its charts drawn. */
async function open(name, {scheme = 'light', width = 1100} = {}) {
  const context = await browser.newContext({viewport: {width, height: 800}, colorScheme: scheme, deviceScaleFactor: 1.25});
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(process.env.TRNSIM_PAGES, name)).href);
  await page.waitForSelector('html[data-ready]');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.waitForTimeout(500);
  return page;
}

/** A picture of the page from the top of one element to the bottom of another. */
async function take(page, name, first, last = first) {
  const boxes = [await page.locator(first).first().boundingBox(), await page.locator(last).last().boundingBox()];
  const top = Math.max(0, boxes[0].y - 8);
  const {width} = page.viewportSize();
  await page.screenshot({path: join(process.argv[2], `${name}.png`), fullPage: true, clip: {x: 0, y: top, width, height: boxes[1].y + boxes[1].height + 8 - top}});
}
const part = (title) => `section:has(> h2:text-is("${title}"))`;

const naive = await open('naive.html');
await take(naive, 'page', 'header', part('Engines: busy, stalled, idle'));
await naive.locator('.timeline').focus();
for (const key of ['Home', '+', '+', '+', '+', '+', 'ArrowDown', 'p', 'n']) await naive.keyboard.press(key);
await naive.locator('h1').click();
await naive.waitForTimeout(300);
await take(naive, 'timeline-naive', part('Timeline'));

const fast = await open('fast.html', {scheme: 'dark'});
await take(fast, 'timeline-fast', part('Timeline'));

const both = await open('both.html');
await take(both, 'side-by-side', '#compare', part('Device time'));

const sweep = await open('sweep.html');
await sweep.getByLabel('Up', {exact: true}).selectOption('average_w');
await sweep.waitForTimeout(300);
await take(sweep, 'sweep', '#pareto', '#parallel');
await browser.close();
