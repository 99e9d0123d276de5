import { setTimeout as delay } from 'node:timers/promises';
import { callTimeoutMs } from '../../../adapters/kit/definition.ts';
import { driverOptions, durableWrite } from '../../../adapters/stores/mongodb/connection.ts';
import type { Peer } from './links.ts';
import type { MemberSet } from './member-set.ts';

/** A loop of majority writes by the driver alone, with the timeouts of the service, over the links of a node. */
export class BareDriver {
  /** When writes succeeded. */
  readonly successes: number[] = [];
  private stopping = false;
  private readonly running: Promise<void>;

  constructor(set: MemberSet, from: Peer, databaseName: string, operationTimeoutMs: number) {
    this.running = this.run(set, from, databaseName, callTimeoutMs(operationTimeoutMs));
  }

  stop(): Promise<void> {
    this.stopping = true;
    return this.running;
  }

  private async run(set: MemberSet, from: Peer, databaseName: string, timeoutMs: number): Promise<void> {
    const client = set.client(from, driverOptions(timeoutMs));
    const documents = client.db(databaseName).collection('driver', { writeConcern: durableWrite(timeoutMs) });
    while (!this.stopping) {
      try {
        await documents.updateOne({ name: 'counter' }, { $inc: { count: 1 } }, { upsert: true });
        this.successes.push(performance.now());
      } catch {
        // The next success ends the outage.
      }
      await delay(25);
    }
    await client.close();
  }
}
