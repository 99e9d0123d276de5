import * as t from 'io-ts';
import type { JsonObject } from '../kit/exact-json.ts';
import { importFormat } from './import-format.ts';
import { hasValue, isEndless, isSet, objectMember, optional, textsOf, timeOf } from './record-members.ts';
import { firebaseScrypt } from './stored-hashes.ts';

const metadataNames = ['raw_user_meta_data', 'raw_app_meta_data'];

/** Metadata is an object in JSON exports, and JSON text in CSV cells. */
const metadataOf = (record: JsonObject): readonly (string | undefined)[] =>
  metadataNames.flatMap((name) => {
    const value = record.values[name];
    return typeof value === 'string' ? objectMember(name, value) : textsOf(record, [name]);
  });

/** Supabase stores hashes that were imported from Firebase together with their parameters. */
const fromFirebase = /^\$fbscrypt\$[^$]*\$([^$]+)\$([^$]+)$/;

const storedHash = (given: string): string => {
  const [, salt, hash] = fromFirebase.exec(given) ?? [];
  return salt !== undefined && hash !== undefined ? firebaseScrypt(salt, hash) : given;
};

/** Changes that a mail or message is to confirm. */
const tokens = [
  ...['confirmation_token', 'recovery_token', 'email_change', 'phone_change', 'reauthentication_token'],
  ...['email_change_token_new', 'email_change_token_current', 'phone_change_token'],
];

/** Columns that have these values in every usual row. */
const usualValues: Readonly<Record<string, unknown>> = {
  aud: 'authenticated',
  instance_id: '00000000-0000-0000-0000-000000000000',
};

/** The values of `role` for users without a role of their own. */
const defaultRoles: ReadonlySet<unknown> = new Set([undefined, null, '', 'authenticated']);

/**
 * Supabase Auth: the rows of the table `auth.users`, as comma-separated values with a header or as JSON.
 * https://supabase.com/docs/guides/auth/managing-user-data#exporting-users
 */
export const supabase = importFormat({
  listName: 'users',
  columns: null,
  codec: t.type({
    email: optional.text,
    encrypted_password: optional.text,
    email_confirmed_at: optional.time,
    created_at: optional.time,
    updated_at: optional.time,
    last_sign_in_at: optional.time,
    banned_until: optional.time,
    deleted_at: optional.time,
    is_super_admin: optional.flag,
    is_sso_user: optional.flag,
  }),
  // `confirmed_at` is the earlier one of the confirmations of the address and of the phone number.
  otherKnown: [
    ...['id', 'phone', ...metadataNames, 'role', ...tokens, 'phone_confirmed_at', 'confirmed_at'],
    ...Object.keys(usualValues),
  ],
  user: (values, record, now) => {
    const disabledUntil = timeOf(values.banned_until);
    const has = (...names: readonly string[]) => names.some((name) => hasValue(record.values[name]));
    return {
      address: values.email,
      verified: hasValue(values.email_confirmed_at),
      password: values.encrypted_password ? storedHash(values.encrypted_password) : undefined,
      creationTime: timeOf(values.created_at),
      lastUpdateTime: timeOf(values.updated_at),
      lastCheckTime: timeOf(values.last_sign_in_at),
      isDisabled: isEndless(values.banned_until) || (disabledUntil !== undefined && disabledUntil > now),
      disabledUntil,
      isDeleted: hasValue(values.deleted_at),
      properties: [...textsOf(record, ['id', 'phone']), ...metadataOf(record)],
      leftOut: {
        linked_accounts: isSet(values.is_sso_user),
        outstanding_tokens: has(...tokens),
        phone_verification: has('phone_confirmed_at'),
        roles_and_groups: isSet(values.is_super_admin) || !defaultRoles.has(record.values.role),
      },
      otherMembers: Object.keys(usualValues).filter((name) => has(name) && record.values[name] !== usualValues[name]),
    };
  },
});
