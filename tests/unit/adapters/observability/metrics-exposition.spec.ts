import { registerHooks } from 'node:module';
import { expect } from 'chai';
import type { exposition } from '../../../../adapters/observability/metrics-exposition.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

/** The module as a process loads it for the first time. */
const loadFresh = (): Promise<{ readonly exposition: typeof exposition }> =>
  import(new URL('../../../../adapters/observability/metrics-exposition.ts?fresh', import.meta.url).href);

describe('the exposition of metrics', () => {
  it('loads its library again after a load that failed', async () => {
    const module = await loadFresh();
    const hooks = registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier === '@prometheus-io/client') throw new Error('too many open files');
        return next(specifier, context);
      },
    });
    const failed = await rejection(module.exposition([])).finally(() => hooks.deregister());
    expect(failed).to.include({ message: 'too many open files' });
    const family = { name: 'one', help: 'help', type: 'gauge', aggregator: 'max', values: [{ value: 1, labels: {} }] };
    expect(await module.exposition([[family]])).to.include('one 1');
  });
});
