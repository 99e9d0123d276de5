import { SkippedSuites } from './skipped-suites.ts';

const skipped = new SkippedSuites();

/**
 * Skips the suite of a hook, and has the last lines of the run say why; where engines are required it fails instead.
 * `explained` is one line: what the suite needs, what would help, and what went wrong.
 */
export const doWithout = (hook: Mocha.Context, explained: string): never => {
  if (process.env.REQUIRE_ENGINES === '1') throw new Error(`engines are required (REQUIRE_ENGINES), and ${explained}`);
  // After the report of the tests.
  if (skipped.add(explained)) process.once('exit', () => process.stderr.write(skipped.report()));
  return hook.skip();
};
