import {
  adminPermissions,
  clientPermissions,
  type Permission,
} from '../../adapters/http/authentication/permissions.ts';
import { type Auth, clientKeysOf } from './auth-block.ts';
import { developmentKeyIn, type Key } from './key-block.ts';

interface LimitedKey extends Key {
  /** What its client may do; null for everything. */
  readonly may: readonly Permission[] | null;
}

interface Keys {
  readonly auth?: Auth;
  readonly admin: { readonly keys: readonly LimitedKey[] };
}

/** Whether a key may do less than everything. */
export const limitsKeys = (keys: readonly Pick<LimitedKey, 'may'>[]): boolean => keys.some(({ may }) => may !== null);

/** Whether a client may do less than everything. */
export const limitsClients = (auth: Auth | undefined): boolean =>
  auth !== undefined && (auth.type === 'basic' ? limitsKeys(auth.keys) : auth.scopePrefix !== null);

/** Lists permissions; without the names of operations if all of them are permitted. */
const listed = ({ may }: LimitedKey, all: readonly Permission[]): string => {
  if (may === null) return 'everything';
  const isOperation = (permission: Permission) => permission !== 'without-password';
  const hasEvery = all.filter(isOperation).every((permission) => may.includes(permission));
  const named = all.filter((permission) => may.includes(permission) && !(hasEvery && isOperation(permission)));
  return [...(hasEvery ? ['everything'] : []), ...named].join(' ') || 'nothing';
};

/** Lines with the permissions of a list of keys below each other. */
const aligned = (role: string, keys: readonly LimitedKey[], all: readonly Permission[]): readonly string[] => {
  const width = Math.max(0, ...keys.map(({ application }) => application.length));
  return keys.map((key) => `${role} ${key.application.padEnd(width)}  ${listed(key, all)}`);
};

/** What each key may do, or what tokens may do: a line each. */
export const permissionLines = (keys: Keys): readonly string[] => [
  ...aligned('client', clientKeysOf(keys.auth), clientPermissions),
  ...(keys.auth?.type === 'oauth'
    ? [`tokens  ${keys.auth.scopePrefix === null ? 'everything' : `what scopes name after ${keys.auth.scopePrefix}`}`]
    : []),
  ...aligned('administrator', keys.admin.keys, adminPermissions),
];

/** Warnings of keys without `may`, and of tokens without `scopePrefix`; none about a configuration for development. */
export const unlimitedKeys = (keys: Keys): readonly string[] => {
  const clients = clientKeysOf(keys.auth);
  if ([clients, keys.admin.keys].some((list) => developmentKeyIn(list) !== null)) return [];
  const pathsIn = (list: readonly LimitedKey[], path: string): readonly string[] =>
    list.flatMap(({ may }, index) => (may === null ? [`${path}[${index}]`] : []));
  const paths = [...pathsIn(clients, 'auth.keys'), ...pathsIn(keys.admin.keys, 'admin.keys')];
  return [
    ...(paths.length === 0
      ? []
      : [`${paths.join(', ')}: may is absent, so that everything is permitted; list what each key needs`]),
    ...(keys.auth?.type === 'oauth' && keys.auth.scopePrefix === null
      ? ['auth: scopePrefix is absent, so that tokens permit everything; let their scopes list what each client needs']
      : []),
  ];
};
