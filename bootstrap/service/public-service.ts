import { protocolReply } from '../../adapters/http/api/refusal.ts';
import { listen } from '../../adapters/http/server/listener.ts';
import { cumulativeMetrics, type ProcessMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { secretUseFamilies } from '../../adapters/observability/secret-metrics.ts';
import { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import { continueCounts } from '../../application/ports/expiring-secret.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import { type Adapters, openAdapters } from './adapters.ts';
import { KeySets } from './authentication.ts';
import { Closers } from './closers.ts';
import { type Generation, openGeneration } from './generation.ts';
import { Observability, openConfiguredTracing } from './observability.ts';

/** The part of a service behind the public port; in a cluster, each worker has one. */
export interface PublicService {
  readonly url: string;
  /** What serves new requests. */
  readonly generation: Generation;
  /** Opens the next generation with the store of this service, which `replace` uses. Rejects if it cannot be opened. */
  open(configuration: Configuration): Promise<Generation>;
  /**
   * Serves new requests with another generation, and calls `replaceOthers` in the same turn. The former generation ends
   * when its requests and those of the others have ended.
   */
  replace(next: Generation, replaceOthers?: () => Promise<unknown>): void;
  metrics(): Promise<ProcessMetrics>;
  stop(): Promise<void>;
}

/** The generations that ended or are ending, with their counters, which are kept so that they never decrease. */
class FormerGenerations {
  private readonly ending = new Map<Generation, Promise<void>>();
  private counters: Promise<ProcessMetrics> = Promise.resolve([]);
  private isEmpty = true;

  add(generation: Generation, others: Promise<unknown>): void {
    this.isEmpty = false;
    const ended = generation.retire(others).then(() => {
      this.ending.delete(generation);
      this.counters = this.sum([generation]);
    });
    this.ending.set(generation, ended);
  }

  /** Ends those that still wait for their requests or deliveries, within about `remainingMs`. */
  async close(remainingMs: number): Promise<void> {
    await Promise.all([...this.ending.keys()].map((generation) => generation.close(remainingMs)));
  }

  /** Sends what is left of those that were closed. */
  async flush(remainingMs: number): Promise<void> {
    await Promise.all([...this.ending.keys()].map((generation) => generation.flush(remainingMs)));
  }

  async metrics(): Promise<ProcessMetrics> {
    return this.isEmpty ? [] : this.sum([...this.ending.keys()]);
  }

  private async sum(generations: readonly Generation[]): Promise<ProcessMetrics> {
    const { counters } = this;
    const others = generations.map((generation) => generation.metrics().catch(() => []));
    return cumulativeMetrics(await Promise.all([counters, ...others]));
  }
}

/** The parts of a generation end in time by themselves. */
const generationTimeoutMs = 15_000;

/**
 * Wires opened adapters and listens on the public port. If a part cannot be opened, closes every part that was opened,
 * including the adapters, and rejects.
 */
export const openPublicService = async (
  configuration: Configuration,
  opened: Adapters,
  log: Log,
): Promise<PublicService> => {
  const { server, operationTimeoutMs } = configuration;
  const closers = new Closers(log);
  let generation: Generation | undefined;
  let isStopping = false;
  const former = new FormerGenerations();
  try {
    const tracing = await openConfiguredTracing(process.env, log);
    // Last and together, so that a slow receiver of traces or audit entries never keeps the database open.
    closers.add('traces and audit', (remainingMs) =>
      Promise.all([tracing, generation, former].map((part) => part?.flush(remainingMs))),
    );
    closers.add('database', () => opened.store.users.close());
    closers.add(
      'features',
      (remainingMs) => Promise.all([generation?.close(remainingMs), former.close(remainingMs)]),
      generationTimeoutMs,
    );
    const observability = new Observability(tracing);
    const signal = new DeliverySignal(opened.clock);
    const store = signal.observe(opened.store);
    const shared = { observability, signal, keySets: new KeySets(), isStopping: () => isStopping, log };
    const first = await openGeneration(configuration, { ...opened, store }, shared);
    generation = first;
    const running = (): Generation => generation ?? first;
    const listener = await listen(first.handle, server, protocolReply);
    closers.add('public port', (remainingMs) => listener.stop(remainingMs), operationTimeoutMs + 1_000);
    first.start();
    return {
      url: listener.url,
      get generation() {
        return running();
      },
      open: async (next) => openGeneration(next, await openAdapters(next, log, { clock: opened.clock, store }), shared),
      replace: (next, replaceOthers = async () => undefined) => {
        if (isStopping) {
          void next.discard();
          return;
        }
        const previous = running();
        continueCounts(next.secretUses, previous.secretUses);
        listener.replace(next.handle, next.configuration.server.tls);
        generation = next;
        next.start();
        former.add(previous, replaceOthers());
      },
      metrics: async () => {
        const { secretUses, metrics } = running();
        const own = [...secretUseFamilies(secretUses), ...(await metrics())];
        return [...(await observability.report(own)), ...(await former.metrics())];
      },
      stop: () => {
        isStopping = true;
        return closers.close(operationTimeoutMs);
      },
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
};
