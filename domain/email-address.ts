import * as t from 'io-ts';

interface EmailAddressBrand {
  readonly EmailAddress: unique symbol;
}
interface EmailKeyBrand {
  readonly EmailKey: unique symbol;
}

/** A valid email address, spelled as its owner gave it last. */
export type EmailAddress = t.Branded<string, EmailAddressBrand>;

/** What identifies a user: the address without regard to case. */
export type EmailKey = t.Branded<string, EmailKeyBrand>;

const longestAddress = 254;
const longestLocalPart = 64;
const ascii = /^[\0-\x7f]*$/;
// RFC 5321 dot-string, with the letters beyond ASCII of RFC 6531; quoted local parts and address literals are refused.
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const hostName =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;

// What both patterns and the limits say of an address in ASCII, as almost all are, in a fifth of the time.
const plainAddress =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-zA-Z\d](?:[a-zA-Z\d-]{0,61}[a-zA-Z\d])?(?:\.[a-zA-Z\d](?:[a-zA-Z\d-]{0,61}[a-zA-Z\d])?)*$/;

const octets = (text: string): number => (ascii.test(text) ? text.length : Buffer.byteLength(text));

const isEmailAddress = (text: string): text is EmailAddress => {
  // The first test bounds the work of the patterns.
  if (text.length > longestAddress) return false;
  if (plainAddress.test(text)) return true;
  const at = text.indexOf('@');
  if (at < 1 || octets(text) > longestAddress) return false;
  const local = text.slice(0, at);
  return octets(local) <= longestLocalPart && localPart.test(local) && hostName.test(text.slice(at + 1));
};

/** Decodes an address of at most 254 octets with a local part of at most 64 (RFC 5321, section 4.5.3.1). */
export const EmailAddress = new t.Type<EmailAddress, string, unknown>(
  'EmailAddress',
  (value): value is EmailAddress => typeof value === 'string' && isEmailAddress(value),
  (value, context) =>
    typeof value === 'string' && isEmailAddress(value)
      ? t.success(value)
      : t.failure(value, context, 'must be a valid email address'),
  t.identity,
);

// The capital sigma becomes another letter at the end of a word; the two are one without regard to case.
const lower = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

const fold = (address: string): string => (ascii.test(address) ? address.toLowerCase() : lower(address));

/** What the keys of addresses begin with that begin with a text, without regard to case. */
export const keyPrefix = (text: string): string => fold(text);

const isKey = (folded: string): folded is EmailKey => folded.includes('@');

/** The key under which the user of an address is stored: two addresses that differ in case only share it. */
export const keyOf = (address: EmailAddress): EmailKey => {
  const folded = fold(address);
  if (!isKey(folded)) throw new TypeError('a folded address has its @ still');
  return folded;
};
