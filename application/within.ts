/**
 * Waits for work at most `milliseconds`, then rejects with the error of `late()`. What the work does afterwards is of no
 * account: it is not ended, and its failure is no unhandled rejection.
 */
export const within = async <Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
