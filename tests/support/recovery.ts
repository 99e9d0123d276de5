import type { UserStore } from '../../application/ports/user-store.ts';

/** Tries until an attempt succeeds, and gives what came of it; fails with the last error after `patience` milliseconds. */
export const eventually = async <Outcome>(attempt: () => Promise<Outcome>, patience: number): Promise<Outcome> => {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

/** Asks until the store is well; fails with its last Fault after 5 seconds. */
export const recovered = async (store: UserStore): Promise<void> => {
  await eventually(() => store.check(), 5_000);
};
