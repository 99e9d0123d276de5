/** A guarantee of the service and its test: a few rounds in every test run, many in `npm run test:soak`. */
export interface Guarantee {
  /** The guarantee in a few words; unique, because it identifies the line in docs/results/reliability.csv. */
  readonly name: string;
  /** With zero short rounds it is tested in the soak run only. */
  readonly rounds: { readonly short: number; readonly long: number };
  /** Timeout of the short rounds. */
  readonly timeoutMs: number;
  /** Tests the guarantee. Resolves with the figures for the table; rejects when the guarantee does not hold. */
  run(rounds: number): Promise<string>;
}

/** Whether this is `npm run test:soak`. */
export const isSoakRun = process.env.SOAK === '1';

/** Timeout of one guarantee in the soak run. */
const soakTimeoutMs = 120 * 60_000;

/** The names of all guarantees in their order, including those that a `--grep` excludes. */
export const names: string[] = [];

/** The result of each guarantee tested so far. */
export const results = new Map<string, string>();

const failureText = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `BROKEN: ${line.slice(0, 200)}`;
};

/** Registers a Mocha test for each guarantee. */
export const testGuarantees = (title: string, guarantees: readonly Guarantee[]): void => {
  names.push(...guarantees.map(({ name }) => name));
  describe(title, () => {
    for (const { name, rounds, timeoutMs, run } of guarantees) {
      const count = isSoakRun ? rounds.long : rounds.short;
      if (count === 0) continue;
      it(name, async function () {
        this.timeout(isSoakRun ? soakTimeoutMs : timeoutMs);
        try {
          results.set(name, await run(count));
        } catch (error) {
          results.set(name, failureText(error));
          throw error;
        }
      });
    }
  });
};
