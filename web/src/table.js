// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Tables: plain ones, and one whose columns sort and whose rows can be filtered and paged.
import {h, newId, value} from './dom.js';
import {matcher, sorted} from './rows.js';

/** Scrolls sideways on its own, so that the page need not. */
const scroller = (label, table) => h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label}, table);

const isNode = (content) => content instanceof Node;
const LONG = 40;
const cell = (content, numeric) => h('td', {class: numeric ? 'number' : String(content ?? '').length > LONG && !isNode(content) ? 'long' : null}, isNode(content) ? content : String(content ?? ''));

/** `head` are texts or {text, numeric}; `rows` lists of texts and elements; the first cell names its row. */
export function table(caption, head, rows, {rowHeads = true} = {}) {
  const columns = head.map((column) => (typeof column === 'string' ? {text: column} : column));
  return scroller(caption, h('table', null,
    h('caption', {class: 'hidden'}, caption),
    h('thead', null, h('tr', null, columns.map(({text, numeric}) => h('th', {scope: 'col', class: numeric ? 'number' : null}, text)))),
    h('tbody', null, rows.map((row) => h('tr', null, row.map((content, index) => (index === 0 && rowHeads ? h('th', {scope: 'row'}, content) : cell(content, columns[index]?.numeric))))))));
}

/**
 * `columns`: {name, label, quantity or null}, `rows`: lists of raw values, `chosen`: Set of row numbers to
 * show or null for all. Returns the element; its `update(chosen)` changes what is shown.
 */
export function sortableTable(caption, columns, rows, {pageSize = 50} = {}) {
  let order = {column: null, descending: false};
  let words = '';
  let page = 0;
  let chosen = null;
  const status = h('p', {class: 'note', 'aria-live': 'polite'});
  const body = h('tbody');
  const filterId = newId('filter');
  const filter = h('input', {id: filterId, type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'text, or time_ns < 5000'});
  const heads = columns.map((column, index) => {
    const button = h('button', {type: 'button', title: column.name}, column.label, h('span', {class: 'arrow', 'aria-hidden': 'true'}));
    button.addEventListener('click', () => {
      order = {column: index, descending: order.column === index && !order.descending};
      page = 0;
      show();
    });
    return h('th', {scope: 'col', 'aria-sort': 'none', class: column.quantity ? 'number' : null}, button);
  });
  const back = h('button', {type: 'button', onclick: () => turn(-1)}, 'Previous');
  const forth = h('button', {type: 'button', onclick: () => turn(1)}, 'Next');
  const pager = h('div', {class: 'tools'}, back, forth);

  function turn(step) {
    page += step;
    show();
  }
  function show() {
    const {test, problem} = matcher(words, columns);
    let numbers = rows.map((_, index) => index).filter((index) => (!chosen || chosen.has(index)) && test(rows[index]));
    if (order.column !== null) numbers = sorted(rows, numbers, order.column, order.descending);
    const pages = Math.max(1, Math.ceil(numbers.length / pageSize));
    page = Math.max(0, Math.min(page, pages - 1));
    body.replaceChildren(...numbers.slice(page * pageSize, (page + 1) * pageSize).map((index) => h('tr', {'data-row': index}, rows[index].map((raw, column) => {
      const {quantity} = columns[column];
      return cell(quantity ? value(quantity, raw) : raw, Boolean(quantity));
    }))));
    heads.forEach((head, index) => {
      const state = order.column !== index ? 'none' : order.descending ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', state);
      head.querySelector('.arrow').textContent = {none: '', ascending: ' ▲', descending: ' ▼'}[state];
    });
    back.disabled = page === 0;
    forth.disabled = page >= pages - 1;
    pager.hidden = pages === 1;
    status.textContent = problem ?? `${numbers.length} of ${rows.length} rows${pages > 1 ? `, page ${page + 1} of ${pages}` : ''}`;
  }
  filter.addEventListener('input', () => {
    words = filter.value;
    page = 0;
    show();
  });
  show();
  const element = h('div', {class: 'sortable'},
    h('div', {class: 'tools'}, h('label', {for: filterId}, 'Filter rows'), filter),
    scroller(caption, h('table', null, h('caption', {class: 'hidden'}, caption), h('thead', null, h('tr', null, heads)), body)),
    h('div', {class: 'tools'}, status, pager));
  element.update = (next) => {
    chosen = next;
    page = 0;
    show();
  };
  return element;
}
