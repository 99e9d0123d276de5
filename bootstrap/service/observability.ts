import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import { ServiceMetrics } from '../../adapters/observability/metrics.ts';
import { type ProcessMetrics, processMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { hashQueueMetricFamilies, serviceMetricFamilies } from '../../adapters/observability/service-metrics.ts';
import type { Tracing } from '../../adapters/observability/tracing/index.ts';
import { slowHashes } from '../../adapters/password-hashes/slow-hashes.ts';
import { compose, type Interceptor, intercept } from '../../application/interceptor.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { Adapters } from './adapters.ts';

const composed = (tracing: Interceptor | undefined, metrics: Interceptor): Interceptor =>
  tracing === undefined ? metrics : compose(tracing, metrics);

const interceptStore = ({ users, listing, ...others }: StorePorts, interceptor: Interceptor): StorePorts => ({
  ...others,
  users: intercept(
    users,
    { find: true, insert: true, replace: true, remove: true, reserve: true, check: true, close: false },
    interceptor,
  ),
  ...(listing && { listing: intercept(listing, { list: true }, interceptor) }),
});

/** Measures a service, and traces it where a collector is configured. */
export class Observability {
  readonly metrics = new ServiceMetrics();

  constructor(readonly tracing: Tracing | undefined) {}

  /** Wraps every command and query. */
  get messages(): Interceptor {
    return composed(this.tracing?.messages, this.metrics.messageInterceptor);
  }

  /** The metrics of this process, together with those of optional parts. */
  report(others: readonly MetricFamily[]): Promise<ProcessMetrics> {
    return processMetrics([...serviceMetricFamilies(this.metrics), ...hashQueueMetricFamilies(slowHashes), ...others]);
  }

  /** The same adapters, with every call of a use case measured and traced. */
  observe({ store, hash, mailer, ...others }: Adapters): Adapters {
    const { tracing, metrics } = this;
    return {
      ...others,
      store: interceptStore(store, composed(tracing?.store, metrics.store.interceptor)),
      hash: intercept(
        hash,
        { canHash: false, hash: true, verify: true, inspect: false },
        composed(tracing?.passwords, metrics.passwords.interceptor),
      ),
      mailer: intercept(
        mailer,
        { send: true, check: true, close: false },
        composed(tracing?.mailer, metrics.mailer.interceptor),
      ),
    };
  }
}
