import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, type Put, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import {
  asStored,
  type Reservation,
  type StoredUser,
  type Taken,
  UserStore,
  type WriteOptions,
} from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { isUserName, type UserKey } from '../../../domain/user-name.ts';
import { systemClock } from '../../system-clock.ts';
import { followsUncertainAttempt } from './dynamodb-client.ts';
import { DynamoDbUserNames } from './dynamodb-user-names.ts';
import { ItemReads } from './item-reads.ts';
import { ifNoUser, reservationIn, toReservation, toStoredUser, versionIn } from './items.ts';
import type { Table } from './table.ts';
import { TableCheck } from './table-check.ts';
import { conditionHeld, type TransactionRefusal, transact, type Write } from './transaction.ts';
import { insertion, removal, replacement } from './user-transactions.ts';

/** The Fault for an unknown outcome, with the reason why the store cannot tell whether a write was or will be applied. */
const indeterminate = (reason: string): Fault =>
  new Fault('store_unavailable', `DynamoDB: the reply to a write was lost, and ${reason}`);

/**
 * The first key that is in use, unless an earlier attempt may still be under way, which would be applied once its keys are
 * free again. It cannot be applied after `stale`, because versions are unique.
 */
const outcomeOf = ({ failed, mayBeApplied }: TransactionRefusal): 'stale' | Taken => {
  // `stale` takes precedence, because the caller must check a changed user again.
  if (failed.some(({ takes }) => takes === undefined)) return 'stale';
  const [{ takes: taken, stored } = {}] = failed;
  if (taken === undefined) return 'stale';
  if (mayBeApplied) throw indeterminate(`the ${isUserName(taken) ? 'name' : 'address'} belongs to another user`);
  const reservation = reservationIn(taken, stored);
  return reservation === undefined ? { taken } : { taken, reservation };
};

/**
 * Users in one DynamoDB table, one item each, with an entry for each of their names. Every operation is one request, and
 * reads share theirs.
 *
 * The client repeats a request whose response was lost, and may then find the result of its earlier attempt, or of
 * other writes since. Creating, removing and moving a user are therefore transactions, which DynamoDB identifies by a
 * token for ten minutes. Changing a user, the most frequent write, is a plain write, because a transaction costs twice
 * as much. It recognizes its earlier attempt by the version, which is unique for each write, and reports an unknown
 * outcome as `store_unavailable`. A change with events or with other names is a transaction, too.
 */
export class DynamoDbUserStore extends UserStore {
  private readonly health: TableCheck;
  readonly names: DynamoDbUserNames;
  private readonly reads: ItemReads;

  constructor(
    private readonly table: Table,
    hideUnknownUsers?: boolean,
    private readonly clock = systemClock,
  ) {
    super();
    this.names = new DynamoDbUserNames(table, this, hideUnknownUsers);
    this.health = new TableCheck(table);
    this.reads = new ItemReads(table);
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    const item = await this.reads.read(key);
    return item && toStoredUser(item);
  }

  async insert(user: User, options: WriteOptions = {}): Promise<StoredUser | Taken> {
    const version = randomUUID();
    const writes = insertion(this.table.name, user, version, options);
    const written = await this.writeTogether(user, version, writes, options);
    // Only keys can refuse a new user.
    return written === 'stale' ? { taken: keyOf(user.email.address) } : written;
  }

  async replace(previous: StoredUser, next: User, options: WriteOptions = {}): Promise<StoredUser | 'stale' | Taken> {
    const version = randomUUID();
    const writes = replacement(this.table.name, previous, next, version, options);
    const put = writes.length === 1 && !options.events?.length ? writes[0]?.item.Put : undefined;
    if (put !== undefined) return this.rewrite(put, asStored(next, version, options.names));
    return this.writeTogether(next, version, writes, options);
  }

  async remove(previous: StoredUser, { events }: Pick<WriteOptions, 'events'> = {}): Promise<'removed' | 'stale'> {
    const refused = await transact(this.table, randomUUID(), removal(this.table.name, previous), events);
    return refused === undefined ? 'removed' : 'stale';
  }

  async reserve(key: UserKey): Promise<Reservation | 'taken'> {
    const reservation = { key, version: randomUUID() };
    const Item = toReservation(reservation, this.clock.now());
    const isReserved = (orphan?: string): Promise<boolean> =>
      this.table.call(({ client, TableName, options }) =>
        conditionHeld(client.send(new PutItemCommand({ TableName, Item, ...ifNoUser(key, orphan) }), options)),
      );
    if (await isReserved()) return reservation;
    const orphan = isUserName(key) ? await this.names.orphanOf(key) : undefined;
    return orphan !== undefined && (await isReserved(orphan.version)) ? reservation : 'taken';
  }

  check(): Promise<string> {
    return this.health.run();
  }

  async close(): Promise<void> {
    this.table.close();
  }

  private async rewrite(put: Put, next: StoredUser): Promise<StoredUser | 'stale'> {
    return this.table.call(async ({ client, options }) => {
      try {
        await client.send(new PutItemCommand(put), options);
        return next;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        if (versionIn(error.Item) === next.version) return next;
        if (followsUncertainAttempt(error)) throw indeterminate('another write has changed the user since');
        return 'stale';
      }
    });
  }

  private async writeTogether(
    user: User,
    version: string,
    writes: readonly Write[],
    { names = [], events }: WriteOptions,
  ): Promise<StoredUser | 'stale' | Taken> {
    if (names.length > 0) await this.table.markFormat();
    const refused = await transact(this.table, version, writes, events);
    const isApplied = refused === undefined || refused.failed.some(({ stored }) => versionIn(stored) === version);
    if (isApplied) return asStored(user, version, names);
    const outcome = outcomeOf(refused);
    if (outcome === 'stale' || outcome.reservation !== undefined || !isUserName(outcome.taken)) return outcome;
    const orphan = await this.names.orphanOf(outcome.taken, refused.failed[0]?.stored);
    return orphan === undefined ? outcome : { ...outcome, reservation: orphan };
  }
}
