import { ServiceMetrics } from '../../adapters/observability/metrics/service-metrics.ts';
import { ObservedMailer } from '../../adapters/observability/observed-mailer.ts';
import { ObservedPasswordHash } from '../../adapters/observability/observed-password-hash.ts';
import { observedStore } from '../../adapters/observability/observed-user-store.ts';
import type { Tracing } from '../../adapters/observability/tracing/tracing.ts';
import { slowHashes } from '../../adapters/password-hashes/work-queue.ts';
import { compose, type Interceptor } from '../../application/interceptor.ts';
import type { Adapters } from '../container.ts';

/** What watches a service at work: it is measured always, and traced where a collector is named. */
export class Observation {
  readonly metrics = new ServiceMetrics(slowHashes);

  constructor(readonly tracing: Tracing | undefined) {}

  /** Wraps every message of both buses. */
  get messages(): Interceptor {
    return traced(this.tracing?.messages, this.metrics.bus);
  }

  /** The adapters as the service uses them: every call of one is watched. */
  of({ store, hash, mailer, ...others }: Adapters): Adapters {
    const { tracing, metrics } = this;
    return {
      ...others,
      store: observedStore(store, traced(tracing?.store, metrics.store)),
      hash: new ObservedPasswordHash(hash, traced(tracing?.passwords, metrics.passwords)),
      mailer: new ObservedMailer(mailer, traced(tracing?.mailer, metrics.mailer)),
    };
  }
}

const traced = (tracing: Interceptor | undefined, metrics: Interceptor): Interceptor =>
  tracing === undefined ? metrics : compose(tracing, metrics);
