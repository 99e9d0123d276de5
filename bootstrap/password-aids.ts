import { type MetricReading, reading } from '../adapters/metrics/instruments.ts';
import type { RememberedPasswords } from '../adapters/remembered-passwords/remembered-passwords.ts';
import type { Announcements } from '../application/announcements.ts';
import { UserChange } from '../application/change.ts';
import type { CheckAids } from '../application/password-check.ts';
import type { PasswordRenewal } from '../application/password-renewal.ts';
import type { Log } from '../application/ports/adapter.ts';
import type { Configuration } from './configuration/index.ts';
import type { Adapters } from './container.ts';

/** What is done beside the checks of passwords, until the service stops. */
export interface PasswordAids extends CheckAids {
  /** What they measured since the start. */
  readings(): readonly MetricReading[];
  /** Ends what they do, and forgets what they know. */
  stop(): Promise<void>;
}

const renewalOf = async (
  { passwordHash }: Configuration,
  { store, hash, clock }: Adapters,
  announcements: Announcements,
  log: Log,
): Promise<PasswordRenewal | undefined> => {
  if (!passwordHash.rehash) return undefined;
  const { PasswordRenewal } = await import('../application/password-renewal.ts');
  return new PasswordRenewal(store, new UserChange(store, announcements), hash, clock, log);
};

const rememberedOf = async ({ passwordHash: { cache } }: Configuration): Promise<RememberedPasswords | undefined> => {
  if (cache === null) return undefined;
  const { RememberedPasswords } = await import('../adapters/remembered-passwords/remembered-passwords.ts');
  return new RememberedPasswords(cache);
};

const readingsOf = ({ hits, misses }: RememberedPasswords): readonly MetricReading[] => [
  reading(
    'counter',
    { name: 'latchkey_password_cache_hits_total', help: 'Passwords that were remembered, and needed no check' },
    hits,
  ),
  reading(
    'counter',
    { name: 'latchkey_password_cache_misses_total', help: 'Passwords that were not remembered, and were checked' },
    misses,
  ),
];

/** Loads what the block `passwordHash` asks for beside the checks, and nothing else. */
export const passwordAidsOf = async (
  configuration: Configuration,
  adapters: Adapters,
  announcements: Announcements,
  log: Log,
): Promise<PasswordAids> => {
  const renewal = await renewalOf(configuration, adapters, announcements, log);
  const verified = await rememberedOf(configuration);
  return {
    renewal,
    verified,
    readings: () => (verified === undefined ? [] : readingsOf(verified)),
    stop: async () => {
      verified?.clear();
      await renewal?.stop();
    },
  };
};
