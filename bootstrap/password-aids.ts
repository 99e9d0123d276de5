import type { Announcements } from '../application/announcements.ts';
import { UserChange } from '../application/change.ts';
import type { CheckAids } from '../application/password-check.ts';
import type { Log } from '../application/ports/adapter.ts';
import type { Configuration } from './configuration/index.ts';
import type { Adapters } from './container.ts';

/** What is done beside the checks of passwords, until the service stops. */
export interface PasswordAids extends CheckAids {
  /** Ends what they do. */
  stop(): Promise<void>;
}

/** Loads what the block `passwordHash` asks for beside the checks, and nothing else. */
export const passwordAidsOf = async (
  { passwordHash }: Configuration,
  { store, hash, clock }: Adapters,
  announcements: Announcements,
  log: Log,
): Promise<PasswordAids> => {
  if (!passwordHash.rehash) return { stop: async () => undefined };
  const { PasswordRenewal } = await import('../application/password-renewal.ts');
  const change = new UserChange(store, announcements);
  const renewal = new PasswordRenewal(store, change, hash, clock, log);
  return { renewal, stop: () => renewal.stop() };
};
