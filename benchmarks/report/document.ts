import type { Section } from '../bench.ts';
import { type Conditions, isMet, type Results, type Row, type SectionResult } from '../results.ts';
import { median } from '../statistics.ts';
import { asMarkdown, contendersTable, figuresTable, othersTable } from './tables.ts';

const introduction = `# Performance

What the service costs over hand-written servers that do the same work and nothing else. Every figure that was asked
for is a ratio: absolute figures drift by a factor of four between machines and hours, ratios from one run do not.

![Throughput and latency of Latchkey beside hand-written servers](performance.svg)
`;

const method = `## How it is measured

\`npm run bench\` measures everything again, \`npm run bench -- --quick\` has a look at it in a few minutes, and
\`--only read,write\` chooses sections. The tables and the picture of this page are made from
[benchmarks/results.json](../benchmarks/results.json) by \`npm run bench -- --render\`.

- **Rounds.** Each contender has its turn in every round, one after the other: a new process, its own copy of the
  database, a warm-up that does not count, then the turn. A ratio compares two turns of one round. What is told is the
  median of the ratios, with the least and the greatest in brackets.
- **Processor.** The server runs on the first core, the load on the second (\`taskset\`). The threads of a server share its
  core, the one that writes to the disk included.
- **Load.** \`wrk\` where it is installed, else \`autocannon\`, in a closed loop over kept-alive connections: 32 of them
  where nothing else is said. A turn with a single failed request does not count, and ends its section. Latencies are those
  of a server with as much to do as it can take.
- **Processor time.** What the system charged to the server for a request, all threads together. It is far steadier than
  the throughput, so that each ratio is told in both ways; only the throughput decides.
- **The hand-written servers** are in [benchmarks/contenders](../benchmarks/contenders), some twenty lines each. They check no
  client, no password and no address, and answer the same bytes from the same database file; the bench compares them.
- **Latchkey** is the built service with its defaults: Basic credentials, the password compared, the log as it is shipped.
- **Disk.** Databases are files on a disk, never in memory. A write is answered when it was flushed, except by the servers
  that are named for it.
`;

const conditionsLine = ({ cores, node, generator, pinned, quick, busy, day }: Conditions): string =>
  `${[
    `Measured on ${day}: Node.js ${node.slice(1)}, ${cores} cores, ${generator}`,
    ...(pinned ? [] : ['the server and the load on the same cores']),
    ...(quick ? ['a short run'] : []),
    ...(busy ? ['on a machine that was busy with other programs'] : []),
  ].join(', ')}.`;

const meaning = (row: Row): string => `${row.name}: ${isMet(row, median(row.values)) ? 'met' : '**not met**'}`;

/** What the figures say, in a sentence that follows from them. */
const summary = (sections: readonly Section[], results: Results): string => {
  const rows = sections.flatMap(({ name }) => results[name]?.result.rows ?? []);
  const missed = rows.filter((row) => !isMet(row, median(row.values)));
  const isRough = Object.values(results).some(({ conditions }) => conditions.quick || conditions.busy);
  const caution = isRough
    ? '**These figures are rough**: a part of them is from a short run, or from a machine that did other work meanwhile.\n\n'
    : '';
  const count = `${caution}${rows.length - missed.length} of ${rows.length} figures are met`;
  return missed.length === 0
    ? `${count}.`
    : `${count}. These are not:\n\n${missed.map((row) => `- ${meaning(row)}`).join('\n')}`;
};

const chapter = (section: Section, conditions: Conditions, result: SectionResult): string => {
  const tables = [figuresTable(result.rows), contendersTable(result), othersTable(result)]
    .filter(({ lines }) => lines.length > 0)
    .map(asMarkdown);
  return [`## ${section.title}`, section.explanation, ...tables, ...result.notes, conditionsLine(conditions)].join(
    '\n\n',
  );
};

/** The page about performance: every table, from the results alone. */
export const document = (sections: readonly Section[], results: Results): string => {
  const chapters = sections.flatMap((section) => {
    const measured = results[section.name];
    return measured === undefined ? [] : [chapter(section, measured.conditions, measured.result)];
  });
  return `${[introduction, `## What the figures say\n\n${summary(sections, results)}`, method, ...chapters].map((part) => part.trim()).join('\n\n')}\n`;
};
