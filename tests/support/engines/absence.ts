import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from './skipped-suites.ts';

/** Names the file in which the processes of a run note what they skip, a line for each suite. */
const variable = 'SKIPPED_SUITES';

/** Has this process say at its end what was skipped in it, and in the workers that it starts; gives the file of it. */
export const reportAtEnd = (): string => {
  const file = join(tmpdir(), `latchkey-skipped-${randomUUID()}`);
  process.env[variable] = file;
  // After the report of the tests.
  process.once('exit', () => {
    if (!existsSync(file)) return;
    process.stderr.write(reportOf(readFileSync(file, 'utf8').trimEnd().split('\n')));
    rmSync(file);
  });
  return file;
};

/**
 * Skips the suite of a hook, and has the last lines of the run say why; where its kind of thing is required, it fails
 * instead. `explained` is one line: what the suite needs, what would help, and what went wrong.
 */
export const doWithout = (hook: Mocha.Context, explained: string, requirement = 'REQUIRE_ENGINES'): never => {
  if (process.env[requirement] === '1') throw new Error(`nothing may be skipped (${requirement}), and ${explained}`);
  appendFileSync(process.env[variable] ?? reportAtEnd(), `${explained}\n`);
  return hook.skip();
};
