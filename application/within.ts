/**
 * Waits for work at most `milliseconds`, then rejects with the error of `late()`. What the work does afterwards is of no
 * account: it is not ended, and its failure is no unhandled rejection.
 */
// Every request passes here, and a race of promises with its own cleaning up takes several times as long.
export const within = <Result>(milliseconds: number, work: Promise<Result>, late: () => Error): Promise<Result> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
