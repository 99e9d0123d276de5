// Checks the rules of .dependency-cruiser.cjs. Fails unless dependency-cruiser read exactly the files that Git lists:
// without its parser it reads no file at all and still reports success. It does not see import types, such as
// `import('./file.ts').Type`; they are refused. So are circles between the folders of application/, and the time of the
// machine where it comes from the port Clock.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';

const folders = ['domain', 'application', 'adapters', 'bootstrap', 'sdk', 'tools'];
const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
const command = [cruiser, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders];
const run = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
if (run.error !== undefined || run.stdout === '') {
  console.error(run.error?.message ?? run.stderr);
  process.exit(1);
}
const { summary, modules } = JSON.parse(run.stdout);
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);

/** The types of the client, which the build generates. */
const generated = /^sdk\/client\/(admin-)?openapi\.ts$/;
const isSource = (file) =>
  folders.some((folder) => file.startsWith(`${folder}/`)) && /\.([cm]?js|ts)$/.test(file) && !generated.test(file);
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(isSource);
const read = new Set(modules.map(({ source }) => source).filter(isSource));
const missed = listed.filter((file) => !read.has(file));
const unlisted = [...read].filter((file) => !listed.includes(file));
for (const file of missed) console.error(`not checked: ${file}`);
for (const file of unlisted) console.error(`checked, but not listed by Git: ${file}`);

/** Files directly in application/ count as its `ports`, which they use, and which use them. */
const folderOf = (file) => (/^application\/([^/]+)\//.exec(file) ?? ['', 'ports'])[1];
/** Of each pair of folders in application/ of which one imports the other, an import that does. */
const arrows = new Map(
  modules
    .filter(({ source }) => source.startsWith('application/'))
    .flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => [source, resolved]))
    .filter(([source, resolved]) => resolved.startsWith('application/') && folderOf(source) !== folderOf(resolved))
    .map(([source, resolved]) => [`${folderOf(source)} -> ${folderOf(resolved)}`, [source, resolved]]),
);
const reached = (from, seen = new Set()) => {
  for (const [source, resolved] of arrows.values()) {
    const to = folderOf(resolved);
    if (folderOf(source) !== from || seen.has(to)) continue;
    seen.add(to);
    reached(to, seen);
  }
  return seen;
};
const circles = [...arrows]
  .filter(([, [source, resolved]]) => reached(folderOf(resolved)).has(folderOf(source)))
  .map(([folders, [source, resolved]]) => `circle-of-folders: ${folders}, such as ${source} -> ${resolved}`);

const contains = (node, matches) =>
  typeof node === 'object' &&
  node !== null &&
  (matches(node) || Object.values(node).some((child) => contains(child, matches)));
const isImportType = ({ type }) => type === 'TsImportType';
const isDate = (node) => node?.type === 'Identifier' && node.value === 'Date';
/** `Date.now`, `new Date()` or `Date()`. */
const readsClock = ({ type, object, property, callee, arguments: given }) =>
  (type === 'MemberExpression' && isDate(object) && property.value === 'now') ||
  (/^(New|Call)Expression$/.test(type) && isDate(callee) && !given?.length);
/** The only adapter of the port. What is compared with times of rate-limiter-flexible has its clock. */
const clocks = /^adapters\/(system-clock|stores\/[a-z]+\/[a-z]+-attempt-counter)\.ts$/;
const takesClock = (file) => /^(domain|application|adapters)\//.test(file) && !clocks.test(file);
const faults = listed
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const tree = parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' });
    return [
      ...(contains(tree, isImportType) ? [`import-type: ${file}: use a declaration, import type { … } from`] : []),
      ...(takesClock(file) && contains(tree, readsClock)
        ? [`clock: ${file}: take the time from a Clock (application/ports/clock.ts), not from Date.now() or new Date()`]
        : []),
    ];
  });
for (const fault of [...circles, ...faults]) console.error(fault);

const violations = summary.violations.length + circles.length + faults.length;
console.log(`layers: ${read.size} files, ${violations} violations`);
process.exit(violations + missed.length + unlisted.length === 0 ? 0 : 1);
