import type { UnverifiedPolicy } from '../../domain/unverified.ts';
import type { Configuration } from '../configuration/index.ts';

/** When users whose address was never verified are deleted; null if never. */
export const unverifiedPolicyOf = ({
  users,
  verification,
  invitations,
  recovery,
}: Pick<Configuration, 'users' | 'verification' | 'invitations' | 'recovery'>): UnverifiedPolicy | null =>
  users.deleteUnverifiedAfter === null
    ? null
    : {
        unverifiedLifetimeMs: users.deleteUnverifiedAfter,
        tokenLifetimeMs: verification.tokenLifetimeMs,
        invitationLifetimeMs: invitations?.lifetimeMs ?? null,
        recoveryLifetimeMs: recovery?.lifetimeMs ?? null,
      };

/** What to do where a database cannot list users, or has no outbox. */
export const withoutCleanup = (database: string): string =>
  `the database of type ${database} cannot list users and take turns; remove the option, or use another database`;
