import cluster, { type Worker } from 'node:cluster';
import { cumulativeMetrics, type ProcessMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { Fault } from '../../application/fault.ts';
import type { Component } from '../../application/health.ts';
import { withTimeout } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';
import { CommandError, WorkerStartFailed } from '../commands/command-errors.ts';
import {
  decodeWorkerMessage,
  type PrimaryMessage,
  type ReloadRequest,
  type WorkerMessage,
  type WorkerRequest,
} from './worker.ts';

/** Longer than the timeout of a component's check, so that the worker answers with the reason. */
const responseTimeoutMs = 3_500;
const restartDelayMs = 1_000;

type Listening = Extract<WorkerMessage, { kind: 'listening' }>;
type WorkerResponse = Exclude<WorkerMessage, Listening>;

/** The worker processes: starts them, requests their health and metrics, and replaces a worker that exits. */
export class WorkerPool {
  private readonly workers = new Set<Worker>();
  /** The workers that listen. A worker that is still starting does not read messages. */
  private readonly listening = new Set<Worker>();
  private readonly pendingResponses = new Map<number, (response: WorkerResponse) => void>();
  private readonly lastMetrics = new Map<Worker, ProcessMetrics>();
  /** Metrics of exited workers, kept so that counters never decrease. */
  private exitedMetrics: Promise<ProcessMetrics> = Promise.resolve([]);
  private lastId = 0;
  private stopping = false;

  constructor(
    /** The configuration that workers start with. */
    private document: unknown,
    private readonly log: Log,
  ) {}

  /** Starts a worker and resolves when it listens. Rejects with WorkerStartFailed if it exits before. */
  add(): Promise<Listening> {
    const worker = cluster.fork();
    this.workers.add(worker);
    this.send(worker, { kind: 'start', document: this.document });
    return new Promise((resolve, reject) => {
      worker.on('message', (received: unknown) => {
        const message = decodeWorkerMessage(received);
        if (message === undefined) return;
        if (message.kind !== 'listening') return this.pendingResponses.get(message.id)?.(message);
        this.listening.add(worker);
        resolve(message);
      });
      worker.once('exit', (status, signal) => {
        const hasListened = this.remove(worker);
        if (!hasListened) return reject(new WorkerStartFailed(status || 1));
        if (!this.stopping) this.replace(worker, status, signal);
      });
    });
  }

  /** Health of one component across all workers; reports the worst. */
  component(name: string): Component {
    return { name, check: () => this.check(name) };
  }

  /** The metrics of every worker, including exited ones. If one does not answer, its last response counts. */
  async metrics(): Promise<readonly ProcessMetrics[]> {
    await Promise.allSettled(
      [...this.listening].map(async (worker) => {
        const response = await this.request(worker, { kind: 'metrics' });
        if (response.kind === 'metrics' && this.listening.has(worker)) this.lastMetrics.set(worker, response.metrics);
      }),
    );
    return [...this.lastMetrics.values(), await this.exitedMetrics];
  }

  /**
   * Opens a document of the configuration in every worker, then serves new requests with it in all of them, and in those
   * that start later. If a worker cannot use it, changes nothing and rejects with a CommandError.
   */
  async reload(document: unknown): Promise<readonly string[]> {
    const prepared = new Set(this.listening);
    const problems = await Promise.all([...prepared].map((worker) => this.prepare(worker, document)));
    const problem = problems.find((found) => found !== undefined);
    if (problem !== undefined) {
      for (const worker of prepared) this.send(worker, { kind: 'discard' });
      throw new CommandError(problem);
    }
    this.document = document;
    const used = await Promise.all(
      [...this.workers].map(async (worker) => {
        // It started with the former document.
        if (!prepared.has(worker)) await this.prepare(worker, document);
        return this.reloadRequest(worker, { kind: 'use' });
      }),
    );
    return used.flatMap((response) => (response?.kind === 'used' ? [response.components] : []))[0] ?? [];
  }

  /** Why a worker cannot use a document; undefined if it can. */
  private async prepare(worker: Worker, document: unknown): Promise<string | undefined> {
    const response = await this.reloadRequest(worker, { kind: 'prepare', document });
    return response?.kind === 'prepared' ? response.problem : undefined;
  }

  /** Takes as long as the worker needs to read its files; undefined if it exits, because another one replaces it. */
  private async reloadRequest(worker: Worker, request: ReloadRequest): Promise<WorkerResponse | undefined> {
    const id = ++this.lastId;
    let end = (): void => undefined;
    try {
      return await new Promise((resolve) => {
        end = () => resolve(undefined);
        worker.once('exit', end);
        this.pendingResponses.set(id, resolve);
        this.send(worker, { ...request, id });
      });
    } finally {
      worker.off('exit', end);
      this.pendingResponses.delete(id);
    }
  }

  /** Lets every worker finish the requests that it accepted; kills workers that take longer than `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopping = true;
    await Promise.all(
      [...this.workers].map(
        (worker) =>
          new Promise<void>((resolve) => {
            const kill = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs);
            worker.once('exit', () => {
              clearTimeout(kill);
              resolve();
            });
            this.send(worker, { kind: 'stop' });
          }),
      ),
    );
  }

  private async check(component: string): Promise<string> {
    const request = { kind: 'check', component } as const;
    const responses = await Promise.all([...this.listening].map((worker) => this.request(worker, request)));
    const healths = responses.flatMap((response) => (response.kind === 'health' ? [response.health] : []));
    const worst = healths.find(({ healthy }) => !healthy) ?? healths[0];
    if (worst === undefined) throw new Fault('store_unavailable', 'no worker is running');
    if (!worst.healthy) throw new Fault('store_unavailable', worst.message);
    return worst.message;
  }

  private async request(worker: Worker, request: WorkerRequest): Promise<WorkerResponse> {
    const id = ++this.lastId;
    const received = new Promise<WorkerResponse>((resolve) => this.pendingResponses.set(id, resolve));
    this.send(worker, { ...request, id });
    try {
      return await withTimeout(responseTimeoutMs, received, () => new Fault('timed_out', 'a worker does not answer'));
    } finally {
      this.pendingResponses.delete(id);
    }
  }

  private send(worker: Worker, message: PrimaryMessage): void {
    // Errors are ignored: the exit event reports that a worker has ended.
    if (worker.isConnected()) worker.send(message, () => undefined);
  }

  /** Removes a worker that has exited and keeps its metrics; returns whether it listened. */
  private remove(worker: Worker): boolean {
    this.workers.delete(worker);
    const last = this.lastMetrics.get(worker);
    this.lastMetrics.delete(worker);
    if (last !== undefined) this.exitedMetrics = this.exitedMetrics.then((exited) => cumulativeMetrics([exited, last]));
    return this.listening.delete(worker);
  }

  private replace(worker: Worker, status: number, signal: string): void {
    this.log.error({ worker: worker.process.pid, status, signal }, 'a worker exited and is replaced');
    const restart = (): void => {
      if (this.stopping) return;
      this.add().catch(() => {
        this.log.error({}, 'a worker could not be replaced; trying again');
        setTimeout(restart, restartDelayMs);
      });
    };
    setTimeout(restart, restartDelayMs);
  }
}
