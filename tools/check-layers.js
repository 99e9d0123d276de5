// Checks the rules of .dependency-cruiser.cjs. Fails unless dependency-cruiser read exactly the files that Git lists:
// without its parser it reads no file at all and still reports success. It does not see import types, such as
// `import('./file.ts').Type`; they are refused.
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

const hasImportType = (node) =>
  typeof node === 'object' &&
  node !== null &&
  (node.type === 'TsImportType' || Object.values(node).some((child) => hasImportType(child)));
const usesImportType = (file) => hasImportType(parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' }));
const importTypes = listed.filter((file) => file.endsWith('.ts') && usesImportType(file));
for (const file of importTypes) console.error(`import-type: ${file}: use a declaration, import type { … } from`);

const violations = summary.violations.length + importTypes.length;
console.log(`layers: ${read.size} files, ${violations} violations`);
process.exit(violations + missed.length + unlisted.length === 0 ? 0 : 1);
