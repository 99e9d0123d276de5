import { Fault } from '../../application/fault.ts';
import type { ClaimedEvent, EventOutbox, Lease } from '../../application/ports/event-outbox.ts';

/** The type of an unexpected error, because its message can contain values. */
export const nameOf = (error: unknown): string =>
  error instanceof Fault
    ? error.message
    : `unexpected ${error instanceof Error ? error.constructor.name : typeof error}`;

interface Claim {
  readonly destination: string;
  readonly limit: number;
  readonly lease: Lease;
  /** Whether half of the events are the newest ones. */
  readonly isMixed: boolean;
}

/** Claims the oldest events, and the newest ones too while older ones fail or are slow. */
export const claimEvents = async (outbox: EventOutbox, claim: Claim): Promise<readonly ClaimedEvent[]> => {
  const { destination, limit, lease, isMixed } = claim;
  // Rounded at random, so that a single event is of either kind.
  const newestLimit = isMixed ? Math.floor(limit / 2 + Math.random()) : 0;
  const oldestLimit = limit - newestLimit;
  const oldest = oldestLimit > 0 ? await outbox.claim(destination, oldestLimit, lease) : [];
  if (newestLimit === 0 || oldest.length < oldestLimit) return oldest;
  return [...(await outbox.claim(destination, newestLimit, { ...lease, newestFirst: true })), ...oldest];
};
