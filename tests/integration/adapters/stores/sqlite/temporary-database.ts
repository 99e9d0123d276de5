import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import type { Clock } from '../../../../../application/ports/clock.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import type { StoredUser, StorePorts, UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';

export const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A fresh folder for the database of one test, and the stores that were opened on it. */
export class TemporaryDatabase {
  private readonly stores: UserStore[] = [];

  private constructor(
    readonly folder: string,
    readonly path: string,
  ) {}

  static async create(): Promise<TemporaryDatabase> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-sqlite-'));
    return new TemporaryDatabase(folder, join(folder, 'users.db'));
  }

  async open(operationTimeoutMs?: number, log?: Log): Promise<UserStore> {
    return (await this.openPorts(operationTimeoutMs, log)).users;
  }

  /** Opens a store on the database as the service does. */
  async openPorts(
    operationTimeoutMs = 30_000,
    log = silent,
    hideUnknownUsers = false,
    clock?: Clock,
  ): Promise<StorePorts> {
    const store = await sqlite.open(
      { path: this.path },
      { log, operationTimeoutMs, clock, hideUnknownUsers, keepsNames: hideUnknownUsers },
    );
    this.stores.push(store.users);
    return store;
  }

  /** Closes every store and removes the folder. */
  async dispose(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
    await rm(this.folder, { recursive: true });
  }
}

export const find = (store: UserStore, address: string): Promise<StoredUser | undefined> =>
  store.find(keyOf(addressOf(address)));
