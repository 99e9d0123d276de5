/** Work that somebody waits for, until it is done or late. */
class Wait {
  private timer: NodeJS.Timeout | undefined;
  private over = false;

  constructor(
    private readonly milliseconds: number,
    private readonly onLate: () => void,
  ) {}

  /** Starts to count, unless the work is done. */
  begin(): void {
    if (!this.over) this.timer = setTimeout(this.onLate, this.milliseconds);
  }

  end(): void {
    this.over = true;
    if (this.timer !== undefined) clearTimeout(this.timer);
  }
}

let begun: Wait[] = [];

const beginAll = (): void => {
  const waits = begun;
  begun = [];
  for (const wait of waits) wait.begin();
};

/**
 * Waits for work at most `milliseconds`, then rejects with the error of `late()`. What the work does afterwards is of no
 * account: it is not ended, and its failure is no unhandled rejection.
 */
// Every request passes here, and most work is done before this turn of the event loop ends: only what is not gets a
// timer, and one look at the end of the turn serves all.
export const within = <Result>(milliseconds: number, work: Promise<Result>, late: () => Error): Promise<Result> =>
  new Promise((resolve, reject) => {
    const wait = new Wait(milliseconds, () => reject(late()));
    if (begun.push(wait) === 1) setImmediate(beginAll);
    work.then(
      (result) => {
        wait.end();
        resolve(result);
      },
      (error: unknown) => {
        wait.end();
        reject(error);
      },
    );
  });
