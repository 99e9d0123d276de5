import { keyOf } from '../../domain/email-address.ts';
import { intendedPasswords } from '../../domain/password-typos.ts';
import type { User } from '../../domain/user.ts';
import type { PasswordCache, VerifiedPassword } from '../ports/password-cache.ts';
import type { PasswordHash } from '../ports/password-hash.ts';

/** What is told about the check of a caller's password. */
export interface CheckPolicy {
  readonly headerCheck: boolean;
  readonly allowCommonMistakes: boolean;
  /** Whether an unknown user is refused as a wrong password is. */
  readonly hideUnknownUsers: boolean;
}

/** Stores passwords anew whose form is outdated. */
export interface Renewal {
  /**
   * Takes the password that a user's stored form was found to have, and tells whether the form is to be replaced. Returns
   * at once, and never throws.
   */
  offer(user: User, password: string): boolean;
  /** The expensive form that was replaced by this one, where that is still known. */
  formerOf(stored: string): string | undefined;
}

/** What is done beside a check, where the configuration asks for it. */
export interface CheckAids {
  readonly renewal?: Renewal | undefined;
  /** Remembers what let callers in, so that it need not be checked again. */
  readonly verified?: PasswordCache | undefined;
}

const attempt = (user: User | undefined, stored: string, supplied: string): VerifiedPassword => ({
  key: user && keyOf(user.email.address),
  stored,
  supplied,
});

/** Checks the passwords that callers supply. */
export class PasswordCheck {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly algorithm: PasswordHash,
    private readonly policy: CheckPolicy,
    /** After how many milliseconds nobody waits for an answer any more: no further candidate is tried then. */
    private readonly patience: number,
    private readonly aids: CheckAids,
  ) {}

  /**
   * Whether the `password` header opens what was read, a user or none. No user takes the time of a check that fails: its
   * duration does not tell that the user is unknown.
   */
  async passes(user: User | undefined, supplied: string | undefined): Promise<boolean> {
    if (!this.policy.headerCheck) return true;
    if (supplied === undefined) return false;
    // Where unknown users are hidden it is made for known ones too: the first call would take longer for one of the two.
    const decoy = user === undefined || this.policy.hideUnknownUsers ? await this.decoyForm() : '';
    const attempted = attempt(user, user?.password ?? decoy, supplied);
    // Nobody is looked for as well, and never found: neither the time nor the count of misses tells of unknown users.
    if (this.aids.verified?.has(attempted)) return true;
    const password = await this.matching(attempted.stored, supplied);
    if (user === undefined || password === undefined) return false;
    // A form that is about to be replaced is not worth remembering.
    if (!this.aids.renewal?.offer(user, password)) this.aids.verified?.add(attempted);
    return true;
  }

  /**
   * Whether what an update gives is an earlier form of the password with which the caller was let in, who read it before
   * it was stored anew. Never where nothing is stored anew.
   */
  async isFormer(given: string, stored: string, supplied: string | undefined): Promise<boolean> {
    const { renewal } = this.aids;
    if (renewal === undefined || supplied === undefined) return false;
    if (renewal.formerOf(stored) === given) return true;
    // The sender of a form chooses what it costs to verify: an expensive one counts only if it is known to be replaced.
    if (this.algorithm.inspect(given) !== 'outdated') return false;
    const password = await this.matching(stored, supplied);
    return password !== undefined && this.algorithm.verify(given, password);
  }

  /** The password of a stored form: what was supplied, or where mistakes are forgiven what may have been meant by it. */
  private async matching(stored: string, supplied: string): Promise<string | undefined> {
    if (!this.policy.allowCommonMistakes) {
      return (await this.algorithm.verify(stored, supplied)) ? supplied : undefined;
    }
    const started = performance.now();
    if (await this.algorithm.verify(stored, supplied)) return supplied;
    for (const candidate of intendedPasswords(supplied)) {
      if (performance.now() - started > this.patience) return undefined;
      if (await this.algorithm.verify(stored, candidate)) return candidate;
    }
    return undefined;
  }

  /**
   * The stored form of nobody's password, which is checked where there is no user. Nobody can guess the password: where
   * mistakes are forgiven a check that finds it would end sooner than one of a user.
   */
  private decoyForm(): Promise<string> {
    this.decoy ??= this.algorithm.hash(crypto.randomUUID()).catch((fault) => {
      this.decoy = undefined;
      throw fault;
    });
    return this.decoy;
  }
}
