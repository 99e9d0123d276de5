// Checks the rules of .dependency-cruiser.cjs. Fails unless dependency-cruiser read exactly the files that Git lists:
// without its parser it reads no file at all and still reports success.
import { execFileSync, spawnSync } from 'node:child_process';

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

const isSource = (file) => folders.some((folder) => file.startsWith(`${folder}/`)) && /\.([cm]?js|ts)$/.test(file);
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

console.log(`layers: ${read.size} files, ${summary.violations.length} violations`);
process.exit(summary.violations.length + missed.length + unlisted.length === 0 ? 0 : 1);
