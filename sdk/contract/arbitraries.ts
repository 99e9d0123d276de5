import * as fc from 'fast-check';
import { assembleUser } from '../../adapters/kit/user-json/stored-user.ts';
import { asProperties, fixedFields, noProperties } from '../../adapters/kit/user-json/user-writer.ts';
import { EmailAddress } from '../../domain/email-address.ts';
import { type CustomProperties, type User, UserId } from '../../domain/user.ts';
import { type UserField, userFields } from '../../domain/user-fields.ts';

/** Parses an address; throws when it is invalid. */
export const addressOf = (text: string): EmailAddress => {
  if (!EmailAddress.is(text)) throw new TypeError(`not an email address: ${text}`);
  return text;
};

/** A new user with an address. */
export const userOf = (address: string, changes: Partial<Omit<User, 'email'>> = {}): User => ({
  email: { address: addressOf(address), verification: { verified: false, token: null } },
  password: 'a stored password',
  creationTime: 1_700_000_000_000,
  lastUpdateTime: 1_700_000_000_000,
  properties: noProperties,
  ...changes,
});

/** Any code point but a surrogate: `unit: 'binary'`, which first takes a second for a map of a million characters. */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10f7ff }).map(
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800),
  (text) => {
    const point = typeof text === 'string' && [...text].length === 1 ? (text.codePointAt(0) ?? 0) : 0xd800;
    if (point >= 0xd800 && point < 0xe000) throw new TypeError('not a code point');
    return point < 0xd800 ? point : point - 0x800;
  },
);

/** Any well-formed text, including control characters, NUL and characters outside the basic plane. */
export const texts: fc.Arbitrary<string> = fc.string({ unit: codePoint, maxLength: 40 });

const internationalAddresses = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...'abzABZ09.+_äÄéßİıΣσ漢𝒜'), minLength: 1, maxLength: 16 }),
    fc.constantFrom('example.com', 'EXAMPLE.com', 'bücher.example', 'x-1.test'),
  )
  .map(([local, host]) => `${local}@${host}`);

/** Valid email addresses with letters of both cases, and beyond ASCII. */
export const addresses: fc.Arbitrary<EmailAddress> = fc
  .oneof(fc.emailAddress({ size: 'small' }), internationalAddresses)
  .filter(EmailAddress.is);

const unusualNames = ['', '$set', 'a.b', '_bsontype', '_id', 'constructor', 'toString', 'a\0b', '💥', '10', '"'];

/**
 * The values of custom properties: any JSON object without the names of fixed fields, without `__proto__`, and without
 * backslashes. Once JSON.parse of Node.js 24 or 26 has read the name `\`, it may read the name `"` as another `\`
 * (https://github.com/nodejs/node/issues/63785), and the tests read responses with it.
 */
export const propertyValues: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.dictionary(
  fc
    .oneof(texts, fc.constantFrom(...unusualNames))
    .filter((name) => !fixedFields.has(name) && name !== '__proto__' && !name.includes('\\')),
  fc.jsonValue({ stringUnit: codePoint }).filter((value) => !/"__proto__"|\\\\/.test(JSON.stringify(value))),
  { maxKeys: 6, noNullPrototype: true },
);

/** Custom properties as the service stores them: the text of a JSON object. */
export const properties: fc.Arbitrary<CustomProperties> = propertyValues.map((values) =>
  asProperties(JSON.stringify(values)),
);

const times = fc.oneof(
  fc.integer({ min: 1_500_000_000_000, max: 2_500_000_000_000 }),
  fc.constantFrom(0, 1, 2 ** 31, 2 ** 53 - 1),
);

/** Any user that the service could store. */
export const users: fc.Arbitrary<User> = fc.record({
  email: fc.record({
    address: addresses,
    verification: fc.oneof(
      fc.record({ verified: fc.boolean(), token: fc.constant(null) }),
      fc.record({ verified: fc.boolean(), token: fc.oneof(fc.uuid({ version: 4 }), texts) }),
    ),
  }),
  password: fc.oneof(
    texts.filter((text) => text !== ''),
    fc.constant('$2b$10$abcdefghijklmnopqrstuv'),
  ),
  creationTime: times,
  lastUpdateTime: times,
  properties,
});

const valuesOfKind: Readonly<Record<UserField['kind'], fc.Arbitrary<unknown>>> = {
  address: addresses,
  flag: fc.boolean(),
  text: texts.filter((text) => text !== ''),
  time: times,
  id: fc.string({ unit: fc.constantFrom(...'aZ09_-.:'), minLength: 1, maxLength: 64 }).filter(UserId.is),
  properties,
};

const valueOfField = ({ kind, presence }: UserField): fc.Arbitrary<unknown> =>
  presence === 'required' ? valuesOfKind[kind] : fc.option(valuesOfKind[kind]);

/** Any stored user, made of a value for each entry of `userFields`; fields without a value are left out at random. */
export const usersOfEveryField: fc.Arbitrary<User> = fc
  .tuple(...userFields.map(valueOfField))
  .map((values) => assembleUser(values))
  .map((user) => ({ ...user, lastUpdateTime: Math.max(user.creationTime, user.lastUpdateTime) }));
