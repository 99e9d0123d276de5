// The global of this name is a getter, which runs at each use.
import { performance } from 'node:perf_hooks';
import { errorCodeOf } from '../../application/fault.ts';
import type { Interceptor } from '../../application/interceptor.ts';
import type { SecretUse } from '../../application/ports/expiring-secret.ts';

/** The code of the failure that a use case returned; undefined when it succeeded. */
export const failureCodeOf = (result: unknown): string | undefined => {
  if (typeof result !== 'object' || result === null || !('_tag' in result) || result._tag !== 'Left') return undefined;
  const failure = 'left' in result ? result.left : undefined;
  return typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : 'refused';
};

/** Values by a label, each made on its first use. */
export class ByLabel<Value> {
  readonly values = new Map<string, Value>();

  constructor(private readonly newValue: () => Value) {}

  get(label: string): Value {
    let value = this.values.get(label);
    if (value === undefined) {
      value = this.newValue();
      this.values.set(label, value);
    }
    return value;
  }
}

export interface Counter {
  total: number;
}

const newCounters = () => new ByLabel<Counter>(() => ({ total: 0 }));

/** The upper bounds of the buckets in seconds, from a read of the embedded store to the default operation timeout. */
export const bucketBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One histogram of durations. */
export class Durations {
  /** One count per bucket, not cumulative; the last bucket has no upper bound. */
  readonly counts = new Array<number>(bucketBounds.length + 1).fill(0);
  sumSeconds = 0;

  add(seconds: number): void {
    let index = 0;
    while (index < bucketBounds.length && seconds > (bucketBounds[index] ?? 0)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sumSeconds += seconds;
  }
}

const newHistograms = () => new ByLabel(() => new Durations());

/** Records the calls of one port. */
export class PortMetrics {
  /** By operation. */
  readonly durations = newHistograms();
  /** By operation and kind. */
  readonly failures = new ByLabel(newCounters);

  /** When a call last succeeded, by the clock of `performance.now()`. */
  lastSuccessMs = Number.NEGATIVE_INFINITY;

  /** An async function, so that what an adapter throws synchronously is a rejection for every caller. */
  readonly interceptor: Interceptor = async (operation, next) => {
    const startedMs = performance.now();
    try {
      const result = await next();
      this.lastSuccessMs = this.recordEnd(operation, startedMs);
      return result;
    } catch (error) {
      this.recordEnd(operation, startedMs);
      this.failures.get(operation).get(errorCodeOf(error)).total++;
      throw error;
    }
  };

  /** Records the duration of a call that ends now. Returns the time, because each look at the clock costs 40 ns. */
  private recordEnd(operation: string, startedMs: number): number {
    const endedMs = performance.now();
    this.durations.get(operation).add((endedMs - startedMs) / 1000);
    return endedMs;
  }
}

/** What is recorded of a request. */
interface AnsweredRequest {
  readonly method: string;
  readonly status: number;
  /** The client, if one was authenticated: its name, and the position of its Basic key. */
  readonly state: {
    readonly client?: AuthenticatedClient;
    /** The code of the problem document that was sent. */
    readonly code?: string;
    /** The permission that was missing. */
    readonly permission?: string | undefined;
  };
}

interface AuthenticatedClient {
  readonly name?: string | undefined;
  readonly key?: number | undefined;
  readonly secret?: SecretUse;
}

/** Counts a request with the secret that was sent, where its key has two. */
export const recordSecretUse = ({ state: { client } }: Pick<AnsweredRequest, 'state'>): void => {
  if (client?.secret === undefined) return;
  const { count, clock } = client.secret;
  count.requests++;
  count.lastMs = clock.now();
};

/** What a client may do. Refusals of the rest are counted. */
interface LimitedClient {
  readonly application: string;
  readonly may: readonly string[] | null;
  readonly properties?: object | null;
}

/** Stands for a permission where a client may not use a custom property. */
const ofProperties = 'properties';

/** Counts what clients were not permitted: by application, which is empty for tokens, and permission. */
export class NotPermittedCounts {
  readonly counters = new ByLabel(newCounters);

  /** Starts the counts of what keys lack, because Prometheus sees no increase where the first sample of a series is 1. */
  start(clients: readonly LimitedClient[], permissions: readonly string[]): void {
    for (const { application, may, properties = null } of clients) {
      const lacking = may === null ? [] : permissions.filter((permission) => !may.includes(permission));
      for (const label of [...lacking, ...(properties === null ? [] : [ofProperties])])
        this.counters.get(application).get(label);
    }
  }

  /** Records a request that was answered. A property, so that it can be passed as an observer. */
  readonly record = ({ state: { client, code, permission } }: Pick<AnsweredRequest, 'state'>): void => {
    if (code !== 'not_permitted') return;
    // The subjects of tokens are not bounded.
    const application = client?.key === undefined ? '' : (client.name ?? '');
    this.counters.get(application).get(permission ?? ofProperties).total++;
  };
}

/** Records what one process does while it serves requests. */
export class ServiceMetrics {
  /** By method, route and status. One map per label: joining the labels to one key takes ten times as long. */
  readonly requests = new ByLabel(() => new ByLabel(newHistograms));
  /** By type of the message and outcome. */
  readonly messages = new ByLabel(newCounters);
  /** Requests by application and position of the Basic key. */
  readonly keyRequests = new ByLabel(newCounters);
  readonly notPermitted = new NotPermittedCounts();
  readonly store = new PortMetrics();
  readonly mailer = new PortMetrics();
  readonly passwords = new PortMetrics();

  /** Starts the counts of Basic keys, because Prometheus sees no increase where the first sample of a series is 1. */
  startKeyCounts(keys: readonly { readonly application: string }[]): void {
    keys.forEach(({ application }, at) => void this.keyRequests.get(application).get(String(at + 1)));
  }

  /** Records a request that was answered. A property, so that it can be passed as an observer. */
  readonly recordRequest = (request: AnsweredRequest, route: string, durationMs: number): void => {
    const { method, status, state } = request;
    const { client } = state;
    recordSecretUse(request);
    this.notPermitted.record(request);
    if (client?.name !== undefined && client.key !== undefined)
      this.keyRequests.get(client.name).get(String(client.key)).total++;
    this.requests
      .get(method)
      .get(route)
      .get(String(status))
      .add(durationMs / 1000);
  };

  /** Counts commands and queries. */
  readonly messageInterceptor: Interceptor = (type, next) =>
    next().then(
      (result) => {
        this.messages.get(type).get(failureCodeOf(result) ?? 'ok').total++;
        return result;
      },
      (error: unknown) => {
        this.messages.get(type).get(errorCodeOf(error)).total++;
        throw error;
      },
    );
}
