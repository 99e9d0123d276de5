import type { Engine } from './engines.ts';

/** Which engine a suite asks for: the one that all suites share, or a container that no other suite uses. */
export type Kind = 'shared' | 'private';

const remedy = (kind: Kind, variable: string): string =>
  kind === 'shared'
    ? `needs Docker, or ${variable}`
    : `needs a container of its own, and so Docker; ${variable} doesn't do for it`;

/** Why a suite can't have its engine, and what would help, in one line. */
export const explanation = ({ name, variable }: Engine, kind: Kind, error: unknown): string => {
  const reason = error instanceof Error ? error.message : String(error);
  return `${name} ${remedy(kind, variable)} (${reason.replaceAll('\n', ' ').trim()})`;
};

/** What was skipped, with the number of suites, as the last lines of a run: of one explanation for each suite. */
export const reportOf = (explanations: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const explained of explanations) counts.set(explained, (counts.get(explained) ?? 0) + 1);
  const lines = [...counts].map(
    ([explained, count]) => `  ${count} ${count === 1 ? 'suite' : 'suites'}: ${explained}\n`,
  );
  return `\nSKIPPED: tests that need what is not here did not run.\n${lines.sort().join('')}`;
};
