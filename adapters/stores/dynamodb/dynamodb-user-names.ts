import { TransactGetItemsCommand } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { randomDelay } from '../../../application/interceptor.ts';
import { type Reservation, type StoredUser, UserNames, type UserStore } from '../../../application/ports/user-store.ts';
import { isKey } from '../../../domain/email-address.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { readItem } from './item-reads.ts';
import { type Item, keyAttribute, keyItem, versionIn } from './items.ts';
import type { Table } from './table.ts';

const maxAttempts = 6;
const retryDelayMs = 5;

const holds = ({ names }: Item, name: UserName): boolean =>
  names !== undefined && (names.L === undefined || names.L.some(({ S }) => S === name));

/** Finds users by the entries of their names: two requests, or one if no user has the name. */
export class DynamoDbUserNames extends UserNames {
  constructor(
    private readonly table: Table,
    private readonly users: Pick<UserStore, 'find'>,
    /** Whether to make two requests also if no user has the name, so that the time does not reveal it. */
    private readonly hideUnknownUsers = false,
  ) {
    super();
  }

  async find(name: UserName): Promise<StoredUser | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      const entry = await readItem(this.table, name);
      const holder = entry?.holder?.S;
      if (holder === undefined || !isKey(holder)) {
        if (this.hideUnknownUsers) await readItem(this.table, name);
        return undefined;
      }
      const stored = await this.users.find(holder);
      if (stored?.names?.includes(name)) return stored;
      // The user was moved or removed, or lost the name, between the two reads; or in a write of a former version.
      if (attempt > 0 && (await this.isOrphan(name, entry))) return undefined;
    }
    throw new Fault('store_unavailable', `${this.table.place}: the user of a name kept changing`);
  }

  /**
   * An entry that no user has, because a former version has written or removed its user, as a reservation; undefined for
   * any other.
   */
  async orphanOf(name: UserName, entry?: Item): Promise<Reservation | undefined> {
    const stored = entry ?? (await readItem(this.table, name));
    const version = versionIn(stored);
    return version !== undefined && (await this.isOrphan(name, stored)) ? { key: name, version } : undefined;
  }

  /** Whether the holder of an entry does not have the name; in one transaction, because both may change between two reads. */
  private async isOrphan(name: UserName, entry: Item | undefined): Promise<boolean> {
    const holder = entry?.holder;
    if (holder === undefined) return false;
    const { Responses = [] } = await this.table.call(({ client, TableName, options }) => {
      const TransactItems = [keyItem(name), { [keyAttribute]: holder }].map((Key) => ({ Get: { TableName, Key } }));
      return client.send(new TransactGetItemsCommand({ TransactItems }), options);
    });
    const [current, user] = Responses.map(({ Item }) => Item);
    return current?.holder?.S === holder.S && versionIn(current) === versionIn(entry) && !(user && holds(user, name));
  }
}
