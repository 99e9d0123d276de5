import { keyOf } from '../../domain/email-address.ts';
import { isRehashed } from '../../domain/entity-tag.ts';
import { typoCandidates } from '../../domain/password-typos.ts';
import type { User } from '../../domain/user.ts';
import type { Activity } from '../activity/activity.ts';
import type { PasswordCache, VerifiedPassword } from '../ports/password-cache.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { ListedPasswords } from './listed-passwords.ts';
import { isKnownFormer, type Rehasher } from './rehasher.ts';

/** The options of the block `passwordHash` that do not depend on the algorithm. */
export interface PasswordOptions {
  readonly headerCheck: boolean;
  readonly serverSideHash: boolean;
  readonly allowCommonMistakes: boolean;
}

/** The configuration of password checks. */
export interface CheckPolicy extends Pick<PasswordOptions, 'allowCommonMistakes'> {
  /** Whether an unknown user is refused like a wrong password. */
  readonly hideUnknownUsers: boolean;
  /** How long a caller waits for the response, in milliseconds: no further typo candidate is tried after it. */
  readonly timeoutMs: number;
}

/** Optional helpers of password checks. */
export interface CheckHelpers {
  readonly rehasher?: Pick<Rehasher, 'schedule' | 'stop'>;
  readonly cache?: PasswordCache;
  readonly listed?: Pick<ListedPasswords, 'schedule' | 'stop'>;
  readonly activity?: Pick<Activity, 'note' | 'stop'>;
}

/** Checks the passwords that callers supply. */
export class PasswordCheck {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly algorithm: PasswordHash,
    private readonly policy: CheckPolicy,
    private readonly helpers: CheckHelpers = {},
  ) {}

  /**
   * Whether the supplied password is that of the user. If there is no user, the check takes as long as one that fails,
   * so that its duration does not reveal whether a user exists. Throws a Fault `overloaded` as the algorithm does.
   */
  async matches(user: User | undefined, supplied: string | undefined): Promise<boolean> {
    if (supplied === undefined) return false;
    const { cache, listed, rehasher, activity } = this.helpers;
    // Where unknown users are hidden, known users wait for the decoy too, because its first hash takes longer.
    const decoy = user === undefined || this.policy.hideUnknownUsers ? await this.decoyHash() : '';
    const attempt: VerifiedPassword = {
      key: user && keyOf(user.email.address),
      stored: user?.password ?? decoy,
      supplied,
    };
    // Look up the cache for unknown users too, so that neither the duration nor the miss counter reveals them.
    if (cache?.has(attempt) !== true) {
      const password = await this.matchingPassword(attempt.stored, supplied);
      if (user === undefined || password === undefined) return false;
      listed?.schedule(user, password);
      // A stored hash that is about to be replaced is not cached.
      if (!rehasher?.schedule(user, password)) cache?.add(attempt);
    }
    if (user !== undefined) activity?.note(user);
    return true;
  }

  /** Resolves when what the helpers do in the background has ended. They begin nothing more. */
  async stop(): Promise<void> {
    const { rehasher, listed, activity } = this.helpers;
    await Promise.all([rehasher?.stop(), listed?.stop(), activity?.stop()]);
  }

  /**
   * Whether `given` is an earlier stored hash of the supplied password: a client may have read it before the password
   * was rehashed. Without rehashing, now or since the last change of the user, only an expensive one is recognized.
   */
  async isFormerHash(given: string, user: User, supplied: string | undefined): Promise<boolean> {
    if (isKnownFormer(given, user)) return true;
    if (supplied === undefined || (this.helpers.rehasher === undefined && !isRehashed(user))) return false;
    // The client chooses the cost of the hash that it sends, so an expensive one is compared but never verified.
    if (this.algorithm.inspect(given) !== 'outdated') return false;
    const password = await this.matchingPassword(user.password, supplied);
    return password !== undefined && this.algorithm.verify(given, password);
  }

  /**
   * Whether the current password, whose hash is `stored`, would still be accepted with the hash `next`, exactly or as a
   * typing mistake. The current password is found from `supplied` or, without a password header, from `given`, the new
   * password: that may be the current one with a typing mistake.
   */
  async remainsAccepted(stored: string, next: string, supplied: string | undefined, given: string): Promise<boolean> {
    const found = supplied === undefined ? undefined : await this.matchingPassword(stored, supplied);
    const password = found ?? (await this.matchingPassword(stored, given));
    return password !== undefined && (await this.matchingPassword(next, password)) !== undefined;
  }

  /** The password behind a stored hash: the supplied one or, if typos are allowed, one of its corrections. */
  private matchingPassword(stored: string, supplied: string): Promise<string | undefined> {
    const startedMs = performance.now();
    return this.algorithm
      .verify(stored, supplied)
      .then((isRight) => (isRight ? supplied : this.correctedPassword(stored, supplied, startedMs)));
  }

  private async correctedPassword(stored: string, supplied: string, startedMs: number): Promise<string | undefined> {
    if (!this.policy.allowCommonMistakes) return undefined;
    for (const candidate of typoCandidates(supplied)) {
      if (performance.now() - startedMs > this.policy.timeoutMs) return undefined;
      if (await this.algorithm.verify(stored, candidate)) return candidate;
    }
    return undefined;
  }

  /**
   * The stored hash of a random password, verified when there is no user. The password must be unguessable: with typos
   * allowed, a check that finds it would end sooner than that of a real user.
   */
  private decoyHash(): Promise<string> {
    this.decoy ??= this.algorithm.hash(crypto.randomUUID()).catch((fault) => {
      this.decoy = undefined;
      throw fault;
    });
    return this.decoy;
  }
}
