// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Elements without markup in strings: every text from a file goes through textContent.

/** h('p', {class: 'note', onclick}, 'text', element, [more]) makes an element; null children are left out. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A value for people that carries the exact one in its title. */
export function value(quantity, number, attributes = {}) {
  return h('data', {value: number ?? '', title: quantity.exact(number), ...attributes}, quantity.short(number));
}

let ids = 0;
/** An id that is new on this page. */
export const newId = (prefix) => `${prefix}-${++ids}`;

/** A part of the page with a heading; `wide` takes the whole row. */
export function panel(title, {wide = false, id = newId('part')} = {}, ...children) {
  return h('section', {class: wide ? 'panel wide' : 'panel', id, 'aria-labelledby': `${id}-title`}, h('h2', {id: `${id}-title`}, title), ...children);
}

/** A choice with its label; `options` are texts or [value, text]. */
export function choice(label, options, selected, onchange) {
  const id = newId('choice');
  const select = h('select', {id}, options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return h('option', {value: key, selected: String(key) === String(selected)}, text);
  }));
  select.addEventListener('change', () => onchange(select.value));
  return h('span', {class: 'choice'}, h('label', {for: id}, label), select);
}

/** Text that CSV readers and eyes can copy: a definition list of name and value. */
export function facts(entries) {
  return h('dl', {class: 'facts'}, entries.filter(Boolean).map(([name, content]) => h('div', null, h('dt', null, name), h('dd', null, content))));
}
