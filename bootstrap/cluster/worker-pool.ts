import cluster, { type Worker } from 'node:cluster';
import { cumulativeMetrics, type ProcessMetrics } from '../../adapters/observability/exposition.ts';
import { Fault } from '../../application/fault.ts';
import type { Component } from '../../application/health.ts';
import { withTimeout } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';
import { type FromFirst, type FromWorker, type Question, readFromWorker } from './messages.ts';
import { StartFailed } from './start-failed.ts';

/** How long a worker may take to answer, in milliseconds: longer than the check of a component takes to give up. */
const patience = 3_500;
/** How long to wait before a worker that ended takes its place again, in milliseconds. */
const pauseBeforeRestart = 1_000;

type Listening = Extract<FromWorker, { kind: 'listening' }>;
type Answer = Exclude<FromWorker, Listening>;

const silent = (): Fault => new Fault('timed_out', 'a worker does not answer');

/** The processes that serve: started one after the other, asked together, replaced when one ends by itself. */
export class WorkerPool {
  private readonly workers = new Set<Worker>();
  /** Those that listen. One that still starts is asked nothing: it would not hear the question. */
  private readonly serving = new Set<Worker>();
  private readonly open = new Map<number, (answer: Answer) => void>();
  /** What each worker measured when it was asked last, and what is left of those that have ended. */
  private readonly known = new Map<Worker, ProcessMetrics>();
  private remains: Promise<ProcessMetrics> = Promise.resolve([]);
  private questions = 0;
  private stopping = false;

  constructor(private readonly log: Log) {}

  /** Starts one, and resolves with what it says when it listens. Rejects with StartFailed when it ends before. */
  add(): Promise<Listening> {
    const worker = cluster.fork();
    this.workers.add(worker);
    return new Promise((resolve, reject) => {
      let listens = false;
      worker.on('message', (received: unknown) => {
        const message = readFromWorker(received);
        if (message === undefined) return;
        if (message.kind !== 'listening') return this.open.get(message.id)?.(message);
        listens = true;
        this.serving.add(worker);
        resolve(message);
      });
      worker.once('exit', (status, signal) => {
        this.workers.delete(worker);
        this.serving.delete(worker);
        this.bury(worker);
        if (!listens) return reject(new StartFailed(status || 1));
        if (!this.stopping) this.replace(worker, status, signal);
      });
    });
  }

  /** A part of the service in every worker: as well as it is where it is worst. */
  component(name: string): Component {
    return { name, check: () => this.check(name) };
  }

  /** What every worker measured, those that have ended too; one that is too busy to answer counts as it did last. */
  async readings(): Promise<readonly ProcessMetrics[]> {
    await Promise.allSettled(
      [...this.serving].map(async (worker) => {
        const answer = await this.answerOf(worker, { kind: 'readings' });
        if (answer.kind === 'readings' && this.serving.has(worker)) this.known.set(worker, answer.readings);
      }),
    );
    return [...this.known.values(), await this.remains];
  }

  /** Lets every worker finish what it accepted, and ends it after so many milliseconds; resolves when all have ended. */
  async stop(patience: number): Promise<void> {
    this.stopping = true;
    await Promise.all(
      [...this.workers].map(
        (worker) =>
          new Promise<void>((resolve) => {
            const last = setTimeout(() => worker.process.kill('SIGKILL'), patience);
            worker.once('exit', () => {
              clearTimeout(last);
              resolve();
            });
            this.tell(worker, { kind: 'stop' });
          }),
      ),
    );
  }

  private async check(component: string): Promise<string> {
    const question = { kind: 'check', component } as const;
    const answers = await Promise.all([...this.serving].map((worker) => this.answerOf(worker, question)));
    const healths = answers.flatMap((answer) => (answer.kind === 'health' ? [answer.health] : []));
    const [first] = [...healths.filter(({ healthy }) => !healthy), ...healths];
    if (first === undefined) throw new Fault('store_unavailable', 'no worker serves just now');
    if (!first.healthy) throw new Fault('store_unavailable', first.message);
    return first.message;
  }

  private async answerOf(worker: Worker, question: Question): Promise<Answer> {
    const id = ++this.questions;
    const answered = new Promise<Answer>((resolve) => this.open.set(id, resolve));
    this.tell(worker, { ...question, id });
    try {
      return await withTimeout(patience, answered, silent);
    } finally {
      this.open.delete(id);
    }
  }

  private tell(worker: Worker, message: FromFirst): void {
    // A worker that has just ended gets nothing any more; its end is told by its exit.
    if (worker.isConnected()) worker.send(message, () => undefined);
  }

  private bury(worker: Worker): void {
    const last = this.known.get(worker);
    this.known.delete(worker);
    if (last !== undefined) this.remains = this.remains.then((earlier) => cumulativeMetrics([earlier, last]));
  }

  private replace(worker: Worker, status: number, signal: string): void {
    this.log.error({ worker: worker.process.pid, status, signal }, 'a worker ended; another one takes its place');
    const restart = (): void => {
      if (this.stopping) return;
      this.add().catch(() => {
        this.log.error({}, 'a worker could not be replaced; it is tried again');
        setTimeout(restart, pauseBeforeRestart);
      });
    };
    setTimeout(restart, pauseBeforeRestart);
  }
}
