// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
const data = JSON.parse(document.getElementById('trnsim-data').textContent);
document.title = data.title;
document.getElementById('top').textContent = data.title;
