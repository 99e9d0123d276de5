import { randomInt } from 'node:crypto';
import { RandomStream } from './random.ts';

/** A guarantee of the service and its test: a few rounds in every test run, many in `npm run test:soak`. */
export interface Guarantee {
  /** The guarantee in a few words; unique, because it identifies the line in docs/results/reliability.csv. */
  readonly name: string;
  /** With zero short rounds it is tested in the soak run only. */
  readonly rounds: { readonly short: number; readonly long: number };
  /** Timeout of the short rounds. */
  readonly timeoutMs: number;
  /**
   * Tests the guarantee, with all random choices from a stream. Resolves with the figures for the table; rejects when the
   * guarantee does not hold.
   */
  run(rounds: number, random: RandomStream): Promise<string>;
}

/** Whether this is `npm run test:soak`. */
export const isSoakRun = process.env.SOAK === '1';

/** Determines all random choices. The environment variable SEED repeats those of another run. */
export const seed = process.env.SEED || String(randomInt(2 ** 32));

/** The random choices of a guarantee: the same for one seed, whichever other guarantees are tested. */
export const randomOf = (name: string): RandomStream => new RandomStream(seed).stream(name);

/** The command that repeats the random choices of this run, or those of one guarantee. */
export const repetition = (name?: string): string => {
  const one = name === undefined ? '' : ` -- --fgrep '${name.replaceAll("'", "'\\''")}'`;
  return `SEED=${seed} npm run test:${isSoakRun ? 'soak' : 'reliability'}${one}`;
};

/** Timeout of one guarantee in the soak run. */
const soakTimeoutMs = 120 * 60_000;

/** The names of all guarantees in their order, including those that a `--grep` excludes. */
export const names: string[] = [];

/** The result of each guarantee tested so far. */
export const results = new Map<string, string>();

/** Registers a Mocha test for each guarantee. */
export const testGuarantees = (title: string, guarantees: readonly Guarantee[]): void => {
  names.push(...guarantees.map(({ name }) => name));
  describe(title, () => {
    for (const { name, rounds, timeoutMs, run } of guarantees) {
      const count = isSoakRun ? rounds.long : rounds.short;
      if (count === 0) continue;
      it(name, async function () {
        this.timeout(isSoakRun ? soakTimeoutMs : timeoutMs);
        results.set(name, `${await run(count, randomOf(name))} (seed ${seed})`);
      });
    }
    // Here, because a test does not notice its timeout.
    afterEach('say how to repeat a failure', function () {
      const { title: name = '', err } = this.currentTest ?? {};
      if (err === undefined) return;
      const [line = ''] = err.message.split('\n');
      results.set(name, `BROKEN: ${line.slice(0, 200)} (repeat with ${repetition(name)})`);
      const heading = `${repetition(name)} repeats this:\n`;
      err.stack = `${heading}${err.stack ?? err.message}`;
      err.message = `${heading}${err.message}`;
    });
  });
};
