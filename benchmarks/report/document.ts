import type { Section } from '../bench.ts';
import { type Conditions, isMet, type Results, type Row } from '../results.ts';
import { median } from '../statistics.ts';
import { rounded, target } from './numbers.ts';
import { asMarkdown } from './tables.ts';

const introduction = `# Performance

Latchkey, compared with hand-written servers that do the same work without its features. Targets are ratios of figures
from one run, because absolute figures differ between machines and times of day.
[results/performance.csv](results/performance.csv) has all figures and targets, also the space of users in each
database, and a replayed day of logins.

![Throughput and latency of Latchkey and of hand-written servers](performance.svg)
`;

const method = `## Method

\`npm run bench\` measures everything and writes this page ([options](../CONTRIBUTING.md#build-and-test)).

- **Servers.** Latchkey is the built service with default settings. The [hand-written servers](../benchmarks/contenders) have about twenty lines each and check no client,
  password or address. They send the same bytes from the same database.
- **Rounds.** Every server has one turn in each round, with a new process, a new copy of the database and a warm-up.
  Ratios compare turns of one round; the table has their median.
- **Load.** \`wrk\` if it is installed, otherwise \`autocannon\`: a closed loop over 32 keep-alive connections unless stated otherwise. The server is pinned to one core
  (\`taskset\`); the load generator and databases share the other.
`;

const listed = (values: readonly string[]): string => [...new Set(values)].sort().join(' and ');

/** How far the figures can be trusted. */
const caution = (conditions: readonly Conditions[]): string => {
  const measured = `Measured on ${listed(conditions.map(({ day }) => day))} with Node.js ${listed(conditions.map(({ node }) => node.slice(1)))}`;
  const doubts = [
    ...(conditions.some(({ quick }) => quick) ? [', in part by a quick run'] : []),
    ...(conditions.some(({ busy }) => busy) ? [', in part while other programs were running'] : []),
  ];
  return `${measured}${doubts.join('')}.`;
};

/** The page docs/performance.md, rendered from the results: the first target of each section, and those that are not met. */
export const document = (sections: readonly Section[], results: Results): string => {
  const measured = sections.map(({ name }) => results[name]?.result.rows ?? []);
  const rows = measured.flat();
  const isMissed = (row: Row): boolean => !isMet(row, median(row.values));
  const shown = measured.flatMap((section) => section.filter((row, index) => index === 0 || isMissed(row)));
  const lines = shown.map((row) => {
    const figure = `${rounded(median(row.values))} ${row.limit.unit}`;
    return [row.name, isMissed(row) ? `**${figure}, not met (${target(row)})**` : figure];
  });
  const met = rows.filter((row) => !isMissed(row)).length;
  // Of sections with targets, because the page shows no others; the CSV file has the conditions of each figure.
  const conditions = Object.values(results).flatMap(({ result, conditions }) =>
    result.rows.length === 0 ? [] : conditions,
  );
  const table = asMarkdown({ head: ['Figure', 'Measured'], lines });
  const targets = `## Targets\n\n${met} of ${rows.length} targets are met; shown are the first of each kind and those that are not. ${caution(conditions)}\n\n${table}`;
  return `${[introduction, targets, method].map((part) => part.trim()).join('\n\n')}\n`;
};
