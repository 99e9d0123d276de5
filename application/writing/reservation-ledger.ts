import { randomUUID } from 'node:crypto';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type EmailAddress, type EmailKey, isKey, keyOf } from '../../domain/email-address.ts';
import { reservationPages } from '../../domain/reservation.ts';
import type { User } from '../../domain/user.ts';
import { createUser } from '../../domain/user-update.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import { type StoredUser, type UserStore, visible } from '../ports/user-store.ts';

/** How long an address stays reserved: longer than a request that was sent can be under way (tcp_retries2, tcp(7)). */
export const reservationMs = 15 * 60_000;

const sweepIntervalMs = 5 * 60_000;
/** After the start, when users are not waiting for the first responses any more. */
const firstSweepMs = 60_000;

/** Small enough for one record of every store. */
const maxPageBytes = 200_000;
const maxAttempts = 6;

const isProperties = (json: string): json is User['properties'] => json.startsWith('{');

/** A user who only reserves an address. */
export const reservationOf = (address: EmailAddress, now: number, json = '{}'): User => {
  if (!isProperties(json)) throw new TypeError('properties are an object');
  return createUser({ address, properties: json, password: '' }, '', now);
};

/** The keys on a page, each with a mark that changes when it is recorded again. */
const pageContent = t.record(t.string, t.string);

const entriesIn = (page: StoredUser | undefined): Map<string, string> => {
  if (page === undefined) return new Map();
  try {
    const decoded = pageContent.decode(JSON.parse(page.user.properties));
    return new Map(isLeft(decoded) ? [] : Object.entries(decoded.right));
  } catch {
    return new Map();
  }
};

/** Resolves with undefined for a record that cannot be read, which must not keep the others. */
const unlessDamaged = async <Result>(work: Promise<Result>): Promise<Result | 'damaged'> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && error.record !== undefined) return 'damaged';
    throw error;
  }
};

interface Observation {
  /** The version of the reservation; undefined while there is none. */
  readonly version: string | undefined;
  readonly sinceMs: number;
}

/**
 * The addresses that processes are about to reserve, kept in the store itself, so that any process can end a reservation
 * whose own process has ended. It compares no clocks: a reservation ends after this process has seen it unchanged for 15
 * minutes. An entry that finds no room is left out: its reservation then ends with its process, or with its use.
 */
export class ReservationLedger {
  private readonly waiting = new Set<EmailKey>();
  private writing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private observations: ReadonlyMap<string, Observation> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly store: UserStore,
    private readonly clock: Clock,
    /** Counts on, whatever happens to the clock. */
    private readonly nowMs = () => performance.now(),
  ) {}

  /** Records a key before it is reserved; those that come during a write share the next one. Throws a Fault. */
  record(key: EmailKey): Promise<void> {
    this.waiting.add(key);
    const flush = (): Promise<void> => {
      this.next = undefined;
      const keys = [...this.waiting];
      this.waiting.clear();
      this.writing = this.write(keys);
      return this.writing;
    };
    this.next ??= this.writing.then(flush, flush);
    return this.next;
  }

  /** Begins to end reservations whose processes have ended. */
  start(): void {
    this.schedule(firstSweepMs);
  }

  /** Resolves when the current sweep has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.sweeping;
  }

  /** Ends the recorded reservations that this process has seen unchanged for long enough. Throws a Fault. */
  async sweep(): Promise<void> {
    const observations = new Map<string, Observation>();
    for (const address of reservationPages) {
      const page = await this.pageOf(address);
      if (page === undefined || page === 'unusable') continue;
      const entries = entriesIn(page);
      const { size } = entries;
      for (const [key, mark] of entries) {
        if (this.stopped) return;
        const id = `${address} ${mark} ${key}`;
        const observation = isKey(key) ? await this.observe(key, this.observations.get(id)) : 'ended';
        if (observation === 'ended') entries.delete(key);
        else observations.set(id, observation);
      }
      if (entries.size === 0) await this.store.remove(page);
      else if (entries.size < size) await this.put(address, page, entries);
    }
    this.observations = observations;
  }

  private async observe(key: EmailKey, previous: Observation | undefined): Promise<Observation | 'ended'> {
    if (previous !== undefined && this.nowMs() < previous.sinceMs + reservationMs) return previous;
    const holder = await unlessDamaged(this.store.find(key));
    if (holder === 'damaged' || visible(holder) !== undefined) return 'ended';
    const current = { version: holder?.version, sinceMs: this.nowMs() };
    // Also without a reservation: its process may be about to write it.
    if (previous === undefined || previous.version !== current.version) return current;
    return holder === undefined || (await this.store.remove(holder)) === 'removed' ? 'ended' : current;
  }

  private async write(keys: readonly EmailKey[]): Promise<void> {
    const mark = randomUUID().slice(0, 8);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      // Another one after each attempt, because processes write them at the same time.
      const address = reservationPages[Math.floor(Math.random() * reservationPages.length)];
      const page = address === undefined ? 'unusable' : await this.pageOf(address);
      if (address === undefined || page === 'unusable') continue;
      const entries = entriesIn(page);
      for (const key of keys) entries.set(key, mark);
      if (await this.put(address, page, entries)) return;
    }
  }

  /** Whether a page was written: it has room, and no other process was faster. */
  private async put(
    address: EmailAddress,
    page: StoredUser | undefined,
    entries: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const json = JSON.stringify(Object.fromEntries(entries));
    if (Buffer.byteLength(json) > maxPageBytes) return false;
    const next = reservationOf(address, this.clock.now(), json);
    const written = await (page === undefined ? this.store.insert(next) : this.store.replace(page, next));
    return typeof written === 'object';
  }

  /** `unusable` if the page is damaged, or somebody has made a user of its address. */
  private async pageOf(address: EmailAddress): Promise<StoredUser | 'unusable' | undefined> {
    const stored = await unlessDamaged(this.store.find(keyOf(address)));
    if (stored === 'damaged') return 'unusable';
    return visible(stored) === undefined ? stored : 'unusable';
  }

  private schedule(delayMs: number): void {
    // Random, so that processes that started together do not sweep together.
    this.timer = setTimeout(() => this.run(), delayMs * (1 + Math.random() / 4)).unref();
  }

  private run(): void {
    // The store is unavailable: the next sweep goes on.
    this.sweeping = this.sweep()
      .catch(() => undefined)
      .then(() => (this.stopped ? undefined : this.schedule(sweepIntervalMs)));
  }
}
