import { moveLifetimeOf, waitingMove } from './address-move.ts';
import { isExpired, outstanding } from './one-time-token.ts';
import type { User } from './user.ts';
import { isDisabled } from './user-state.ts';

/** How long a user may exist without ever having verified an address. All in milliseconds. */
export interface UnverifiedPolicy {
  readonly unverifiedLifetimeMs: number;
  /** How long the link of a verification mail works; null if for ever. */
  readonly tokenLifetimeMs: number | null;
  /** How long an invitation lasts; null where users are not invited. */
  readonly invitationLifetimeMs: number | null;
  /** How long a forgotten password can be replaced, which verifies the address; null where it cannot. */
  readonly recoveryLifetimeMs: number | null;
}

const isRunning = (since: number | undefined, lifetimeMs: number | null, now: number): boolean =>
  since !== undefined && lifetimeMs !== null && !isExpired(since, lifetimeMs, now);

/** For how long a link that never expires keeps a user: time to follow it. */
const endlessMs = 24 * 60 * 60_000;

/** Whether a link or code of a mail still works: to verify, to confirm a new address, of an invitation or a recovery. */
const hasRunningLink = (user: User, policy: UnverifiedPolicy, now: number): boolean => {
  const { email, invitation, recovery } = user;
  const { token, tokenTime } = email.verification;
  const tokenLifetimeMs = policy.tokenLifetimeMs ?? Math.min(endlessMs, policy.unverifiedLifetimeMs);
  return (
    (token !== null && isRunning(tokenTime, tokenLifetimeMs, now)) ||
    waitingMove(user, moveLifetimeOf(policy.tokenLifetimeMs), now) !== undefined ||
    isRunning(outstanding(recovery)?.time, policy.recoveryLifetimeMs, now) ||
    // Also if another address ended the link: there is time to invite the user again.
    isRunning(invitation?.time, policy.invitationLifetimeMs, now)
  );
};

/**
 * Whether a user is to be deleted because the address was never verified in time, counted from the creation, or from the
 * import. Whoever was verified once stays, also after a reset and under another address, and so does a disabled user, whose
 * address would become free.
 */
export const isUnverifiedTooLong = (user: User, policy: UnverifiedPolicy, now: number): boolean => {
  const { creationTime, importTime = creationTime, email, unverifiedTime } = user;
  if (email.verification.verified || unverifiedTime !== undefined || isDisabled(user, now)) return false;
  return (
    isExpired(Math.max(creationTime, importTime), policy.unverifiedLifetimeMs, now) &&
    !hasRunningLink(user, policy, now)
  );
};
