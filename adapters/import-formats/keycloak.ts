import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { readJsonObject } from '../kit/exact-json.ts';
import { importFormat } from './import-format.ts';
import { hasValue, isSet, optional, textsOf, timeOf } from './record-members.ts';
import { phcString } from './stored-hashes.ts';

const credential = t.type({ type: t.string, secretData: optional.text, credentialData: optional.text });

/** `secretData` and `credentialData` are texts that contain JSON. */
const secretData = t.type({ value: t.string, salt: optional.text });
const credentialData = t.type({ algorithm: t.string, hashIterations: t.number, additionalParameters: optional.object });

const decodeText = <A>(codec: t.Type<A, unknown, unknown>, json: string | null | undefined): A | undefined => {
  const object = readJsonObject(json ?? '');
  const decoded = isRight(object) ? codec.decode(object.right.values) : undefined;
  return decoded !== undefined && isRight(decoded) ? decoded.right : undefined;
};

/** The first value of an additional parameter, for which Keycloak stores a list. */
const parameter = (parameters: { readonly [name: string]: unknown }, name: string): unknown => {
  const values = parameters[name];
  return Array.isArray(values) ? values[0] : values;
};

const versions: Readonly<Record<string, number>> = { '1.0': 16, '1.3': 19 };

/**
 * The stored hash of a password. One that Latchkey cannot verify is returned unchanged, so that the import refuses it.
 */
const storedHash = (given: t.TypeOf<typeof credential>): string => {
  const secret = decodeText(secretData, given.secretData);
  const data = decodeText(credentialData, given.credentialData);
  if (secret === undefined || data === undefined) return 'unreadable credential';
  const { value, salt } = secret;
  const { algorithm, hashIterations } = data;
  if (algorithm === 'argon2') {
    const named = data.additionalParameters ?? {};
    const costs = { m: parameter(named, 'memory'), t: hashIterations, p: parameter(named, 'parallelism') };
    const version = versions[String(parameter(named, 'version') ?? '1.3')];
    return phcString(`argon2${parameter(named, 'type') ?? 'id'}$v=${version}`, costs, salt ?? '', value);
  }
  // A bare digest could be read as one of another algorithm.
  if (!/^pbkdf2(?:-sha\d+)?$/.test(algorithm)) return value.startsWith('$') ? value : 'unreadable credential';
  return phcString(algorithm, { i: hashIterations, l: Buffer.from(value, 'base64').length }, salt ?? '', value);
};

/**
 * Keycloak: the JSON of `kc.sh export --users realm_file`, or a file of users of `--users different_files`.
 * https://www.keycloak.org/server/importExport and, for the members,
 * https://www.keycloak.org/docs-api/latest/rest-api/index.html#UserRepresentation
 */
export const keycloak = importFormat({
  listName: 'users',
  codec: t.type({
    username: optional.text,
    email: optional.text,
    emailVerified: optional.flag,
    enabled: optional.flag,
    createdTimestamp: optional.time,
    requiredActions: optional.list,
    credentials: t.union([t.array(credential), t.null, t.undefined]),
  }),
  otherKnown: [
    ...['id', 'firstName', 'lastName', 'attributes', 'totp', 'federatedIdentities', 'federationLink'],
    ...['organizations', 'realmRoles', 'clientRoles', 'groups'],
  ],
  user: ({ username, email, credentials, ...values }, record) => {
    const password = credentials?.find(({ type }) => type === 'password');
    const actions = values.requiredActions ?? [];
    const isAddress = username?.toLowerCase() === email?.toLowerCase();
    const has = (...names: readonly string[]) => names.some((name) => hasValue(record.values[name]));
    return {
      address: email,
      verified: isSet(values.emailVerified),
      password: password && storedHash(password),
      creationTime: timeOf(values.createdTimestamp),
      isDisabled: !isSet(values.enabled ?? true),
      isNewPasswordRequired: actions.includes('UPDATE_PASSWORD'),
      properties: textsOf(record, ['id', ...(isAddress ? [] : ['username']), 'firstName', 'lastName', 'attributes']),
      leftOut: {
        linked_accounts: has('federatedIdentities', 'federationLink'),
        organizations: has('organizations'),
        pending_actions: actions.some((action) => action !== 'UPDATE_PASSWORD'),
        roles_and_groups: has('realmRoles', 'clientRoles', 'groups'),
        second_factors: has('totp') || credentials?.some(({ type }) => type !== 'password') === true,
      },
    };
  },
});
