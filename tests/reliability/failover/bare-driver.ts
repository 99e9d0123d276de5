import { setTimeout as delay } from 'node:timers/promises';

/** A loop of writes by the driver alone, which shows what of an outage is the service's. */
export class BareDriver {
  /** When writes succeeded. */
  readonly successes: number[] = [];
  private stopping = false;
  private readonly running: Promise<void>;

  /** `close` ends the client after the last write. */
  constructor(write: () => Promise<unknown>, close: () => Promise<void>) {
    this.running = this.run(write).then(close);
  }

  stop(): Promise<void> {
    this.stopping = true;
    return this.running;
  }

  private async run(write: () => Promise<unknown>): Promise<void> {
    while (!this.stopping) {
      try {
        await write();
        this.successes.push(performance.now());
      } catch {
        // The next success ends the outage.
      }
      await delay(25);
    }
  }
}
