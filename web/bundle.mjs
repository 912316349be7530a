// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// node bundle.mjs PACKAGES OUTPUT: puts web/src and the packages that it imports into one HTML file.
// PACKAGES is the folder with node_modules. Licences of all bundled packages become part of the page.
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const DATA_PLACE = '<!--trnsim-data-->';
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const packages = resolve(process.argv[2]);
const output = resolve(process.argv[3]);
const modules = join(packages, 'node_modules');
const esbuild = createRequire(join(packages, 'package.json'))('esbuild');

/** Bundles one entry; returns its text and the names of the packages in it. */
function bundle(entry) {
  const built = esbuild.buildSync({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2020'],
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    nodePaths: [modules],
    absWorkingDir: packages,
    logLevel: 'warning',
  });
  const used = new Set();
  for (const [path, part] of Object.entries(built.metafile.outputs[Object.keys(built.metafile.outputs)[0]].inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (name && part.bytesInOutput > 0) used.add(name[1]);
  }
  return {text: built.outputFiles[0].text.trimEnd(), used};
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Name, version, licence and notice of a package as HTML. */
function licence(name) {
  const folder = join(modules, name);
  const {version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = ['LICENSE', 'LICENSE.txt', 'LICENSE.md', 'NOTICE'].filter((file) => existsSync(join(folder, file)));
  if (!files.some((file) => file.startsWith('LICENSE'))) throw new Error(`${name} brings no licence text`);
  const texts = files.map((file) => `<pre tabindex="0">${escaped(readFileSync(join(folder, file), 'utf8').trimEnd())}</pre>`);
  return `<details><summary>${escaped(name)} ${escaped(version)}, ${escaped(license)}</summary>${texts.join('')}</details>`;
}

const script = bundle('main.js');
const style = bundle('style.css').text;
for (const bad of ['</script', '<script', '<!--']) {
  if (script.text.toLowerCase().includes(bad)) throw new Error(`the bundled script contains ${bad}, which HTML would misread`);
}
if (style.includes('</style')) throw new Error('the bundled style ends its own element');

const parts = {
  // Nothing but this script runs and nothing is loaded, whatever the data say.
  policy: `default-src 'none'; script-src 'sha256-${createHash('sha256').update(script.text).digest('base64')}'; ` +
    "style-src 'unsafe-inline'; img-src data: blob:",
  style,
  licences: [...script.used].sort().map(licence).join(''),
  script: script.text,
};
const page = readFileSync(join(source, 'page.html'), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, part) => {
  if (!(part in parts)) throw new Error(`page.html names ${part}, which is not known`);
  return parts[part];
});
if (page.split(DATA_PLACE).length !== 2) throw new Error(`the page must contain ${DATA_PLACE} once`);
writeFileSync(`${output}.new`, page);
renameSync(`${output}.new`, output);
