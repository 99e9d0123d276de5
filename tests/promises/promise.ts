/** Something that the service promises, and how it is tried: a few rounds in every test run, many in a long one. */
export interface Promised {
  /** The promise in a few words, as the table of docs/reliability.md has it. */
  readonly name: string;
  readonly rounds: { readonly short: number; readonly long: number };
  /** How long the short form may take, in milliseconds. */
  readonly patience: number;
  /** Tries it, and resolves with the figures that were met; rejects with what was seen when the promise is broken. */
  run(rounds: number): Promise<string>;
}

/** Whether this is the long run: `npm run soak`. */
const isLong = process.env.SOAK === '1';

/** How long one promise may take in the long run, in milliseconds. */
const longPatience = 30 * 60_000;

const figures: { readonly name: string; readonly figure: string }[] = [];

/** What was met so far, as the rows of a Markdown table. */
export const table = (): string =>
  ['| Promise | Met |', '|---|---|', ...figures.map(({ name, figure }) => `| ${name} | ${figure} |`)].join('\n');

/** Registers promises as tests: in their short form, or in the long one. */
export const keeps = (title: string, promises: readonly Promised[]): void => {
  describe(title, () => {
    for (const { name, rounds, patience, run } of promises) {
      it(name, async function () {
        this.timeout(isLong ? longPatience : patience);
        figures.push({ name, figure: await run(isLong ? rounds.long : rounds.short) });
      });
    }
  });
};
