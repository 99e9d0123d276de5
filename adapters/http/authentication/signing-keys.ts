import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { KeySet } from './key-set.ts';

const second = 1_000;
const minute = 60 * second;

/** From this age on keys are fetched anew while the old ones go on, in milliseconds. */
const fresh = 5 * minute;
/** From this age on a request waits for that, once: a key that was withdrawn works no longer. */
const longestUnasked = 10 * minute;
/** So long keys are good while the issuer does not answer. */
const longestOutage = 24 * 60 * minute;
/** How long to leave an issuer alone that did not answer, with keys and without any. */
const pause = minute;
const pauseWithoutKeys = 5 * second;
/** How often tokens with unknown key ids may have the keys fetched. */
const pauseBetweenUnknown = minute;

const none = new KeySet([]);

/**
 * The keys of an issuer, fetched when they are needed and kept. Times are milliseconds of a clock that never goes back.
 * One fetch is under way at most, however many ask.
 */
export class SigningKeys {
  private set = none;
  private fetchedAt = Number.NEGATIVE_INFINITY;
  private attemptedAt = Number.NEGATIVE_INFINITY;
  private unknownAt = Number.NEGATIVE_INFINITY;
  private fetching: Promise<void> | undefined;
  private failure: Fault | undefined;

  constructor(
    private readonly fetch: () => Promise<KeySet>,
    private readonly log: Log,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether nothing is to be done before the keys are used. */
  get areFresh(): boolean {
    return this.age < fresh;
  }

  /** The keys as they are known; the same object as long as they are the same. None where they were never fetched, or too long ago. */
  get current(): KeySet {
    return this.areKnown ? this.set : none;
  }

  get areKnown(): boolean {
    return this.age < longestOutage;
  }

  /** Has keys fetched that are no longer fresh. Where a request should wait for it, resolves when that is over, well or not. */
  prepare(): Promise<void> | undefined {
    if (this.areFresh) return undefined;
    const isNews = this.attemptedAt < this.fetchedAt + longestUnasked;
    const mustWait = !this.areKnown || (this.age >= longestUnasked && isNews);
    if (this.now() >= this.attemptedAt + (this.areKnown ? pause : pauseWithoutKeys)) this.start();
    return mustWait ? this.fetching : undefined;
  }

  /** Fetches the keys for a token whose key id is unknown, at most once a minute: undefined when that was done already. */
  refresh(): Promise<void> | undefined {
    if (this.fetching !== undefined) return this.fetching;
    if (this.now() < this.unknownAt + pauseBetweenUnknown) return undefined;
    this.unknownAt = this.now();
    return this.start();
  }

  /** What a caller is told whose token can't be judged. */
  unavailable(): Fault {
    return new Fault('keys_unavailable', 'the signing keys of the issuer are not known', {
      retryAfterSeconds: pauseWithoutKeys / second,
    });
  }

  /** A line about the keys; throws the Fault with which they could not be fetched last. */
  async check(): Promise<string> {
    this.prepare();
    await this.fetching;
    const many = `${this.current.keys.length} signing keys`;
    if (this.failure === undefined) return `${many} of the issuer are known`;
    throw new Fault(this.failure.code, this.areKnown ? `${this.failure.message}; ${many} go on` : this.failure.message);
  }

  private get age(): number {
    return this.now() - this.fetchedAt;
  }

  private start(): Promise<void> {
    this.fetching ??= this.attempt().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  private async attempt(): Promise<void> {
    try {
      const fetched = await this.fetch();
      if (!fetched.equals(this.set)) this.set = fetched;
      this.fetchedAt = this.now();
      if (this.failure !== undefined)
        this.log.info({ keys: fetched.keys.length }, 'the signing keys are fetched again');
      this.failure = undefined;
    } catch (error) {
      const failure = error instanceof Fault ? error : this.unavailable();
      if (this.failure === undefined) this.log.warn({ reason: failure.message }, 'the signing keys can not be fetched');
      this.failure = failure;
    } finally {
      this.attemptedAt = this.now();
    }
  }
}
