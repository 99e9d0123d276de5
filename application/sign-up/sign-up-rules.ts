import { left, right } from 'fp-ts/lib/Either.js';
import { asciiDomain, EmailAddress } from '../../domain/email-address.ts';
import { failure } from '../../domain/failure.ts';
import type { SignUpRules } from '../accounts/create-user.ts';
import { unlessDamaged } from '../fault.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import { Turns } from '../writing/turns.ts';

/** Domains in ASCII and lower case, each with its subdomains. */
export type Domains = ReadonlySet<string>;

/** The domain of a line of a list in the form in which domains are compared; undefined for anything else. */
export const listedDomain = (text: string): string | undefined => {
  const domain = text.replace(/\.$/, '');
  return EmailAddress.is(`a@${domain}`) ? asciiDomain(domain) : undefined;
};

/** Whether a domain, in ASCII and lower case, or a parent of it is on a list; null lists none. */
export const isListed = (domain: string, domains: Domains | null): boolean => {
  if (domains === null) return false;
  for (let rest = domain; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (domains.has(rest)) return true;
    if (!rest.includes('.')) return false;
  }
};

export interface SignUpPolicy {
  /** The only domains of new addresses; null for all. */
  readonly allowedDomains: Domains | null;
  readonly blockedDomains: Domains | null;
}

/**
 * The rules of a service. Blocked domains win, so that a subdomain of an allowed one can be blocked.
 * @internal
 */
export class ConfiguredSignUpRules implements SignUpRules {
  /** Counts the sign-ups of a client one after the other, so that those within the limit are not refused. */
  private readonly counts = new Turns<string>();

  constructor(
    private readonly policy: SignUpPolicy,
    /**
     * Counts sign-ups from each client address, and blocks one after a sign-up more than it may have; undefined for any
     * number.
     */
    private readonly clients?: Pick<AttemptCounter, 'recordFailure' | 'status' | 'reset'>,
  ) {}

  async admit(address: EmailAddress, client: string | undefined): ReturnType<SignUpRules['admit']> {
    const { allowedDomains, blockedDomains } = this.policy;
    const given = address.slice(address.lastIndexOf('@') + 1);
    // One that no browser accepts, such as 1.example.0x, still is a subdomain of another.
    const domain = asciiDomain(given) ?? given.toLowerCase();
    if ((allowedDomains !== null && !isListed(domain, allowedDomains)) || isListed(domain, blockedDomains))
      return left(failure('domain_not_allowed'));
    const { clients } = this;
    if (client === undefined || clients === undefined) return right(address);
    const count = async (): Promise<number> => {
      const attempt = { user: client, client: undefined };
      // Counted first, so that sign-ups at several processes do not exceed the limit together.
      await clients.recordFailure(attempt);
      return (await clients.status(attempt)).blockedForMs;
    };
    const blockedForMs = await this.counts.take(client, () =>
      unlessDamaged(count(), async () => {
        // A damaged count starts again, because it would refuse everybody behind the address.
        await clients.reset(client);
        return count();
      }),
    );
    if (blockedForMs === 0) return right(address);
    return left({ code: 'too_many_attempts', retryAfterSeconds: Math.ceil(blockedForMs / 1000) });
  }
}
