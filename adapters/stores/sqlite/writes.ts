import type { EmailKey } from '../../../domain/email-address.ts';
import type { Row } from './row.ts';
import type { Trouble } from './trouble.ts';

/** One write, as it is sent to the writing thread. `check` changes nothing and proves that a write would be durable. */
export type Write =
  | { readonly kind: 'insert'; readonly key: EmailKey; readonly row: Row }
  | {
      readonly kind: 'replace';
      readonly previous: EmailKey;
      readonly version: string;
      readonly key: EmailKey;
      readonly row: Row;
    }
  | { readonly kind: 'remove'; readonly previous: EmailKey; readonly version: string }
  | { readonly kind: 'check' };

/** What became of a write. `done` and the other two are known; after a Trouble it may or may not have been applied. */
export type Outcome = 'done' | 'taken' | 'stale';
export type Result = Outcome | Trouble;

/** What the main thread sends: the writes of a group, or that there will be no more. */
export type Request = readonly Write[] | 'close';
/** What the writing thread answers: the result of each write of the group, in its order. */
export type Reply = readonly Result[];

/** How the writing thread finds its database; `patience` in milliseconds. */
export interface WriterOptions {
  readonly path: string;
  readonly patience: number;
}
