import cluster, { type Worker } from 'node:cluster';
import { cumulativeMetrics, type ProcessMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { Fault } from '../../application/fault.ts';
import type { Component } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import { CommandError, WorkerStartFailed } from '../commands/command-errors.ts';
import { decodeWorkerMessage, type WorkerMessage } from './worker.ts';
import { send, WorkerRequests } from './worker-requests.ts';

const restartDelayMs = 1_000;

/** Unless the operator sets it: by default glibc keeps up to eight pools for each core, with some 10 MiB that nothing uses. */
const memoryPools = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2' };

type Listening = Extract<WorkerMessage, { kind: 'listening' }>;

/** The worker processes: starts them, requests their health and metrics, and replaces a worker that exits. */
export class WorkerPool {
  private readonly workers = new Set<Worker>();
  /** The workers that listen. A worker that is still starting does not read messages. */
  private readonly listening = new Set<Worker>();
  private readonly requests = new WorkerRequests();
  private readonly lastMetrics = new Map<Worker, ProcessMetrics>();
  /** Metrics of exited workers, kept so that counters never decrease. */
  private exitedMetrics: Promise<ProcessMetrics> = Promise.resolve([]);
  /** The components that the workers have with the present document. */
  private componentNames: readonly string[] = [];
  private stopping = false;

  constructor(
    /** The configuration that workers start with. */
    private document: unknown,
    private readonly log: Log,
  ) {}

  /** Starts a worker and resolves when it listens. Rejects with WorkerStartFailed if it exits before. */
  add(): Promise<Listening> {
    const worker = cluster.fork(memoryPools);
    const { document } = this;
    this.workers.add(worker);
    send(worker, { kind: 'start', document });
    return new Promise((resolve, reject) => {
      worker.on('message', (received: unknown) => {
        const message = decodeWorkerMessage(received);
        if (message === undefined) return;
        if (message.kind !== 'listening') return this.requests.receive(message);
        this.listening.add(worker);
        if (document === this.document) this.componentNames = message.components;
        resolve(message);
      });
      worker.once('exit', (status, signal) => {
        const hasListened = this.remove(worker);
        if (!hasListened) return reject(new WorkerStartFailed(status || 1));
        if (!this.stopping) this.replace(worker, status, signal);
      });
    });
  }

  /** Health of every component across all workers, with the present document. */
  components(): readonly Component[] {
    return this.componentNames.map((name) => this.component(name));
  }

  /** Health of one component across all workers; reports the worst. */
  component(name: string): Component {
    return { name, check: () => this.check(name) };
  }

  /** The metrics of every worker, including exited ones. If one does not answer, its last response counts. */
  async metrics(): Promise<readonly ProcessMetrics[]> {
    await Promise.allSettled(
      [...this.listening].map(async (worker) => {
        const response = await this.requests.request(worker, { kind: 'metrics' });
        if (response?.kind === 'metrics' && this.listening.has(worker)) this.lastMetrics.set(worker, response.metrics);
      }),
    );
    return [...this.lastMetrics.values(), await this.exitedMetrics];
  }

  /**
   * Opens a document of the configuration in every worker, then serves new requests with it in all of them, and in those
   * that start later; calls `useOthers` in the same turn. If a worker cannot use it, or none answers, changes nothing and
   * rejects with a CommandError. Does not wait for a worker that is stalled while others answer: it follows as soon as it
   * can. One that does not answer at all, or that is still starting with the former document, is killed and replaced.
   */
  async reload(document: unknown, useOthers: () => void): Promise<void> {
    const asked = new Map([...this.listening].map((worker) => [worker, this.prepare(worker, document)]));
    const prompt = await Promise.all([...asked].map(([worker, answer]) => this.requests.unlessStalled(worker, answer)));
    const isAnswered = prompt.some((answer) => answer !== undefined);
    const answers = isAnswered ? prompt : await Promise.all(asked.values());
    const problem = answers.find((answer) => answer?.problem !== undefined)?.problem;
    const isUnanswered = asked.size > 0 && answers.every((answer) => answer === undefined);
    // The workers stop instead, and this process ends after them: that is no failure, for which the log would alarm.
    if (this.stopping) return new Promise(() => undefined);
    if (problem !== undefined || isUnanswered) {
      for (const worker of asked.keys()) send(worker, { kind: 'discard' });
      throw new CommandError(problem ?? 'no worker answers');
    }
    this.document = document;
    this.componentNames = answers.find((answer) => answer !== undefined)?.components ?? this.componentNames;
    const used = [...this.workers].map(async (worker) => {
      // One that was not asked has started meanwhile with the former document.
      const isLate = !asked.has(worker) && this.listening.has(worker);
      const answer = await (isLate ? this.prepare(worker, document) : asked.get(worker));
      const isReady = answer !== undefined && answer.problem === undefined;
      if (!isReady || (await this.requests.reload(worker, { kind: 'use' })) === undefined) this.kill(worker);
    });
    useOthers();
    await Promise.all(used);
  }

  /** What a worker says about a document; undefined if it does not answer. */
  private async prepare(worker: Worker, document: unknown) {
    const response = await this.requests.reload(worker, { kind: 'prepare', document });
    return response?.kind === 'prepared' ? response : undefined;
  }

  /** Ends a worker that would go on with the former configuration; its exit starts another one. */
  private kill(worker: Worker): void {
    if (this.stopping || worker.isDead()) return;
    this.log.warn({ worker: worker.process.pid }, 'a worker does not use the present configuration and is killed');
    worker.process.kill('SIGKILL');
  }

  /** Lets every worker finish the requests that it accepted; kills workers that take longer than `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopping = true;
    await Promise.all(
      [...this.workers].map(
        (worker) =>
          new Promise<void>((resolve) => {
            const kill = setTimeout(() => {
              this.log.warn({ worker: worker.process.pid }, 'a worker did not stop in time and is killed');
              worker.process.kill('SIGKILL');
            }, timeoutMs);
            worker.once('exit', () => {
              clearTimeout(kill);
              resolve();
            });
            send(worker, { kind: 'stop' });
          }),
      ),
    );
  }

  private async check(component: string): Promise<string> {
    const request = { kind: 'check', component } as const;
    const responses = await Promise.all([...this.listening].map((worker) => this.requests.request(worker, request)));
    // One that exited meanwhile serves no requests; the others count.
    const healths = responses.flatMap((response) => (response?.kind === 'health' ? [response.health] : []));
    const worst = healths.find(({ healthy }) => !healthy) ?? healths[0];
    if (worst === undefined) throw new Fault('store_unavailable', 'no worker is running');
    if (!worst.healthy) throw new Fault('store_unavailable', worst.message);
    return worst.message;
  }

  /** Removes a worker that has exited and keeps its metrics; returns whether it listened. */
  private remove(worker: Worker): boolean {
    this.workers.delete(worker);
    this.requests.exited(worker);
    const last = this.lastMetrics.get(worker);
    this.lastMetrics.delete(worker);
    if (last !== undefined) this.exitedMetrics = this.exitedMetrics.then((exited) => cumulativeMetrics([exited, last]));
    return this.listening.delete(worker);
  }

  private replace(worker: Worker, status: number, signal: string): void {
    this.log.error({ worker: worker.process.pid, status, signal }, 'a worker exited and is replaced');
    const restart = (): void => {
      if (this.stopping) return;
      const { document } = this;
      this.add().catch(() => {
        // A reload killed it while it started.
        if (document !== this.document) return restart();
        this.log.error({}, 'a worker could not be replaced; trying again');
        setTimeout(restart, restartDelayMs);
      });
    };
    setTimeout(restart, restartDelayMs);
  }
}
