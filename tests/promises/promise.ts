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

/** Registers the short form of promises as tests. */
export const keeps = (title: string, promises: readonly Promised[]): void => {
  describe(title, () => {
    for (const { name, rounds, patience, run } of promises) {
      it(name, async function () {
        this.timeout(patience);
        await run(rounds.short);
      });
    }
  });
};
