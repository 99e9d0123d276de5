import * as t from 'io-ts';
import { importFormat } from './import-format.ts';
import { hasValue, isMeaningful, isSet, objectMember, optional, textsOf, timeOf } from './record-members.ts';
import { firebaseScrypt } from './stored-hashes.ts';

const address = t.type({ value: t.string, via: optional.text, verified: optional.flag });
const passwordCredential = t.type({ config: t.type({ hashed_password: optional.text }) });

/** In Ory's scrypt strings, `ln` is the cost N itself instead of its logarithm. */
const scryptCosts = /^\$scrypt\$ln=(\d+),/;
const fromFirebase = /^\$firescrypt\$[^$]*\$([^$]+)\$([^$]+)\$/;

const storedHash = (given: string): string => {
  const [, salt, hash] = fromFirebase.exec(given) ?? [];
  if (salt !== undefined && hash !== undefined) return firebaseScrypt(salt, hash);
  return given.replace(scryptCosts, (whole, n) => (Number(n) > 63 ? `$scrypt$ln=${Math.log2(Number(n))},` : whole));
};

const secondFactors = ['totp', 'lookup_secret', 'webauthn'];
const linkedAccounts = ['oidc', 'saml', 'passkey'];
const knownCredentials: ReadonlySet<string> = new Set(['password', ...secondFactors, ...linkedAccounts]);

/**
 * Ory Kratos: the identities of `GET /admin/identities?include_credential=password` or of `ory list identities --format
 * json`, which has no hashes.
 * https://www.ory.com/docs/reference/api#tag/identity/operation/listIdentities and, for the forms of hashes,
 * https://www.ory.com/docs/kratos/manage-identities/import-user-accounts-identities#hashed-passwords
 */
export const kratos = importFormat({
  listName: 'identities',
  codec: t.type({
    traits: optional.object,
    verifiable_addresses: t.union([t.array(address), t.null, t.undefined]),
    recovery_addresses: t.union([t.array(address), t.null, t.undefined]),
    credentials: optional.object,
    state: optional.text,
    created_at: optional.time,
    updated_at: optional.time,
  }),
  otherKnown: ['id', 'external_id', 'metadata_public', 'metadata_admin', 'organization_id'],
  user: ({ traits, verifiable_addresses: addresses, credentials, ...values }, record) => {
    const emails = (addresses ?? []).filter(({ via }) => via === 'email');
    const trait = traits?.email;
    const email = typeof trait === 'string' ? trait : emails[0]?.value;
    const { password } = credentials ?? {};
    const hash = passwordCredential.is(password) ? password.config.hashed_password : undefined;
    const has = (names: readonly string[]) => names.some((name) => hasValue(credentials?.[name]));
    const isAddress = (text: string) => text.toLowerCase() === email?.toLowerCase();
    const traitsText = record.members.find(({ name }) => name === 'traits')?.text.replace(/^"traits":/, '');
    return {
      address: email,
      verified: emails.some(({ value, verified }) => isAddress(value) && isSet(verified)),
      password: hash ? storedHash(hash) : undefined,
      creationTime: timeOf(values.created_at),
      lastUpdateTime: timeOf(values.updated_at),
      isDisabled: values.state === 'inactive',
      properties: [
        ...textsOf(record, ['id', 'external_id', 'metadata_public', 'metadata_admin']),
        ...(traits ? objectMember('traits', traitsText, typeof trait === 'string' ? ['email'] : []) : []),
      ],
      leftOut: {
        linked_accounts: has(linkedAccounts),
        organizations: hasValue(record.values.organization_id),
        other_addresses: [...(addresses ?? []), ...(values.recovery_addresses ?? [])].some(
          ({ value }) => !isAddress(value),
        ),
        second_factors: has(secondFactors),
      },
      otherMembers: Object.entries(credentials ?? {})
        .filter(([name, value]) => !knownCredentials.has(name) && isMeaningful(value))
        .map(([name]) => `credentials.${name}`),
    };
  },
});
