import { isUtf8 } from 'node:buffer';
import * as t from 'io-ts';
import type { FieldError } from '../../domain/failure.ts';
import type { JsonObject } from '../kit/exact-json.ts';
import { importFormat } from './import-format.ts';
import { hasValue, isMeaningful, isSet, optional, textMember, textsOf, timeOf } from './record-members.ts';
import { phcString } from './stored-hashes.ts';

const encoded = t.type({ value: t.string, encoding: optional.text });
const customHash = t.type({
  algorithm: t.string,
  hash: encoded,
  salt: t.union([t.intersection([encoded, t.type({ position: optional.text })]), t.null, t.undefined]),
  password: t.union([t.type({ encoding: optional.text }), t.null, t.undefined]),
});

/** The algorithms whose `hash.value` is a stored hash with its salt and costs. */
const selfContained: ReadonlySet<string> = new Set(['argon2', 'bcrypt', 'ldap', 'pbkdf2']);
/** The encodings of a password that give the same bytes as UTF-8, for every character that they have. */
const passwordEncodings: ReadonlySet<unknown> = new Set([undefined, null, 'utf8', 'ascii']);

const scryptCosts = t.type({ cost: t.number, blockSize: t.number, parallelization: t.number });

/** The encoding of Node.js for a name of Auth0; UTF-8 for all others. */
const encodingOf = (name: string | null | undefined): BufferEncoding =>
  name === 'hex' || name === 'base64' ? name : 'utf8';

const bytesOf = ({ value, encoding }: t.TypeOf<typeof encoded>): Buffer => Buffer.from(value, encodingOf(encoding));

/** The names of digests with a salt after the password, as LDAP has them (RFC 2307). */
const ldapNames: Readonly<Record<string, string>> = { md5: 'SMD5', sha1: 'SSHA', sha256: 'SSHA256', sha512: 'SSHA512' };

/** The stored hash of a digest; undefined if Latchkey has none for it. */
const digestHash = ({ algorithm, hash, salt }: t.TypeOf<typeof customHash>): string | undefined => {
  const digest = bytesOf(hash);
  const hex = digest.toString('hex');
  if (salt?.position === 'suffix')
    return `{${ldapNames[algorithm]}}${Buffer.concat([digest, bytesOf(salt)]).toString('base64')}`;
  const saltBytes = salt ? bytesOf(salt) : Buffer.alloc(0);
  if (!isUtf8(saltBytes)) return undefined;
  const prefix = saltBytes.toString();
  if (algorithm === 'sha256') return prefix === '' || prefix.length === 16 ? prefix + hex : undefined;
  return algorithm === 'sha512' || prefix.includes('$') ? undefined : `${algorithm}$${prefix}$${hex}`;
};

/** The stored hash of `custom_password_hash`; undefined if Latchkey has none for its algorithm. */
const storedHash = (given: t.TypeOf<typeof customHash>): string | undefined => {
  const { algorithm, hash, salt } = given;
  if (!passwordEncodings.has(given.password?.encoding)) return undefined;
  if (Object.hasOwn(ldapNames, algorithm)) return digestHash(given);
  if (selfContained.has(algorithm)) return hash.value;
  if (algorithm !== 'scrypt') return undefined;
  if (!scryptCosts.is(given) || !salt) return undefined;
  const costs = { ln: Math.log2(given.cost), r: given.blockSize, p: given.parallelization };
  return phcString('scrypt', costs, bytesOf(salt).toString('base64'), bytesOf(hash).toString('base64'));
};

/** A MongoDB ObjectId, which identifies users in Auth0's delivery of hashes. */
const objectId = t.type({ $oid: t.string });
const emailIdentifier = t.type({ type: t.literal('email'), value: t.string, verified: optional.flag });
const identity = t.type({ provider: t.string });

/** The user id as in tokens of Auth0. The delivery of hashes omits the prefix `auth0|`. */
const userIdIn = ({ values }: JsonObject): string | undefined => {
  const id = values.alt_id ?? (objectId.is(values._id) ? values._id.$oid : undefined);
  return typeof id === 'string' ? `auth0|${id}` : undefined;
};

/** With colons, because ids have no bars. The prefix stays: users of two connections may have the same rest. */
const idOf = (userId: unknown): unknown => (typeof userId === 'string' ? userId.replaceAll('|', ':') : undefined);

const deliveredHash = t.type({ email: optional.text, identifiers: optional.list, passwordHash: optional.text });

interface Addresses {
  readonly email?: string | null | undefined;
  readonly identifiers?: readonly unknown[] | null | undefined;
}

const addressIn = ({ email, identifiers }: Addresses = {}): string | undefined =>
  email ?? identifiers?.find(emailIdentifier.is)?.value;

/** How a user and the hashes that are delivered later or earlier contradict each other; either may be out of date. */
const conflictOf = (
  user: Addresses,
  hashes: readonly t.TypeOf<typeof deliveredHash>[],
  isUser: boolean,
): FieldError | undefined => {
  if (!isUser) return { path: 'user_id', message: 'the user is among the hashes alone: created or deleted since' };
  const addresses = [user, ...hashes].map(addressIn).filter((address) => address !== undefined);
  if (new Set(addresses.map((address) => address.toLowerCase())).size > 1)
    return { path: 'email', message: 'the address of the user and that of the hash differ: one was changed since' };
  const passwords = new Set(hashes.map(({ passwordHash }) => passwordHash));
  return passwords.size > 1 ? { path: 'hashes', message: 'the user has several hashes' } : undefined;
};

const profile = [
  ...['user_id', 'username', 'name', 'nickname', 'given_name', 'family_name', 'picture', 'phone_number'],
  ...['user_metadata', 'app_metadata'],
];

const knownOfHash: ReadonlySet<string> = new Set([
  ...['_id', 'alt_id', 'email', 'email_verified', 'identifiers', 'passwordHash'],
]);

/** The names of other members of a hash that have a value. */
const othersOfHash = (hash: object): readonly string[] =>
  Object.entries(hash)
    .filter(([name, value]) => !knownOfHash.has(name) && isMeaningful(value))
    .map(([name]) => `hashes.${name}`);

/**
 * Auth0: the JSON Lines of an export of users, of the password hashes that its support delivers, or of users joined with
 * their `hashes` (docs/password-migration.md); or the JSON of a bulk import.
 * https://auth0.com/docs/manage-users/user-migration/bulk-user-exports,
 * https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0 and
 * https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples
 */
export const auth0 = importFormat({
  listName: 'users',
  codec: t.type({
    email: optional.text,
    email_verified: optional.flag,
    identifiers: optional.list,
    passwordHash: optional.text,
    password_hash: optional.text,
    custom_password_hash: t.union([customHash, t.null, t.undefined]),
    hashes: t.union([t.array(deliveredHash), t.null, t.undefined]),
    created_at: optional.time,
    updated_at: optional.time,
    last_login: optional.time,
    identities: optional.list,
    blocked: optional.flag,
  }),
  otherKnown: [
    ...['_id', 'alt_id', ...profile, 'phone_verified'],
    ...['mfa_factors', 'multifactor', 'guardian_authenticators'],
  ],
  user: ({ passwordHash, password_hash, custom_password_hash, hashes, ...values }, record) => {
    const has = (...names: readonly string[]) => names.some((name) => hasValue(record.values[name]));
    const userId = has('user_id') ? undefined : userIdIn(record);
    const identifier = values.identifiers?.find(emailIdentifier.is);
    const address = addressIn(values);
    const custom = custom_password_hash ? (storedHash(custom_password_hash) ?? 'hash of another system') : undefined;
    return {
      id: idOf(userId ?? record.values.user_id),
      address: has('user_id') ? address : (address ?? addressIn(hashes?.[0])),
      verified: isSet(values.email_verified ?? identifier?.verified),
      password: passwordHash || password_hash || custom || hashes?.[0]?.passwordHash || undefined,
      creationTime: timeOf(values.created_at),
      lastUpdateTime: timeOf(values.updated_at),
      lastCheckTime: timeOf(values.last_login),
      isDisabled: isSet(values.blocked),
      conflict: hashes ? conflictOf(values, hashes, has('user_id')) : undefined,
      properties: [...(userId === undefined ? [] : [textMember('user_id', userId)]), ...textsOf(record, profile)],
      leftOut: {
        linked_accounts: values.identities?.some((one) => identity.is(one) && one.provider !== 'auth0') === true,
        other_addresses: values.identifiers?.some((one) => !emailIdentifier.is(one) || one.value !== address) === true,
        phone_verification: has('phone_verified'),
        second_factors: has('mfa_factors', 'multifactor', 'guardian_authenticators'),
      },
      otherMembers: (hashes ?? []).flatMap(othersOfHash),
    };
  },
});
