// Checks the rules of .dependency-cruiser.cjs, and that they were applied to something: without its parser the tool
// cruises no module at all and reports success.
import { spawnSync } from 'node:child_process';

const folders = ['domain', 'application', 'adapters', 'bootstrap', 'client', 'testing', 'tests/contract', 'tests/http'];
const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
const command = [cruiser, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders, 'build'];
const run = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
if (run.error !== undefined || run.stdout === '') {
  console.error(run.error?.message ?? run.stderr);
  process.exit(1);
}
const { summary, modules } = JSON.parse(run.stdout);
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
const cruised = modules.filter(({ source }) => folders.some((folder) => source.startsWith(`${folder}/`))).length;
console.log(`layers: ${cruised} modules, ${summary.violations.length} violations`);
if (cruised < 50) {
  console.error('layers: too few modules were read for the result to mean anything');
  process.exit(1);
}
process.exit(summary.violations.length === 0 ? 0 : 1);
