import { createHash } from 'node:crypto';
import { Fault } from '../../application/fault.ts';
import {
  type Attempt,
  AttemptCounter,
  type AttemptLimits,
  type AttemptStatus,
} from '../../application/ports/attempt-counter.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { type FailureCount, FailureCounts } from '../concurrency/failure-counts.ts';
import { systemClock } from '../kit/system-clock.ts';

/** What is stored of a count, which another program may have damaged. */
export type StoredCount = { readonly [Member in keyof FailureCount]: unknown };

/** Where counts are stored. Times are in milliseconds since the epoch. */
export interface CountStorage {
  /** The count under a key, which may have ended. */
  get(key: string): Promise<StoredCount | undefined>;
  /**
   * Adds a failure to the count under a key unless it has ended at `now`; otherwise starts one with this end. In one step:
   * no concurrent failure is lost. Resolves with the number of failures.
   */
  add(key: string, now: number, end: number): Promise<unknown>;
  set(key: string, count: FailureCount): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Runs such calls within a timeout, and throws their errors as Faults. */
  call<Result>(work: () => Promise<Result>): Promise<Result>;
  check(): Promise<string>;
  close(): Promise<void>;
}

const noFailures: AttemptStatus = { blockedForMs: 0, failures: 0 };

/** The counts of users, or of client addresses. */
class LimitedCounts {
  constructor(
    private readonly storage: CountStorage,
    private readonly prefix: string,
    private readonly limit: number,
    private readonly durations: Pick<AttemptLimits, 'windowMs' | 'blockMs'>,
    private readonly clock = systemClock,
  ) {}

  /** Throws the Fault `store_rejected` that names `record` for a count that another program has damaged. */
  async read(record: string): Promise<AttemptStatus> {
    const found = await this.storage.get(this.keyOf(record));
    if (found === undefined) return noFailures;
    const { failures, end } = found;
    const isTime = typeof end === 'number' && Number.isFinite(end);
    const leftMs = isTime ? end - this.clock.now() : 0;
    if (isTime && leftMs <= 0) return noFailures;
    if (isTime && typeof failures === 'number' && Number.isSafeInteger(failures) && failures >= 0)
      return { blockedForMs: failures >= this.limit ? leftMs : 0, failures };
    const message = 'a count of wrong passwords is damaged; unblock the user to remove it';
    throw new Fault('store_rejected', message, { record });
  }

  /** The same, but a damaged count is removed. */
  async readOrRemove(record: string): Promise<AttemptStatus> {
    try {
      return await this.read(record);
    } catch (error) {
      if (!(error instanceof Fault) || error.record === undefined) throw error;
      await this.remove(record);
      return noFailures;
    }
  }

  async add(record: string): Promise<void> {
    const { storage, limit, durations } = this;
    const now = this.clock.now();
    const key = this.keyOf(record);
    try {
      const failures = await storage.add(key, now, now + durations.windowMs);
      if (failures === limit) await storage.set(key, { failures, end: now + durations.blockMs });
    } catch (error) {
      // A damaged count cannot be added to; its Fault names it. A database that is down is not asked again: the call would
      // take twice its timeout.
      if (!(error instanceof Fault && error.code === 'store_unavailable')) await this.read(record);
      throw error;
    }
  }

  async remove(record: string): Promise<void> {
    await this.storage.delete(this.keyOf(record));
  }

  /** A key of fixed length that hides the user or address. */
  private keyOf(record: string): string {
    return `${this.prefix}:${createHash('sha256').update(record).digest('base64url')}`;
  }
}

/** Counts wrong passwords in a database. */
export class StoredAttempts extends AttemptCounter {
  private readonly users: LimitedCounts;
  private readonly clients: LimitedCounts | undefined;

  constructor(
    private readonly storage: CountStorage,
    limits: AttemptLimits,
    clock = systemClock,
  ) {
    super();
    const { failures, clientFailures, ofClients = limits } = limits;
    this.users = new LimitedCounts(storage, 'user', failures, limits, clock);
    if (clientFailures > 0) this.clients = new LimitedCounts(storage, 'client', clientFailures, ofClients, clock);
  }

  status({ user, client }: Attempt): Promise<AttemptStatus> {
    const { users, clients } = this;
    return this.storage.call(async () => {
      const [ofUser, ofClient] = await Promise.all([
        users.read(user),
        // A damaged count would refuse all users behind the address.
        client === undefined ? undefined : clients?.readOrRemove(client),
      ]);
      return { ...ofUser, blockedForMs: Math.max(ofUser.blockedForMs, ofClient?.blockedForMs ?? 0) };
    });
  }

  async recordFailure({ user, client }: Attempt): Promise<void> {
    const { users, clients } = this;
    await this.storage.call(async () => {
      const ofClient = client === undefined ? undefined : clients?.add(client);
      // Ends after both: whoever counts a failure again that was refused must not meet the rest of this call.
      const counted = await Promise.allSettled([users.add(user), ofClient]);
      for (const outcome of counted) if (outcome.status === 'rejected') throw outcome.reason;
    });
  }

  async reset(user: string): Promise<void> {
    await this.storage.call(() => this.users.remove(user));
  }

  check(): Promise<string> {
    return this.storage.check();
  }

  close(): Promise<void> {
    return this.storage.close();
  }
}

/** Counts wrong passwords in the memory of this process. */
export const inMemoryAttempts = (limits: AttemptLimits, clock = systemClock): AttemptCounter => {
  const counts = new FailureCounts();
  const storage: CountStorage = {
    get: async (key) => counts.get(key),
    add: async (key, now, end) => counts.add(key, now, end).failures,
    set: async (key, count) => counts.set(key, clock.now(), count),
    delete: async (key) => counts.delete(key),
    call: (work) => work(),
    check: async () => 'wrong passwords are counted in memory',
    close: async () => undefined,
  };
  return new StoredAttempts(storage, limits, clock);
};

/** Opens the attempt counter of a store, or one in the memory of this process if the store has none. */
export const openLimitedAttempts = async (
  { store: { attempts }, clock }: { readonly store: StorePorts; readonly clock: Clock },
  limits: AttemptLimits,
  log: Log,
): Promise<AttemptCounter> => {
  if (attempts !== undefined) return attempts(limits);
  log.warn({}, 'the database cannot count wrong passwords: each process counts in its memory until it stops');
  return inMemoryAttempts(limits, clock);
};
