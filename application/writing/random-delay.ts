/** Waits for a random time of at most `maxMs`, so that competing writers do not collide again. */
export const randomDelay = (maxMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));
