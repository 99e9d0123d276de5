import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Bench, full, openBench, quick, type Section } from './bench.ts';
import { endAll, endOnSignals, isEnding } from './endings.ts';
import { keepToLoadCore, root, thisMachine } from './machine.ts';
import { keep, render } from './report/files.ts';
import { asText, contendersTable, figuresTable, othersTable } from './report/tables.ts';
import type { Results, SectionResult } from './results.ts';
import { sections } from './sections/index.ts';

const names = sections.map(({ name }) => name).join(', ');

const usage = `Measures the service against hand-written servers that do the same work, round by round.

Usage: npm run bench [-- OPTIONS]

Options:
      --quick        fewer and shorter rounds, and no installation: about 3 minutes, and figures that are only good for a look
      --only NAMES   sections, with commas between: ${names}
      --save         keeps the figures of a quick run too, as a full run does by itself
      --render       measures nothing: writes docs/performance.md and its picture from benchmarks/results.json
  -h, --help         show this
`;

const options = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  save: { type: 'boolean', default: false },
  render: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The sections that are asked for; throws for a name that none has. */
const chosen = (only: string | undefined, isQuick: boolean): readonly Section[] => {
  if (only === undefined) return sections.filter(({ isLong }) => !(isQuick && isLong));
  return only.split(',').map((name) => {
    const section = sections.find((each) => each.name === name.trim());
    if (section === undefined) throw new Error(`there is no section ${name}; there are: ${names}`);
    return section;
  });
};

const build = (): void => {
  if (spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2] }).status !== 0)
    throw new Error('the build failed');
};

const print = ({ title }: Section, result: SectionResult): void => {
  const tables = [contendersTable(result), othersTable(result), figuresTable(result.rows)];
  const texts = tables.filter(({ lines }) => lines.length > 0).map(asText);
  process.stdout.write(`\n${[title, ...texts, ...result.notes].join('\n\n')}\n\n`);
};

/** Runs sections, one after the other; one that fails is told, and the others still have their turn. */
const measure = async (bench: Bench, wanted: readonly Section[], isKept: boolean): Promise<Results> => {
  const { machine, extent } = bench;
  const conditions = { ...machine, quick: extent.quick, day: new Date().toISOString().slice(0, 10) };
  const results: Record<string, Results[string]> = {};
  for (const section of wanted) {
    bench.say(section.name);
    try {
      const result = await section.run(bench);
      print(section, result);
      results[section.name] = { conditions, result };
      if (isKept) keep({ [section.name]: { conditions, result } });
    } catch (error) {
      if (isEnding()) return results;
      bench.say(`FAILED: ${section.name}: ${error instanceof Error ? error.message : 'no reason given'}`);
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
  keepToLoadCore(machine);
  const bench = openBench(machine, values.quick ? quick : full);
  if (!machine.pinned)
    bench.say('NOT PINNED: the server and the load share the cores; that takes taskset and two cores');
  if (machine.busy) bench.say('BUSY: other programs keep this machine busy, so that the ratios are worth little');
  const isKept = !values.quick || values.save;
  const results = await measure(bench, wanted, isKept);
  if (isEnding()) return;
  if (isKept) render(sections);
  const rows = Object.values(results).flatMap(({ result }) => result.rows);
  process.stdout.write(`\nEvery figure\n\n${asText(figuresTable(rows))}\n`);
};

endOnSignals();
try {
  await run();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : 'failed'}\n`);
  process.exitCode = 1;
} finally {
  await endAll();
}
