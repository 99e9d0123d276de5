import type { Permission } from '../../adapters/http/authentication/permissions.ts';
import type { Auth } from './auth-block.ts';

/** Whether a key may do less than everything. */
export const limitsKeys = (keys: readonly { readonly may: readonly Permission[] | null }[]): boolean =>
  keys.some(({ may }) => may !== null);

/** Whether a client may do less than everything. */
export const limitsClients = (auth: Auth | null): boolean =>
  auth !== null && (auth.type === 'basic' ? limitsKeys(auth.keys) : auth.scopePrefix !== null);
