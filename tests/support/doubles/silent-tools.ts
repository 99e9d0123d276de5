import type { AdapterContext } from '../../../adapters/kit/definition.ts';

/** What an adapter gets from the service in tests where nobody reads the log. */
export const silentContext: AdapterContext = {
  log: { info: () => {}, warn: () => {}, error: () => {} },
  operationTimeout: 30_000,
};
