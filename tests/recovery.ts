import type { UserStore } from '../application/ports/user-store.ts';

/** Asks until the store is well; fails with its last Fault after 5 seconds. */
export const recovered = async (store: UserStore): Promise<void> => {
  const deadline = performance.now() + 5_000;
  for (;;) {
    try {
      await store.check();
      return;
    } catch (fault) {
      if (performance.now() > deadline) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};
