import { ServiceMetrics } from '../adapters/metrics/service-metrics.ts';
import { ObservedMailer } from '../adapters/observed/observed-mailer.ts';
import { ObservedPasswordHash } from '../adapters/observed/observed-password-hash.ts';
import { observedUserStore } from '../adapters/observed/observed-user-store.ts';
import type { Tracing } from '../adapters/tracing/tracing.ts';
import { type Around, nested } from '../application/ports/around.ts';
import type { Adapters } from './container.ts';

/** What watches a service at work: it is measured always, and traced where a collector is named. */
export class Observation {
  readonly metrics = new ServiceMetrics();

  constructor(readonly tracing: Tracing | undefined) {}

  /** Wraps every message of both buses. */
  get messages(): Around {
    return traced(this.tracing?.messages, this.metrics.bus);
  }

  /** The adapters as the service uses them: every call of one is watched. */
  of({ store, hash, mailer, ...others }: Adapters): Adapters {
    const { tracing, metrics } = this;
    return {
      ...others,
      store: observedUserStore(store, traced(tracing?.store, metrics.store)),
      hash: new ObservedPasswordHash(hash, traced(tracing?.passwords, metrics.passwords)),
      mailer: new ObservedMailer(mailer, traced(tracing?.mailer, metrics.mailer)),
    };
  }
}

const traced = (tracing: Around | undefined, metrics: Around): Around =>
  tracing === undefined ? metrics : nested(tracing, metrics);
