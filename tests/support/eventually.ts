import type { UserStore } from '../../application/ports/user-store.ts';

/**
 * Repeats an attempt until it succeeds, and resolves with its result. Rejects with the last error after the timeout.
 */
export const eventually = async <Outcome>(attempt: () => Promise<Outcome>, timeoutMs: number): Promise<Outcome> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

/** Waits until the store is healthy; rejects with its last Fault after five seconds. */
export const recovered = async (store: UserStore): Promise<void> => {
  await eventually(() => store.check(), 5_000);
};
