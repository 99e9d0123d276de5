import { expect } from 'chai';
import { ServiceMetrics } from '../../adapters/observability/metrics/service-metrics.ts';
import { textOf } from './documents.ts';

const row = /^\| `(latchkey_\w+)` \| (.*?) \|/gm;

describe('docs/operations.md', () => {
  it('names every metric of the service, and no other one', () => {
    const named = [...textOf('docs/operations.md').matchAll(row)].map(([, name]) => name);
    expect(named).to.have.members(new ServiceMetrics({ length: 0, rejected: 0 }).read().map(({ name }) => name));
  });
});
