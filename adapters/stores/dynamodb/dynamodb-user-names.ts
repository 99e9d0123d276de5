import { setTimeout as sleep } from 'node:timers/promises';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { type StoredUser, UserNames, type UserStore } from '../../../application/ports/user-store.ts';
import { isKey } from '../../../domain/email-address.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { keyItem } from './items.ts';
import type { Table } from './table.ts';

const maxAttempts = 6;
const retryDelayMs = 5;

/** Finds users by the entries of their names: two requests, or one if nobody has the name. */
export class DynamoDbUserNames extends UserNames {
  constructor(
    private readonly table: Table,
    private readonly users: Pick<UserStore, 'find'>,
  ) {
    super();
  }

  async find(name: UserName): Promise<StoredUser | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await sleep(Math.random() * retryDelayMs * 2 ** attempt);
      // Without a signal, as the read of a user.
      const { Item } = await this.table.call(({ client, TableName }) =>
        client.send(new GetItemCommand({ TableName, Key: keyItem(name), ConsistentRead: true })),
      );
      const holder = Item?.holder?.S;
      if (holder === undefined || !isKey(holder)) return undefined;
      const stored = await this.users.find(holder);
      if (stored?.names?.includes(name)) return stored;
      // The user was moved or removed, or lost the name, between the two reads.
    }
    throw new Fault('store_unavailable', `${this.table.place}: the user of a name kept changing`);
  }
}
