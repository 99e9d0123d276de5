import type { EmailAddress } from '../../domain/email-address.ts';
import type { MailedTokens } from '../mailed-tokens.ts';
import type { AttemptThrottle } from '../ports/attempt-counter.ts';

/** What verifies an address: the token of a link, or a code. */
export interface VerificationMethod {
  readonly tokens: MailedTokens;
  /** Limits wrong tokens. */
  readonly throttle: AttemptThrottle;
  /** Makes the link that a person opens to verify an address, or returns the code that a person enters. */
  secretOf(baseUrl: string, address: EmailAddress, token: string): string;
}

const hexDigits = 32;

/** A digest in the form of a UUID (version 8 of RFC 9562), because clients see it as the verification token. */
const asUuid = (digest: string): string => {
  const hex = Buffer.from(digest, 'base64url').toString('hex').slice(0, hexDigits);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
};

/** The same tokens, whose digests have the form of a UUID. */
export const withUuids = ({ digest, digests, ...tokens }: MailedTokens): MailedTokens => ({
  ...tokens,
  digest: (key, token) => asUuid(digest(key, token)),
  digests: (key, token) => digests(key, token).map(asUuid),
});

const isDigestOfCode = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;

/**
 * The same tokens, none of which is a digest in that form: clients see those of outstanding codes, which end when mails
 * contain links again.
 */
export const unlikeCodes = ({ digests, ...tokens }: MailedTokens): MailedTokens => ({
  ...tokens,
  digests: (key, token) => (isDigestOfCode.test(token) ? [] : digests(key, token)),
});
