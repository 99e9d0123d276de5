import type { AdapterContext } from '../../../adapters/kit/definition.ts';

/** An adapter context with a log that discards everything. */
export const silentContext: AdapterContext = {
  log: { info: () => {}, warn: () => {}, error: () => {} },
  operationTimeoutMs: 30_000,
};
