import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engines.ts';

/** The variable with the path of the file where the processes of a run record skipped suites, one line for each. */
const fileVariable = 'SKIPPED_SUITES';

/** Whether a suite uses the engine that all suites share, or a container of its own. */
export type EngineKind = 'shared' | 'private';

const remedy = (kind: EngineKind, variable: string): string =>
  kind === 'shared' ? `needs Docker, or ${variable}` : `needs Docker for a container of its own, despite ${variable}`;

/** Explains in one line why an engine is not available, and what would help. */
export const explanation = ({ name, variable }: Engine, kind: EngineKind, error: unknown): string => {
  const reason = error instanceof Error ? error.message : String(error);
  return `${name} ${remedy(kind, variable)} (${reason.replaceAll('\n', ' ').trim()})`;
};

/** The report of skipped suites, from the explanation of each: explanations with the number of their suites. */
export const reportOf = (explanations: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const text of explanations) counts.set(text, (counts.get(text) ?? 0) + 1);
  const lines = [...counts].map(([text, count]) => `  ${count} ${count === 1 ? 'suite' : 'suites'}: ${text}\n`);
  return `\nSKIPPED: tests that need something missing did not run.\n${lines.sort().join('')}`;
};

/**
 * Prints the suites skipped by this process and its workers when this process exits. Returns the path of their file.
 */
export const reportAtExit = (): string => {
  const file = join(tmpdir(), `latchkey-skipped-${randomUUID()}`);
  process.env[fileVariable] = file;
  // On exit, because it comes after the report of the tests.
  process.once('exit', () => {
    if (!existsSync(file)) return;
    process.stderr.write(reportOf(readFileSync(file, 'utf8').trimEnd().split('\n')));
    rmSync(file);
  });
  return file;
};

/**
 * Skips the suite of a hook, and adds the explanation (one line) to the report. Throws instead when the variable
 * `requirement` is 1.
 */
export const skipSuite = (hook: Mocha.Context, reason: string, requirement = 'REQUIRE_ENGINES'): never => {
  if (process.env[requirement] === '1') throw new Error(`${requirement} forbids skipping, and ${reason}`);
  appendFileSync(process.env[fileVariable] ?? reportAtExit(), `${reason}\n`);
  return hook.skip();
};
