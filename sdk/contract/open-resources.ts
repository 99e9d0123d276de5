import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Worker } from 'node:worker_threads';

const connectionsAndTimers = /^(?:TCPSocketWrap|TLSWrap|PipeWrap|Timeout)$/;

const openNow = (): number => process.getActiveResourcesInfo().filter((name) => connectionsAndTimers.test(name)).length;

/** Counts the connections, timers and threads that an adapter has opened since, as far as they keep the process running. */
export class OpenResources {
  private readonly before = openNow();
  private readonly workers = new Set<Worker>();

  constructor() {
    subscribe('worker_threads', this.add);
  }

  /** A thread that has ended has no id. */
  get count(): number {
    const threads = [...this.workers].filter(({ threadId }) => threadId !== -1).length;
    return Math.max(0, openNow() - this.before) + threads;
  }

  stop(): void {
    unsubscribe('worker_threads', this.add);
  }

  private readonly add = (message: unknown): void => {
    const { worker } = Object(message);
    if (worker instanceof Worker) this.workers.add(worker);
  };
}
