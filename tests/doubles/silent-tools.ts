import type { Tools } from '../../application/ports/adapter.ts';

/** What an adapter gets from the service in tests where nobody reads the log. */
export const silentTools: Tools = {
  log: { info: () => {}, warn: () => {}, error: () => {} },
  operationTimeout: 30_000,
};
