import type { Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../application/fault.ts';
import { withTimeout } from '../../application/interceptor.ts';
import type { PrimaryMessage, ReloadRequest, WorkerMessage, WorkerRequest } from './worker.ts';

/** Longer than the timeout of a component's check, so that the worker answers with the reason. */
const responseTimeoutMs = 3_500;
/** A step of a reload takes as long as reading its files, such as a list of known passwords with many millions. */
const reloadTimeoutMs = 120_000;
const probeIntervalMs = 200;
/** A worker that does not answer for so long is stalled. With the interval less than a second, in which a reload is used. */
const stallMs = 600;

/** The answer of a worker to a request. */
type WorkerResponse = Exclude<WorkerMessage, { readonly kind: 'listening' }>;

/** Sends a message to a worker. Errors are ignored: the exit event reports that a worker has ended. */
export const send = (worker: Worker, message: PrimaryMessage): void => {
  if (worker.isConnected()) worker.send(message, () => undefined);
};

interface PendingRequest {
  readonly worker: Worker;
  readonly end: (response: WorkerResponse | undefined) => void;
}

/** Requests of the primary to its workers, each with its response. */
export class WorkerRequests {
  private readonly pending = new Map<number, PendingRequest>();
  private lastId = 0;

  /** Gives a response to its request. */
  receive(response: WorkerResponse): void {
    this.pending.get(response.id)?.end(response);
  }

  /** Ends the requests to a worker that has exited, which answers none of them. */
  exited(exited: Worker): void {
    for (const { worker, end } of this.pending.values()) if (worker === exited) end(undefined);
  }

  /** Resolves with undefined if the worker exits before; rejects with a Fault if it does not answer in time. */
  async request(
    worker: Worker,
    request: WorkerRequest,
    timeoutMs = responseTimeoutMs,
  ): Promise<WorkerResponse | undefined> {
    const id = ++this.lastId;
    const received = new Promise<WorkerResponse | undefined>((end) => this.pending.set(id, { worker, end }));
    send(worker, { ...request, id });
    try {
      return await withTimeout(timeoutMs, received, () => new Fault('timed_out', 'a worker does not answer'));
    } finally {
      this.pending.delete(id);
    }
  }

  /** Takes as long as the worker needs to read its files; undefined if it exits or is found not to respond. */
  async reload(worker: Worker, request: ReloadRequest): Promise<WorkerResponse | undefined> {
    const id = ++this.lastId;
    const over = new AbortController();
    try {
      return await new Promise((end) => {
        this.pending.set(id, { worker, end });
        send(worker, { ...request, id });
        void this.silence(worker, over.signal, responseTimeoutMs).then(() => end(undefined));
      });
    } finally {
      over.abort();
      this.pending.delete(id);
    }
  }

  /** The answer of a worker; undefined if the worker stalls before. */
  async unlessStalled<Answer>(worker: Worker, answer: Promise<Answer | undefined>): Promise<Answer | undefined> {
    const over = new AbortController();
    try {
      return await Promise.race([answer, this.silence(worker, over.signal, stallMs).then(() => undefined)]);
    } finally {
      over.abort();
    }
  }

  /** Resolves when a worker does not answer for `timeoutMs`, or the time for a step of a reload is over. */
  private async silence(worker: Worker, signal: AbortSignal, timeoutMs: number): Promise<void> {
    const deadlineMs = performance.now() + reloadTimeoutMs;
    try {
      while (performance.now() < deadlineMs) {
        // A component that no worker has is answered at once.
        await this.request(worker, { kind: 'check', component: '' }, timeoutMs);
        await delay(probeIntervalMs, undefined, { signal });
      }
    } catch {
      // It does not answer, or the step is over.
    }
  }
}
