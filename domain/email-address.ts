import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Decoder, guarded } from './codec.ts';
import { type Failure, failure } from './failure.ts';

declare const brand: unique symbol;

/** A valid email address in the spelling that was last given. */
export type EmailAddress = string & { readonly [brand]: 'EmailAddress' };

/** Identifies a user: the address with its case folded. */
export type EmailKey = string & { readonly [brand]: 'EmailKey' };

// RFC 5321, section 4.5.3.1.
const maxAddressOctets = 254;
const maxLocalPartOctets = 64;
const ascii = /^[\0-\x7f]*$/;
// RFC 5321 dot-string with the non-ASCII letters of RFC 6531; address literals are rejected.
// Inside functions, because V8 takes milliseconds for the tables of these patterns, which few addresses need.
const isLocalPart = (text: string): boolean =>
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.test(text);
// RFC 5321, section 4.1.2: printable ASCII in quotes, in which a backslash escapes a character.
const quotedLocalPart = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
const isHostName = (text: string): boolean =>
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u.test(
    text,
  );

// The same rules for an ASCII address, in a fifth of the time.
const asciiAddress =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-zA-Z\d](?:[a-zA-Z\d-]{0,61}[a-zA-Z\d])?(?:\.[a-zA-Z\d](?:[a-zA-Z\d-]{0,61}[a-zA-Z\d])?)*$/;

const utf8 = new TextEncoder();
const octets = (text: string): number => (ascii.test(text) ? text.length : utf8.encode(text).length);

const isEmailAddress = (text: unknown): text is EmailAddress => {
  // The length first, because it bounds the work of the patterns.
  if (typeof text !== 'string' || text.length > maxAddressOctets) return false;
  if (asciiAddress.test(text)) return true;
  const at = text.lastIndexOf('@');
  if (at < 1 || octets(text) > maxAddressOctets) return false;
  const local = text.slice(0, at);
  if (octets(local) > maxLocalPartOctets || !(isLocalPart(local) || quotedLocalPart.test(local))) return false;
  return isHostName(text.slice(at + 1));
};

/**
 * EmailAddress for codecs that contain it.
 * @internal
 */
export const addressType = guarded('EmailAddress', isEmailAddress, 'must be a valid email address');

/** Decodes an address of at most 254 octets with a local part of at most 64. */
export const EmailAddress: Decoder<EmailAddress> = addressType;

/** A domain in ASCII, as mail servers and the DNS get it (UTS #46, non-transitional); undefined if there is none. */
export const asciiDomain = (domain: string): string | undefined => {
  const url = `http://${domain}`;
  const converted = URL.canParse(url) ? new URL(url).hostname : '';
  return isEmailAddress(`a@${converted}`) ? converted : undefined;
};

// The same mailbox as with other backslashes. Mailers refuse the brackets, which enclose an address in SMTP.
const mailedQuotes = /^"(?:[ !#-;=?-[\]-~]|\\["\\])*"$/;

const quotesError = (local: string): string | undefined => {
  if (isLocalPart(local.slice(1, -1))) return 'must be written without quotes';
  return mailedQuotes.test(local) ? undefined : 'must have no < and >, and backslashes only before " and \\';
};

const spellingError = (address: EmailAddress): string | undefined => {
  if (address.startsWith('"')) {
    const error = quotesError(address.slice(0, address.lastIndexOf('@')));
    if (error !== undefined) return error;
  }
  if (ascii.test(address)) return undefined;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (ascii.test(domain)) return undefined;
  const converted = asciiDomain(domain);
  return converted === undefined ? 'must have a valid domain' : `must be written with the domain ${converted}`;
};

/**
 * Refuses an address that enters the service in another spelling than the one in which mails are sent to it. The domain
 * is in ASCII, so that no two spellings name one host. Addresses that are stored already need no check.
 * @internal
 */
export const checkSpelling = (
  address: EmailAddress,
  path = 'email.address',
): Either<Failure<'unsuitable_address'>, EmailAddress> => {
  const message = spellingError(address);
  return message === undefined ? right(address) : left(failure('unsuitable_address', [{ path, message }]));
};

// The lower case of the capital sigma depends on its place in the word, so both become one.
const lowerCase = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

/** The prefix of the keys of all addresses that start with `text` in any case. */
export const keyPrefix = (text: string): string => (ascii.test(text) ? text.toLowerCase() : lowerCase(text));

/** Whether a value may be a key that the service stored. */
export const isKey = (value: unknown): value is EmailKey => typeof value === 'string' && value.includes('@');

/** The key under which a user is stored: addresses that differ only in case share it. */
export const keyOf = (address: EmailAddress): EmailKey => {
  const folded = keyPrefix(address);
  if (!isKey(folded)) throw new TypeError('a folded address keeps its @');
  return folded;
};

const gmail = ['gmail.com', 'googlemail.com'];

/**
 * What addresses of one mailbox share: the key without a tag after a plus sign, and without the dots that Gmail ignores. A
 * guess, because each mail server decides for itself: it serves to compare, never to mail.
 */
export const mailboxOf = (address: EmailAddress): EmailKey => {
  const key = keyOf(address);
  if (key.startsWith('"')) return key;
  const at = key.lastIndexOf('@');
  const [local, domain] = [key.slice(0, at), key.slice(at + 1)];
  const plus = local.indexOf('+');
  const untagged = plus > 0 ? local.slice(0, plus) : local;
  const mailbox = gmail.includes(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
  return isKey(mailbox) ? mailbox : key;
};
