import type { ClaimedEvent, Lease, QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { DatabaseFailure } from './errors.ts';
import type { UserRow } from './user-table.ts';

interface WithEvents {
  /** Written together with the change, or not at all. */
  readonly events?: readonly QueuedEvent[] | undefined;
}

interface WithRow {
  readonly key: EmailKey;
  readonly row: UserRow;
  /** The length of the custom properties, by which the size of a group is limited. */
  readonly characters: number;
}

/** The user that a change replaces or removes. */
interface WithPrevious {
  readonly previous: EmailKey;
  readonly version: string;
}

/** A change of a user. */
export type UserWrite =
  | ({ readonly kind: 'insert' } & WithRow & WithEvents)
  | ({ readonly kind: 'replace' } & WithRow & WithPrevious & WithEvents)
  | ({ readonly kind: 'remove' } & WithPrevious & WithEvents);

/** A change of the outbox. */
export type EventWrite =
  | { readonly kind: 'claim'; readonly destination: string; readonly limit: number; readonly lease: Lease }
  | { readonly kind: 'delivered'; readonly event: ClaimedEvent }
  | { readonly kind: 'postpone'; readonly event: ClaimedEvent; readonly due: number }
  | { readonly kind: 'expire'; readonly before: number; readonly limit: number };

/** One write for the writer thread. `check` changes nothing and proves that a write would be durable. */
export type Write = UserWrite | EventWrite | { readonly kind: 'check' };

/** How many events were removed for each destination. */
export interface Expired {
  readonly expired: ReadonlyMap<string, number>;
}

/** The known outcome of a write. A claim gives the claimed events, `expire` the number of removed ones. */
export type WriteOutcome = 'done' | 'taken' | 'stale' | readonly ClaimedEvent[] | Expired;

/** After a failure the write may or may not have been applied. */
export type WriteResult = WriteOutcome | DatabaseFailure;

/** A message to the writer thread: the writes of a group, or the end. */
export type WriterRequest = readonly Write[] | 'close';
/** The result of each write of the group, in its order. */
export type WriterReply = readonly WriteResult[];

export interface WriterOptions {
  readonly path: string;
  /** How long the thread waits for the write of another process. */
  readonly busyTimeoutMs: number;
}
