import type { Section } from '../bench.ts';
import { type Conditions, isMet, type Results, type SectionResult } from '../results.ts';
import { median } from '../statistics.ts';
import { asMarkdown, figuresTable, othersTable } from './tables.ts';

const introduction = `# Performance

This page compares Latchkey with hand-written servers that do the same work without its features. Targets are ratios of
figures from one run, because absolute figures differ by a factor of up to four between machines and times of day. All
figures of each server, with their spread, are in [benchmarks/results.json](../benchmarks/results.json).

![Throughput and latency of Latchkey and of hand-written servers](performance.svg)
`;

const method = `## Method

| Command | Effect |
|---|---|
| \`npm run bench\` | measures everything |
| \`npm run bench -- --quick\` | measures a rough impression in about three minutes |
| \`npm run bench -- --only read,write\` | measures some sections |
| \`npm run bench -- --render\` | renders this page and its picture from the results |

- **Node.js.** Latchkey and the hand-written servers run on the same version, which each section states. The service
  needs Node.js 22.22 or newer; a clone measures with its own Node.js 24. Figures from an older version are from before
  this requirement.
- **Rounds.** Every server has one turn in each round, with a new process, a new copy of the database, and a warm-up.
  A warm-up takes three seconds, and up to nine if the server has not answered 40,000 requests by then: V8 compiles code
  by how often it ran, and a busy machine may not get that far in three seconds. Ratios compare turns of the same round.
  The tables show the median of all rounds, and the minimum and maximum in parentheses.
- **CPU.** The server is pinned to the first core, including all of its threads, and the load generator to the second
  (\`taskset\`).
- **Load.** \`wrk\` if it is installed, otherwise \`autocannon\`, in a closed loop over keep-alive connections, 32 unless
  stated otherwise. If a single request fails, the section fails. Latencies are those of a saturated server.
- **CPU time** is the time that the operating system charged to all threads of the server, per request. It varies less
  than the throughput. Ratios are shown for both; only the throughput decides whether a target is met.
- **Hand-written servers** are in [benchmarks/contenders](../benchmarks/contenders), about twenty lines each. They check
  no client, password or address. The benchmark verifies that they send the same bytes from the same database file.
- **Latchkey** is the built service with default settings: Basic authentication, an unhashed password, default logging.
- **Disk.** Databases are files on a disk, never in memory. Writes are flushed before the response, except for servers
  marked "not flushed".
`;

const conditionsLine = ({ cores, node, generator, pinned, quick, busy, day }: Conditions): string =>
  `${[
    `Measured on ${day}: Node.js ${node.slice(1)}, ${cores} cores, ${generator}`,
    ...(pinned ? [] : ['server and load generator on the same cores']),
    ...(quick ? ['quick run'] : []),
    ...(busy ? ['other programs were running'] : []),
  ].join(', ')}.`;

/** A summary computed from the figures. */
const summary = (sections: readonly Section[], results: Results): string => {
  const rows = sections.flatMap(({ name }) => results[name]?.result.rows ?? []);
  const missed = rows.filter((row) => !isMet(row, median(row.values)));
  const isRough = Object.values(results).some(({ conditions }) => conditions.quick || conditions.busy);
  const caution = isRough
    ? '**Some figures are rough**: they are from a quick run, or from a machine that ran other programs at the same time.\n\n'
    : '';
  const count = `${caution}${rows.length - missed.length} of ${rows.length} targets are met`;
  return missed.length === 0 ? `${count}.` : `${count}. Not met:\n\n${missed.map((row) => `- ${row.name}`).join('\n')}`;
};

/** What a reader decides by: the targets; the figures of a section without targets. */
const chapter = (section: Section, conditions: Conditions, result: SectionResult): string => {
  const table = result.rows.length > 0 ? figuresTable(result.rows) : othersTable(result);
  const parts = [section.explanation, asMarkdown(table), ...result.notes, conditionsLine(conditions)];
  return [`## ${section.title}`, ...parts].join('\n\n');
};

/** The page docs/performance.md, rendered from the results. */
export const document = (sections: readonly Section[], results: Results): string => {
  const chapters = sections.flatMap((section) => {
    const measured = results[section.name];
    return measured === undefined ? [] : [chapter(section, measured.conditions, measured.result)];
  });
  return `${[introduction, `## Summary\n\n${summary(sections, results)}`, method, ...chapters].map((part) => part.trim()).join('\n\n')}\n`;
};
