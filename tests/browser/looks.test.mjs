// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {close, drawAll, open, overflow} from './browser.mjs';

const PAGES = ['one.html', 'several.html', 'sweep.html', 'large.html'];

/** Texts with less contrast than WCAG AA asks for: 4.5, large ones 3. */
const faint = (page) => page.evaluate(() => {
  const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const ground = (element) => {
    for (let node = element; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  document.querySelectorAll('details').forEach((details) => (details.open = true));
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter(({nodeType}) => nodeType === 3).map(({textContent}) => textContent.trim()).join('');
    if (!text || element.closest('script, style, noscript') || element.disabled || element.closest(':disabled')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(parse(style.color)), luminance(ground(element))].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) found.push(`${text.slice(0, 40)}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return found;
});

for (const name of PAGES) {
  for (const scheme of ['light', 'dark']) {
    test(`${name} in ${scheme}: follows the system, enough contrast, no overflow`, async () => {
      const page = await open(name, {scheme});
      await drawAll(page);
      assert.equal(await page.locator('html').getAttribute('data-theme'), scheme);
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), scheme);
      assert.deepEqual(await faint(page), []);
      assert.ok((await overflow(page)) <= 0);
      await close(page);
    });
  }

  test(`${name} on a phone needs no sideways scrolling`, async () => {
    const page = await open(name, {width: 390, height: 844});
    await drawAll(page);
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
    assert.ok((await overflow(page)) <= 0, `${await overflow(page)} px too wide`);
    await close(page);
  });

  test(`${name}: everything to operate is reached by Tab, with a visible focus and a name`, async () => {
    const page = await open(name);
    const expected = await page.locator('main .chart, main .timeline, main select, main button:not([disabled]):not([hidden]), .theme').evaluateAll((list) => list.filter((one) => one.checkVisibility()).length);
    const seen = new Set();
    for (let i = 0; i < 400; ++i) {
      await page.keyboard.press('Tab');
      const state = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === document.body) return null;
        element.dataset.tab ??= String(document.querySelectorAll('[data-tab]').length);
        const {outlineStyle, outlineWidth} = getComputedStyle(element);
        return {tab: element.dataset.tab, operable: element.matches('main .chart, main .timeline, main select, main button, .theme'), visible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1, tag: element.outerHTML.slice(0, 80), named: Boolean(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length)};
      });
      if (!state || seen.has(state.tab)) break;
      assert.ok(state.visible, `focus is visible on ${state.tag}`);
      assert.ok(state.named, `a name for ${state.tag}`);
      if (state.operable) seen.add(state.tab);
    }
    assert.equal(seen.size, expected);
    await close(page);
  });
}

test('the switch changes the theme, and charts follow', async () => {
  const page = await open('one.html');
  await drawAll(page);
  const ink = () => page.locator('.chart canvas').first().evaluate((canvas) => canvas.toDataURL());
  const before = await ink();
  await page.getByRole('button', {name: 'Dark'}).click();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  assert.equal(await page.getByRole('button', {name: 'Dark'}).getAttribute('aria-pressed'), 'true');
  await page.waitForFunction((old) => document.querySelector('.chart canvas').toDataURL() !== old, before);
  await close(page);
});

test('parts are sections with headings, tables have heads', async () => {
  const page = await open('one.html');
  assert.equal(await page.locator('h1').count(), 1);
  assert.equal(await page.locator('main section:not([aria-labelledby])').count(), 0);
  assert.equal(await page.locator('main table:not(:has(caption))').count(), 0);
  const ids = await page.locator('[id]').evaluateAll((list) => list.map(({id}) => id));
  assert.equal(new Set(ids).size, ids.length, 'ids are unique');
  await close(page);
});
