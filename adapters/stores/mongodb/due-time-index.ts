import { Once } from '../../concurrency/shared-call.ts';
import { isMissingIndex, isUnindexable } from './errors.ts';
import { indexHint, type UserCollection } from './user-collection.ts';
import { delivered } from './user-record.ts';

/** The index that finds events of a destination in the order in which they are due. */
const byDueTime = { 'events.destination': 1, 'events.due': 1 } as const;

/** Takes its place where a damaged event has lists in both fields, which one index cannot contain. */
const byDueTimeAlone = { 'events.due': 1 } as const;

/** The index for the delivery of events, which is created when events are first claimed. */
export class DueTimeIndex {
  /** Creates the index, and deletes documents of removed users that a crash left. */
  private readonly prepared = new Once(() => this.prepare());
  /** The index to name in a command. */
  hint: typeof byDueTime | typeof byDueTimeAlone = byDueTime;

  constructor(private readonly users: UserCollection) {}

  /** Runs a command that names the index by due time. When that is missing, the next attempt creates it again. */
  use<T>(run: () => Promise<T>): Promise<T> {
    return this.users.callWithIndex(async () => {
      if (!this.users.readOnly) await this.prepared.get();
      try {
        return await run();
      } catch (error) {
        // The collection was dropped, or restored without events.
        if (isMissingIndex(error)) this.prepared.forget();
        throw error;
      }
    });
  }

  private async prepare(): Promise<void> {
    const { documents } = this.users;
    try {
      await documents.createIndex(byDueTime, { sparse: true });
    } catch (error) {
      if (!isUnindexable(error)) throw error;
      await documents.createIndex(byDueTimeAlone, { sparse: true });
      this.hint = byDueTimeAlone;
    }
    await documents.deleteMany(delivered, indexHint);
  }
}
