// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Light and dark: the system's choice until the reader makes one. Charts take their colours from here.

const LIGHT = {
  ink: '#1b2430', soft: '#4e5a68', line: '#d5dae1', ground: '#ffffff', accent: '#0b5cad', idle: '#e6e9ee', decal: 'rgba(255,255,255,0.55)', decalDark: 'rgba(20,30,45,0.35)',
  hues: ['#2f6fb3', '#c4622d', '#2e8562', '#8a5fb0', '#b3466b', '#7a6a1f', '#23808f', '#6b7686', '#9a5a3c', '#4c6f2e'],
};
const DARK = {
  ink: '#e7ecf2', soft: '#a9b4c1', line: '#39424e', ground: '#181d24', accent: '#7cb8f5', idle: '#2a313b', decal: 'rgba(10,14,20,0.5)', decalDark: 'rgba(10,14,20,0.5)',
  hues: ['#6aa7e6', '#ec9a63', '#63c29b', '#bd97e3', '#e8839f', '#d0bb5c', '#5fc0cf', '#a3afbf', '#d29a7b', '#9cc172'],
};

// Patterns beside colours, so that no colour is needed to tell two parts apart.
const PATTERNS = [
  null,
  {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4},
  {symbol: 'circle', dashArrayX: [[6, 6], [0, 6, 6, 0]], dashArrayY: [5, 0], symbolSize: 0.6},
  {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: Math.PI / 4},
  {symbol: 'rect', dashArrayX: [[5, 5], [0, 5, 5, 0]], dashArrayY: [5, 0], symbolSize: 0.5},
  {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1, 5], rotation: 0},
  {symbol: 'triangle', dashArrayX: [[8, 8], [0, 8, 8, 0]], dashArrayY: [7, 0], symbolSize: 0.7},
  {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1, 4], rotation: Math.PI / 2},
  {symbol: 'diamond', dashArrayX: [[6, 6], [0, 6, 6, 0]], dashArrayY: [6, 0], symbolSize: 0.8},
  {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [4, 3], rotation: -Math.PI / 4},
];

const listeners = new Set();
const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = null;

export const isDark = () => (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark';
export const colours = () => (isDark() ? DARK : LIGHT);

/** Fill and pattern number `index` of the scale. */
export function fill(index) {
  const theme = colours();
  const pattern = PATTERNS[index % PATTERNS.length];
  return {color: theme.hues[index % theme.hues.length], decal: pattern ? {...pattern, color: theme.decal} : {symbol: 'none'}};
}

// One look for each cause on the whole page.
const CAUSES = ['busy', 'wait_dma', 'wait_engine', 'wait_buffer', 'issue', 'throttle', 'psum_bank', 'port_conflict', 'queue_full', 'table_load'];

/** Place of a stall cause, or of `busy`, on the scale; unknown ones follow the known. */
export const causeIndex = (name, others = 0) => (CAUSES.includes(name) ? CAUSES.indexOf(name) : CAUSES.length + others);

export const idleFill = () => ({color: colours().idle, decal: {symbol: 'none'}});

/** Calls `listener` whenever the colours change. */
export const onTheme = (listener) => listeners.add(listener);

function apply() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  listeners.forEach((listener) => listener());
}

/** Starts to follow the system; returns the switch. */
export function themeSwitch(h) {
  const button = h('button', {type: 'button', class: 'theme', 'aria-pressed': 'false'}, 'Dark');
  const show = () => button.setAttribute('aria-pressed', String(isDark()));
  button.addEventListener('click', () => {
    chosen = isDark() ? 'light' : 'dark';
    apply();
    show();
  });
  system.addEventListener('change', () => {
    apply();
    show();
  });
  apply();
  show();
  return button;
}
