import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Bench, full, openBench, quick, type Section } from './bench.ts';
import { exitOnSignals, isExiting, runCleanups } from './cleanup.ts';
import { buildOfSavedFigures, readCost } from './cost.ts';
import { pinToLoadCore, root, thisMachine } from './machine.ts';
import { disturbanceBetween, isQuiet, machineState } from './quiet.ts';
import { render, save } from './report/files.ts';
import { asText, contendersTable, figuresTable, othersTable } from './report/tables.ts';
import type { Results, SectionResult } from './results.ts';
import { sections } from './sections/index.ts';

const names = sections.map(({ name }) => name).join(', ');

const usage = `Measures the service against hand-written servers that do the same work, round by round.

Usage: npm run bench [-- OPTIONS]

Options:
      --quick        fewer and shorter rounds, and no installation: about 5 minutes, for a rough impression
      --only NAMES   comma-separated sections: ${names}
      --save         saves the figures of a quick run; a full run always saves them
      --cost         only compares the CPU time of a read with that of the commit that saved figures last; ends with 1 if it
                     is dearer
      --render       only writes docs/performance.md, its picture and CSV file from benchmarks/results.json
  -h, --help         show this
`;

const options = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  save: { type: 'boolean', default: false },
  cost: { type: 'boolean', default: false },
  render: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The selected sections; throws for an unknown name. */
const chosen = (only: string | undefined, isQuick: boolean): readonly Section[] => {
  if (only === undefined) return sections.filter(({ isLong }) => !(isQuick && isLong));
  return only.split(',').map((name) => {
    const section = sections.find((each) => each.name === name.trim());
    if (section === undefined) throw new Error(`unknown section ${name}; sections: ${names}`);
    return section;
  });
};

const build = (): void => {
  if (
    spawnSync(process.execPath, ['tools/build.js', '--if-changed'], { cwd: root, stdio: ['ignore', 2, 2] }).status !== 0
  )
    throw new Error('the build failed');
};

const print = ({ title, explanation }: Section, result: SectionResult): void => {
  const tables = [contendersTable(result), othersTable(result), figuresTable(result.rows)];
  const texts = tables.filter(({ lines }) => lines.length > 0).map(asText);
  process.stdout.write(`\n${[title, explanation, ...texts, ...result.notes].join('\n\n')}\n\n`);
};

/** The CPU time of a read, in relation to the build of the saved figures, that fails: half of what must not pass unnoticed. */
const maxCost = 1.05;

/** How much a build may differ from itself, on a host that lets figures be compared. */
const maxNoise = 0.02;

/**
 * Compares a read with that of the commit of the saved figures, up to three times if it is dearer. Without a verdict if other
 * programs used the CPU meanwhile, or if the saved build differs from itself: other machines of the host can make one build
 * seem dearer by a tenth.
 */
const compareCost = async (bench: Bench): Promise<void> => {
  let saved: string;
  try {
    saved = buildOfSavedFigures(bench);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'failed';
    process.stdout.write(`NOT CHECKED: the CPU time of a read, because what it was cannot be built: ${reason}\n`);
    return;
  }
  let wasQuiet = true;
  for (let attempt = 0; attempt < 3; attempt++) {
    wasQuiet &&= await isQuiet();
    const cost = await readCost(bench, saved);
    process.stdout.write(`the CPU time of a read: ${cost.toFixed(3)} of that with the saved figures\n`);
    if (cost <= maxCost) return;
    wasQuiet &&= await isQuiet();
  }
  const noise = await readCost(bench, saved, saved);
  process.stdout.write(`the saved build: ${noise.toFixed(3)} of itself\n`);
  if (wasQuiet && Math.abs(noise - 1) < maxNoise)
    throw new Error(`a read takes more than ${maxCost} times the CPU time that it took when figures were saved last`);
  process.stdout.write('NOT CHECKED: the CPU time of a read, because something else used the CPU of this machine\n');
};

/** Runs sections one by one; continues if one fails. Saves what was measured while nothing disturbed the machine. */
const measure = async (bench: Bench, wanted: readonly Section[], isSaved: boolean): Promise<Results> => {
  const { machine, extent } = bench;
  const conditions = { ...machine, busy: false, quick: extent.quick, day: new Date().toISOString().slice(0, 10) };
  const results: Record<string, Results[string]> = {};
  let before = await machineState(bench);
  for (const section of wanted) {
    bench.log(section.name);
    try {
      const result = await section.run(bench);
      print(section, result);
      results[section.name] = { conditions, result };
      const after = await machineState(bench);
      const reason = disturbanceBetween(before, after);
      before = after;
      if (reason !== undefined) {
        bench.log(`BUSY: ${reason}, so ${section.name} is unreliable and not saved`);
        if (isSaved) process.exitCode = 1;
      } else if (isSaved) save({ [section.name]: { conditions, result } });
    } catch (error) {
      if (isExiting()) return results;
      bench.log(`FAILED: ${section.name}: ${error instanceof Error ? error.message : 'unknown error'}`);
      process.exitCode = 1;
    }
  }
  return results;
};

const run = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (values.render) return render(sections);
  const wanted = chosen(values.only, values.quick);
  const machine = thisMachine();
  build();
  pinToLoadCore(machine);
  if (values.cost) return compareCost(openBench(machine, quick));
  const bench = openBench(machine, values.quick ? quick : full);
  if (!machine.pinned)
    bench.log('NOT PINNED: the server and the load generator share the cores; pinning needs taskset and two cores');
  const isSaved = !values.quick || values.save;
  const results = await measure(bench, wanted, isSaved);
  if (isExiting()) return;
  if (isSaved) render(sections);
  const rows = Object.values(results).flatMap(({ result }) => result.rows);
  process.stdout.write(`\nAll figures\n\n${asText(figuresTable(rows))}\n`);
};

exitOnSignals();
try {
  await run();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : 'failed'}\n`);
  process.exitCode = 1;
} finally {
  await runCleanups();
}
