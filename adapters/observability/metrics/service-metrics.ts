// The global of this name is a getter, which is called at each use.
import { performance } from 'node:perf_hooks';
import type { FaultCode } from '../../../application/fault.ts';
import type { Interceptor } from '../../../application/interceptor.ts';
import { kindOf, refusedWith } from '../outcome.ts';
import { Counter, Histogram, type MetricReading, reading } from './instruments.ts';

/** How long the calls of a collaborator take, by operation, and how often they fail, by operation and kind. */
class Calls {
  private readonly durations: Histogram;
  private readonly failures: Counter;

  /** Every operation and kind of failure is there from the start: from nothing to the first failure is no increase. */
  constructor(name: string, what: string, operations: readonly string[], kinds: readonly FaultCode[]) {
    this.durations = new Histogram({
      name: `latchkey_${name}_call_duration_seconds`,
      help: `Duration of calls of the ${what}, in seconds`,
      labels: ['operation'],
    });
    this.failures = new Counter({
      name: `latchkey_${name}_failures_total`,
      help: `Calls of the ${what} that failed, by kind of failure`,
      labels: ['operation', 'kind'],
    });
    for (const operation of operations) {
      this.durations.of(operation);
      for (const kind of kinds) this.failures.of(operation, kind);
    }
  }

  readonly around: Interceptor = async (operation, next) => {
    const started = performance.now();
    try {
      return await next();
    } catch (error) {
      this.failures.of(operation, kindOf(error)).add();
      throw error;
    } finally {
      this.durations.of(operation).add((performance.now() - started) / 1000);
    }
  };

  read(): readonly MetricReading[] {
    return [this.durations.read(), this.failures.read()];
  }
}

/** Everything that one process of the service measures about itself. */
export class ServiceMetrics {
  private readonly requests = new Histogram({
    name: 'latchkey_http_request_duration_seconds',
    help: 'Duration of requests until their answer was ready, in seconds; other is every path that is no route',
    labels: ['method', 'route', 'status'],
  });
  private readonly messages = new Counter({
    name: 'latchkey_bus_messages_total',
    help: 'Commands and queries by their outcome: ok, or the code of what went wrong',
    labels: ['type', 'outcome'],
  });
  private readonly storeCalls = new Calls(
    'store',
    'database',
    ['find', 'insert', 'replace', 'remove', 'check'],
    ['store_unavailable', 'store_rejected'],
  );
  private readonly mailerCalls = new Calls('mailer', 'mail provider', ['send', 'check'], ['mail_failed']);
  private readonly mailsSent = new Counter({
    name: 'latchkey_mails_sent_total',
    help: 'Mails that the mail provider took',
    labels: [],
  });
  private readonly passwordChecks = new Calls('password', 'password hash', ['hash', 'verify'], ['overloaded']);

  /** `hashQueue`: the queue of slow password hashes of this process. */
  constructor(private readonly hashQueue: { readonly length: number; readonly rejected: number }) {
    this.mailsSent.of();
  }

  /** Adds a request that was answered. */
  request(method: string, route: string, status: number, milliseconds: number): void {
    this.requests.of(method, route, String(status)).add(milliseconds / 1000);
  }

  /** Counts the messages of both buses. */
  readonly bus: Interceptor = async (type, next) => {
    try {
      const result = await next();
      this.messages.of(type, refusedWith(result) ?? 'ok').add();
      return result;
    } catch (error) {
      this.messages.of(type, kindOf(error)).add();
      throw error;
    }
  };

  readonly store: Interceptor = this.storeCalls.around;
  readonly mailer: Interceptor = async (operation, next) => {
    const result = await this.mailerCalls.around(operation, next);
    if (operation === 'send') this.mailsSent.of().add();
    return result;
  };
  readonly passwords: Interceptor = this.passwordChecks.around;

  /** What was measured since the start. */
  read(): readonly MetricReading[] {
    return [
      this.requests.read(),
      this.messages.read(),
      ...this.storeCalls.read(),
      ...this.mailerCalls.read(),
      this.mailsSent.read(),
      ...this.passwordChecks.read(),
      reading(
        'gauge',
        { name: 'latchkey_password_queue_length', help: 'Slow password hashes that wait for their turn' },
        this.hashQueue.length,
      ),
      reading(
        'counter',
        { name: 'latchkey_password_refused_total', help: 'Slow password hashes refused because too many waited' },
        this.hashQueue.rejected,
      ),
    ];
  }
}
