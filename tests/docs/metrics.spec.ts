import { expect } from 'chai';
import { ServiceMetrics } from '../../adapters/observability/metrics.ts';
import { secretExpiryFamilies, secretUseFamilies } from '../../adapters/observability/secret-metrics.ts';
import {
  adminMetricFamilies,
  hashQueueMetricFamilies,
  serviceMetricFamilies,
} from '../../adapters/observability/service-metrics.ts';
import { ReloadStatus } from '../../bootstrap/reload/reload-status.ts';
import { textOf } from './documents.ts';

const row = /^\| `(latchkey_\w+)` \| (.*?) \|/gm;

describe('docs/operations.md', () => {
  it('lists exactly the metrics of the service', () => {
    const named = [...textOf('docs/operations.md').matchAll(row)].map(([, name]) => name);
    const families = [
      ...serviceMetricFamilies(new ServiceMetrics()),
      ...hashQueueMetricFamilies({ length: 0, rejected: 0 }),
      ...adminMetricFamilies(true, []),
      ...new ReloadStatus().metrics(),
      ...secretExpiryFamilies([{ option: 'auth.keys[0].secrets[0]', expires: 0 }]),
      ...secretUseFamilies([{ option: 'auth.keys[0].secrets[0]', id: '', count: { requests: 0, lastMs: 0 } }]),
    ];
    expect(named).to.have.members(families.map(({ name }) => name));
  });
});
