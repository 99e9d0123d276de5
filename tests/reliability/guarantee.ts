/** Something that the service promises, and how it is tried: a few rounds in every test run, many in a long one. */
export interface Promised {
  /** The promise in a few words, as the table of docs/reliability.md has it: no other promise has the same. */
  readonly name: string;
  /** Without short rounds it is tried in the long run only. */
  readonly rounds: { readonly short: number; readonly long: number };
  /** How long the short form may take, in milliseconds. */
  readonly patience: number;
  /** Tries it, and resolves with the figures that were met; rejects with what was seen when the promise is broken. */
  run(rounds: number): Promise<string>;
}

/** Whether this is the long run: `npm run test:soak`. */
export const isLong = process.env.SOAK === '1';

/** How long one promise may take in the long run, in milliseconds. */
const longPatience = 30 * 60_000;

/** The promises of this run in their order, also those that a filter leaves out. */
export const names: string[] = [];

/** What was met of the promises that were tried so far, or what was seen instead. */
export const figures = new Map<string, string>();

const broken = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `BROKEN: ${line.slice(0, 200)}`;
};

/** Registers promises as tests: in their short form, or in the long one. */
export const keeps = (title: string, promises: readonly Promised[]): void => {
  names.push(...promises.map(({ name }) => name));
  describe(title, () => {
    for (const { name, rounds, patience, run } of promises) {
      const count = isLong ? rounds.long : rounds.short;
      if (count === 0) continue;
      it(name, async function () {
        this.timeout(isLong ? longPatience : patience);
        try {
          figures.set(name, await run(count));
        } catch (error) {
          figures.set(name, broken(error));
          throw error;
        }
      });
    }
  });
};
