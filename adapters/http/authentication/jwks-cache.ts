import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { Jwks } from './jwks.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** Keys older than this are fetched again in the background. */
const freshMs = 5 * minuteMs;
/**
 * If the keys are older than this, requests wait for the first attempt to fetch them, so that a withdrawn key is no
 * longer accepted.
 */
const maxUncheckedMs = 10 * minuteMs;
/** Keys stay in use for this time while the issuer does not respond. */
const maxOutageMs = 24 * 60 * minuteMs;
/** The minimum time between two attempts: while keys are known, and while none are. */
const retryMs = minuteMs;
const retryWithoutKeysMs = 5 * secondMs;
/** Tokens with unknown key ids cause at most one fetch in this time. */
const unknownKeyFetchMs = minuteMs;

const noKeys = new Jwks([]);

/** The keys of an issuer, fetched when they are needed and cached. At most one fetch is pending at a time. */
export class JwksCache {
  private set = noKeys;
  private fetchedAtMs = Number.NEGATIVE_INFINITY;
  private attemptedAtMs = Number.NEGATIVE_INFINITY;
  private unknownKeyAtMs = Number.NEGATIVE_INFINITY;
  private fetching: Promise<void> | undefined;
  private failure: Fault | undefined;
  private readonly closing = new AbortController();

  constructor(
    private readonly fetch: (signal: AbortSignal) => Promise<Jwks>,
    private readonly log: Log,
    /** A monotonic clock in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether the keys can be used without `fetchIfStale`. */
  get areFresh(): boolean {
    return this.ageMs < freshMs;
  }

  /** The known keys, the same object until they change. Empty when they were never fetched, or too long ago. */
  get current(): Jwks {
    return this.areKnown ? this.set : noKeys;
  }

  get areKnown(): boolean {
    return this.ageMs < maxOutageMs;
  }

  /**
   * Starts to fetch keys that are no longer fresh. Returns a promise only if the request must wait; it resolves after a
   * failure too.
   */
  fetchIfStale(): Promise<void> | undefined {
    if (this.areFresh) return undefined;
    const isFirstAttempt = this.attemptedAtMs < this.fetchedAtMs + maxUncheckedMs;
    const mustWait = !this.areKnown || (this.ageMs >= maxUncheckedMs && isFirstAttempt);
    if (this.now() >= this.attemptedAtMs + (this.areKnown ? retryMs : retryWithoutKeysMs)) this.start();
    return mustWait ? this.fetching : undefined;
  }

  /** Fetches the keys for a token with an unknown key id, at most once a minute; undefined when it is too early. */
  fetchForUnknownKey(): Promise<void> | undefined {
    if (this.fetching !== undefined) return this.fetching;
    if (this.now() < this.unknownKeyAtMs + unknownKeyFetchMs) return undefined;
    this.unknownKeyAtMs = this.now();
    return this.start();
  }

  /** The Fault for a token that cannot be verified because no keys are known. */
  unavailable(): Fault {
    return new Fault('keys_unavailable', 'the signing keys of the issuer are not known', {
      retryAfterSeconds: retryWithoutKeysMs / secondMs,
    });
  }

  /** A line about the keys for the health check. Throws the Fault of the last fetch when it failed. */
  async check(): Promise<string> {
    this.fetchIfStale();
    await this.fetching;
    const count = `${this.current.keys.length} signing keys`;
    if (this.failure === undefined) return `${count} of the issuer are known`;
    throw new Fault(
      this.failure.code,
      this.areKnown ? `${this.failure.message}; ${count} are still used` : this.failure.message,
    );
  }

  /** Aborts a pending fetch. */
  close(): void {
    this.closing.abort();
  }

  private get ageMs(): number {
    return this.now() - this.fetchedAtMs;
  }

  private start(): Promise<void> {
    this.fetching ??= this.attempt().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  private async attempt(): Promise<void> {
    try {
      const fetched = await this.fetch(this.closing.signal);
      if (!fetched.equals(this.set)) this.set = fetched;
      this.fetchedAtMs = this.now();
      if (this.failure !== undefined)
        this.log.info({ keys: fetched.keys.length }, 'the signing keys can be fetched again');
      this.failure = undefined;
    } catch (error) {
      if (this.closing.signal.aborted) return;
      const failure = error instanceof Fault ? error : this.unavailable();
      if (this.failure === undefined) this.log.warn({ reason: failure.message }, 'the signing keys cannot be fetched');
      this.failure = failure;
    } finally {
      this.attemptedAtMs = this.now();
    }
  }
}
