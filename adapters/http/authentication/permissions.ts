/** What clients may do on the public port (docs/configuration.md, `auth.keys`). */
export const clientPermissions = [
  'create',
  'read',
  'update',
  'delete',
  'verify',
  'recover',
  'check',
  // A token that replaces a forgotten password, which the application then mails itself.
  'issue-token',
  // For jobs that have no password of a user: the password header may be left out.
  'without-password',
] as const;

export type ClientPermission = (typeof clientPermissions)[number];

/** What administrators may do on the admin port (docs/configuration.md, `admin.keys`). */
export const adminPermissions = ['list', 'read', 'edit', 'state', 'password', 'mail', 'delete'] as const;

export type AdminPermission = (typeof adminPermissions)[number];

export type Permission = ClientPermission | AdminPermission;

/** Whether a client may do what requires a permission, a key or nothing. A client without a list of permissions has all. */
export const permits = (
  client: { readonly may?: ReadonlySet<Permission> } | undefined,
  required: Permission | 'key' | 'nothing',
): boolean => required === 'key' || required === 'nothing' || (client?.may?.has(required) ?? true);
