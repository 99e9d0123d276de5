import type { StorePorts } from '../../application/ports/user-store.ts';

/** A store under test; `dispose` closes it and removes its data. */
export interface OpenedStore {
  readonly store: StorePorts;
  /**
   * Opens the same database once more, as another process does; `dispose` closes this store, too. Without it, tests of
   * what two processes do to each other are skipped.
   */
  reopen?(): Promise<StorePorts>;
  dispose(): Promise<void>;
}
