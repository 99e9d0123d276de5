// The global of this name is a getter, which runs at each use.
import { performance } from 'node:perf_hooks';
import { Fault, type FaultCode } from '../../application/fault.ts';
import type { Interceptor } from '../../application/interceptor.ts';

/** The code of a Fault, or `unexpected`. Messages of errors can hold values and must not become labels or attributes. */
export const errorCodeOf = (error: unknown): string => (error instanceof Fault ? error.code : 'unexpected');

/** The code of the failure that a use case returned; undefined when it succeeded. */
export const failureCodeOf = (result: unknown): string | undefined => {
  if (typeof result !== 'object' || result === null || !('_tag' in result) || result._tag !== 'Left') return undefined;
  const failure = 'left' in result ? result.left : undefined;
  return typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : 'refused';
};

class LabelNode<Value> {
  readonly children = new Map<string, LabelNode<Value>>();
  value: Value | undefined;

  add(label: string): LabelNode<Value> {
    const child = new LabelNode<Value>();
    this.children.set(label, child);
    return child;
  }
}

/** The values of a metric by their labels. One map per label: joining all labels to one key takes ten times as long. */
export class LabeledValues<Value> {
  private readonly root = new LabelNode<Value>();
  readonly all: { readonly labels: readonly string[]; readonly value: Value }[] = [];

  constructor(private readonly newValue: () => Value) {}

  /** The value with these labels. Every call has to pass the labels in the same order. */
  get(...labels: readonly string[]): Value {
    let node = this.root;
    for (const label of labels) node = node.children.get(label) ?? node.add(label);
    if (node.value === undefined) {
      node.value = this.newValue();
      this.all.push({ labels, value: node.value });
    }
    return node.value;
  }
}

export type Counter = LabeledValues<{ total: number }>;

const counter = (): Counter => new LabeledValues(() => ({ total: 0 }));

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

export type Histogram = LabeledValues<Durations>;

const histogram = (): Histogram => new LabeledValues(() => new Durations());

/** Records the calls of one port: durations by operation, failures by operation and kind. */
export class PortMetrics {
  readonly durations = histogram();
  readonly failures = counter();

  /** Creates every time series at the start: Prometheus sees no increase if the first sample of a series is a 1. */
  constructor(operations: readonly string[], faults: readonly FaultCode[]) {
    for (const operation of operations) {
      this.durations.get(operation);
      for (const fault of faults) this.failures.get(operation, fault);
    }
  }

  readonly interceptor: Interceptor = async (operation, next) => {
    const startedMs = performance.now();
    try {
      return await next();
    } catch (error) {
      this.failures.get(operation, errorCodeOf(error)).total++;
      throw error;
    } finally {
      this.durations.get(operation).add((performance.now() - startedMs) / 1000);
    }
  };
}

const storeOperations = ['find', 'insert', 'replace', 'remove', 'check'];

/** Records what one process does while it serves requests. */
export class ServiceMetrics {
  /** By method, route and status. */
  readonly requests = histogram();
  /** By type of the message and outcome. */
  readonly messages = counter();
  readonly store = new PortMetrics(storeOperations, ['store_unavailable', 'store_rejected']);
  readonly mailer = new PortMetrics(['send', 'check'], ['mail_failed']);
  mailsSent = 0;
  readonly passwords = new PortMetrics(['hash', 'verify'], ['overloaded']);

  /** Records a request that was answered. A property, so that it can be passed as an observer. */
  readonly recordRequest = (
    { method, status }: { readonly method: string; readonly status: number },
    route: string,
    durationMs: number,
  ): void => {
    this.requests.get(method, route, String(status)).add(durationMs / 1000);
  };

  /** Counts commands and queries. */
  readonly messageInterceptor: Interceptor = async (type, next) => {
    try {
      const result = await next();
      this.messages.get(type, failureCodeOf(result) ?? 'ok').total++;
      return result;
    } catch (error) {
      this.messages.get(type, errorCodeOf(error)).total++;
      throw error;
    }
  };

  readonly mailerInterceptor: Interceptor = async (operation, next) => {
    const result = await this.mailer.interceptor(operation, next);
    if (operation === 'send') this.mailsSent++;
    return result;
  };
}
