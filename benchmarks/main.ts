import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { full, openBench, quick, type Section } from './bench.ts';
import { endAll, endOnSignals } from './endings.ts';
import { keepToLoadCore, root, thisMachine } from './machine.ts';
import { asText, contendersTable, figuresTable, othersTable } from './report/tables.ts';
import type { SectionResult } from './results.ts';
import { sections } from './sections/index.ts';

const names = sections.map(({ name }) => name).join(', ');

const usage = `Measures the service against hand-written servers that do the same work, round by round.

Usage: npm run bench [-- OPTIONS]

Options:
      --quick        fewer and shorter rounds: some minutes in all, and figures that are only good for a look
      --only NAMES   sections, with commas between: ${names}
  -h, --help         show this
`;

const options = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The sections that are asked for; throws for a name that none has. */
const chosen = (only: string | undefined): readonly Section[] => {
  if (only === undefined) return sections;
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

const run = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const wanted = chosen(values.only);
  const machine = thisMachine();
  build();
  keepToLoadCore(machine);
  const bench = openBench(machine, values.quick ? quick : full);
  if (!machine.pinned)
    bench.say('NOT PINNED: the server and the load share the cores; that takes taskset and two cores');
  for (const section of wanted) {
    bench.say(`${section.name}`);
    print(section, await section.run(bench));
  }
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
