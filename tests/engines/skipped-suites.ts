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

/** The suites that were skipped for want of an engine. */
export class SkippedSuites {
  private readonly counts = new Map<string, number>();

  /** Counts a suite under its explanation, and tells whether it is the first one. */
  add(explained: string): boolean {
    this.counts.set(explained, (this.counts.get(explained) ?? 0) + 1);
    return this.counts.size === 1 && this.counts.get(explained) === 1;
  }

  /** What was skipped, with the number of suites, as the last lines of a run. */
  report(): string {
    const lines = [...this.counts].map(
      ([explained, count]) => `  ${count} ${count === 1 ? 'suite' : 'suites'}: ${explained}\n`,
    );
    return `\nSKIPPED: tests that need a real engine did not run.\n${lines.sort().join('')}`;
  }
}
