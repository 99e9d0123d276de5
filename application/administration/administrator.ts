import type { UserKey } from '../../domain/user-name.ts';

/**
 * The right to act on users without their passwords. Every message of an administrator, an import or an export carries
 * it. Only code that may act so imports it (`only-administrators-act-without-passwords` in .dependency-cruiser.cjs): no
 * other can make such a message.
 */
export const administrator: unique symbol = Symbol('administrator');

/** What an administrator asks for. */
export interface ByAdministrator {
  readonly by: typeof administrator;
}

/** What an administrator asks for about one user, who may not exist. */
export interface AboutUser extends ByAdministrator {
  readonly key: UserKey;
}
