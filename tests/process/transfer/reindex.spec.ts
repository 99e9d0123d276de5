import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { Client } from 'pg';
import { asProperties } from '../../../adapters/kit/user-json/user-writer.ts';
import type { UserStore } from '../../../application/ports/user-store.ts';
import { UserId } from '../../../domain/user.ts';
import { userOf } from '../../../sdk/contract/arbitraries.ts';
import { FreshTable, region } from '../../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../../integration/adapters/stores/mongodb/scratch-database.ts';
import { ScratchSchema } from '../../integration/adapters/stores/postgresql/scratch-schema.ts';
import { TemporaryDatabase } from '../../integration/adapters/stores/sqlite/temporary-database.ts';
import { engine } from '../../support/engines/index.ts';
import { withAwsCredentials } from '../../support/environment.ts';
import { readNames as dynamodbNames } from '../../support/names/dynamodb.ts';
import { readNames as mongodbNames } from '../../support/names/mongodb.ts';
import { postgresqlNames } from '../../support/names/postgresql.ts';
import { sqliteNames } from '../../support/names/sqlite.ts';
import type { StoredNames } from '../../support/names/stored-names.ts';
import { postgresqlUrl } from '../../support/postgresql/index.ts';
import { clientHeaders, eachWithInstallation } from '../installation.ts';

const password = 'correct horse';
const addressOf = (n: number): string => `user-${n}@example.com`;

interface Opened {
  /** How many users the tests give names to: more than a command has written when it is killed. */
  readonly count: number;
  readonly block: Readonly<Record<string, unknown>>;
  readonly store: UserStore;
  names(): Promise<StoredNames>;
  /** Removes the entries of all names, or the names from the records of all users, as another program may. */
  lose(lost: 'entries' | 'names'): Promise<unknown>;
  dispose(): Promise<void>;
}

/** Edits, moves and creates users at one of two processes after the other, until it is stopped. */
class Writers {
  private isStopping = false;
  private readonly ended: Promise<void>[];
  writes = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly count: number,
  ) {
    this.ended = Array.from({ length: 4 }, (_, writer) => this.write(writer));
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.ended);
  }

  private async write(writer: number): Promise<void> {
    for (let round = 0; !this.isStopping; round++) {
      const url = this.urls[round % 2] ?? '';
      // Each writer has users of its own, so that it knows their addresses.
      const address = addressOf(20 + writer + 4 * (round % ((this.count - 20) / 4)));
      const moved = `moved-${address}`;
      await this.send(url, 'PATCH', address, { n: round });
      await this.send(url, 'PATCH', address, { email: { address: moved } });
      await this.send(url, 'PATCH', moved, { email: { address } });
      await this.send(url, 'POST', undefined, { email: { address: `new-${writer}-${round}@example.com` }, password });
    }
  }

  private async send(url: string, method: string, address: string | undefined, body: object): Promise<void> {
    const query = address === undefined ? '' : `?email=${address}`;
    const headers = {
      ...clientHeaders,
      password,
      ...(method === 'PATCH' && { 'Content-Type': 'application/merge-patch+json' }),
    };
    const response = await fetch(`${url}/users${query}`, { method, headers, body: JSON.stringify(body) });
    expect([200, 201, 409], `${method} ${address}: ${await response.text()}`).to.include(response.status);
    this.writes++;
  }
}

/** That every user has the entries of all names, and every entry a user. */
const expectConsistent = ({ users, entries }: StoredNames): void => {
  const held = [...users].flatMap(([key, names]) => names.map((name) => [name, key] as const));
  const owned = [...entries].filter((entry): entry is [string, string] => entry[1] !== undefined);
  expect(new Set(held.map(([name]) => name)).size, 'each name once').to.equal(held.length);
  expect(new Map(owned)).to.deep.equal(new Map(held));
};

const suite = (name: string, open: () => Promise<Opened>): void => {
  describe(`latchkey ids and latchkey reindex: ${name}`, function () {
    this.timeout(240_000);
    const installation = eachWithInstallation();
    let database: Opened;
    beforeEach(async () => {
      database = await open();
    });
    afterEach(() => database.dispose());

    const fill = async (propertiesOf: (n: number) => object): Promise<void> => {
      for (let start = 0; start < database.count; start += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, index) => start + index).map((n) => {
            const user = {
              ...userOf(addressOf(n), { password }),
              properties: asProperties(JSON.stringify(propertiesOf(n))),
            };
            return database.store.insert(user);
          }),
        );
    };
    const run = (...args: readonly string[]) => installation().command([...args, 'latchkey.yaml']);
    const usersWith = ({ users }: StoredNames, prefix: string): number =>
      [...users.values()].filter((names) => names.some((held) => held.startsWith(prefix))).length;

    /** Starts a command, and ends it with a signal when it has written some users but not all. */
    const interrupted = async (command: string, prefix: string, signal: NodeJS.Signals) => {
      const before = usersWith(await database.names(), prefix);
      const { child, ended } = installation().start([command, 'latchkey.yaml']);
      while (usersWith(await database.names(), prefix) < before + 20) if (child.exitCode !== null) break;
      child.kill(signal);
      const status = await ended;
      const names = await database.names();
      expectConsistent(names);
      return { status, written: usersWith(names, prefix), users: names.users.size };
    };

    it('give every user an id while two processes of the service write, also if they are killed in between', async () => {
      await fill((n) => {
        if (n === 3) return { id: 'usr_3', a: 1 };
        if (n === 4) return { id: 4 };
        // Two users with one id, and a property that cannot be an id.
        return n === 5 || n === 6 ? { id: 'usr_5' } : n === 7 ? { id: 'a b' } : {};
      });
      await installation().configure({ database: database.block, users: { ids: true } });
      const [one, other] = [await installation().serve(), await installation().serve()];
      const writers = new Writers([one.url, other.url], database.count);
      const killed = await interrupted('ids', 'id ', 'SIGKILL');
      expect(killed.status).to.equal('SIGKILL');
      expect(killed.written).to.be.below(killed.users);
      const finished = await run('ids');
      await writers.stop();
      expect(writers.writes).to.be.above(20);
      expect(finished.status, finished.stderr).to.equal(1);
      expect(finished.stderr).to.match(
        /^latchkey: not done for 2 of \d+ users; give each another id with PATCH \/users, and run latchkey ids again\n$/,
      );
      const [lines, conflict] = [
        finished.stdout.trimEnd().split('\n'),
        /^FAIL {2}user-[56]@.*: id: belongs to user-[56]@example\.com$/,
      ];
      expect(lines).to.have.length(2);
      expect(lines.filter((line) => conflict.test(line))).to.have.length(1);
      expect(
        lines.filter((line) => /^FAIL {2}user-7@example\.com: id: must have 1 to 64 characters/.test(line)),
      ).to.have.length(1);

      const [address = ''] = /user-[56]@example\.com/.exec(lines.find((line) => conflict.test(line)) ?? '') ?? [];
      for (const lacking of [address, addressOf(7)]) {
        const response = await fetch(`${one.url}/users?email=${lacking}`, {
          method: 'PATCH',
          headers: { ...clientHeaders, password, 'Content-Type': 'application/merge-patch+json' },
          body: JSON.stringify({ id: `another-${lacking.slice(5, 6)}` }),
        });
        expect(response.status, await response.text()).to.equal(200);
      }
      const again = await run('ids');
      const names = await database.names();
      expect([again.status, again.stdout, again.stderr]).to.eql([
        0,
        `ok    users with an id: ${names.users.size}\n`,
        '',
      ]);
      expectConsistent(names);
      expect(usersWith(names, 'id ')).to.equal(names.users.size);
      for (const [id, owner] of [
        ['usr_3', 3],
        ['4', 4],
      ] as const) {
        const response = await fetch(`${other.url}/users?id=${id}`, { headers: { ...clientHeaders, password } });
        expect(await response.json()).to.deep.include({
          id,
          email: { address: addressOf(owner), verified: false, verificationToken: null },
        });
      }
      expect(await Promise.all([one.stop(), other.stop()])).to.eql([0, 0]);
    });

    it('find users by a unique property while two processes of the service write, also if they are interrupted', async () => {
      await fill((n) => (n === 8 ? { username: 'USER-9' } : n === 7 ? { username: 'a b' } : { username: `user-${n}` }));
      const allowed = [{ name: 'username', type: 'string', unique: true, fold: 'username' }];
      await installation().configure({ database: database.block, properties: { allowed } });
      const [one, other] = [await installation().serve(), await installation().serve()];
      const writers = new Writers([one.url, other.url], database.count);
      const stopped = await interrupted('reindex', 'property ', 'SIGINT');
      expect(stopped.status).to.equal(1);
      expect(stopped.written).to.be.below(database.count);
      const finished = await run('reindex');
      await writers.stop();
      expect(finished.status, finished.stderr).to.equal(1);
      expect(finished.stderr).to.match(
        /^latchkey: not done for 2 of \d+ users; change each value that no user can have; change the value of one of the two users, and run latchkey reindex again\n$/,
      );
      const lines = finished.stdout.trimEnd().split('\n');
      expect(lines).to.have.length(2);
      expect(
        lines.filter((line) => /^FAIL {2}user-[89]@.*: username: belongs to user-[89]@/.test(line)),
      ).to.have.length(1);
      expect(
        lines.filter((line) => /^FAIL {2}user-7@example\.com: username: must be a user name/.test(line)),
      ).to.have.length(1);
      const names = await database.names();
      expectConsistent(names);
      expect(usersWith(names, 'property username ')).to.equal(database.count - 2);
      const found = await fetch(`${other.url}/users?username=User-1`, { headers: { ...clientHeaders, password } });
      expect(await found.json()).to.have.nested.property('email.address', addressOf(1));
      expect(await Promise.all([one.stop(), other.stop()])).to.eql([0, 0]);

      await installation().configure({ database: database.block });
      expect((await run('reindex')).status).to.equal(0);
      expect(usersWith(await database.names(), 'property ')).to.equal(0);
    });

    for (const lost of ['entries', 'names'] as const)
      it(`find users again whose ${lost} another program has removed, as with a record that it restored`, async () => {
        const allowed = [{ name: 'username', type: 'string', unique: true }];
        await installation().configure({ database: database.block, users: { ids: true }, properties: { allowed } });
        for (const n of [1, 2, 3]) {
          const properties = asProperties(`{"username":"user-${n}"}`);
          await database.store.insert({ ...userOf(addressOf(n), { password }), properties });
        }
        for (const command of ['ids', 'reindex']) expect((await run(command)).status).to.equal(0);
        const before = await database.names();
        await database.lose(lost);
        const { status, stdout } = await run('reindex');
        expect([status, stdout]).to.eql([0, 'ok    users with all names: 3\n']);
        const after = await database.names();
        expectConsistent(after);
        expect(after.entries).to.eql(before.entries);
      });
  });
};

/** What the command tells does not depend on the store. */
describe('latchkey ids', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();

  it('says how a user can lose a property id that is not the id', async () => {
    const database = await TemporaryDatabase.create();
    try {
      const user = userOf(addressOf(1), { password });
      const id = 'usr_1';
      if (!UserId.is(id)) throw new TypeError(id);
      await (await database.open()).insert({ ...user, id, properties: asProperties('{"id":"usr_2"}') });
      await installation().configure({ database: { type: 'sqlite', path: database.path }, users: { ids: true } });
      const { status, stdout, stderr } = await installation().command(['ids', 'latchkey.yaml']);
      expect([status, stdout, stderr]).to.eql([
        1,
        `FAIL  ${addressOf(1)}: id: differs from the id that the user has\n`,
        'latchkey: not done for 1 of 1 users; repeat in PATCH /users the id that a user has, which removes the property id, and run latchkey ids again\n',
      ]);
      const service = await installation().serve();
      const response = await fetch(`${service.url}/users?email=${addressOf(1)}`, {
        method: 'PATCH',
        headers: { ...clientHeaders, password, 'Content-Type': 'application/merge-patch+json' },
        body: JSON.stringify({ id }),
      });
      expect(response.status, await response.text()).to.equal(200);
      expect(await service.stop()).to.equal(0);
      const again = await installation().command(['ids', 'latchkey.yaml']);
      expect([again.status, again.stdout]).to.eql([0, 'ok    users with an id: 1\n']);
    } finally {
      await database.dispose();
    }
  });
});

suite('SQLite', async () => {
  const database = await TemporaryDatabase.create();
  const store = await database.open();
  return {
    count: 1_500,
    block: { type: 'sqlite', path: database.path },
    store,
    names: async () => sqliteNames(database.path),
    lose: async (lost) => {
      const file = new Database(database.path);
      file.exec(lost === 'entries' ? 'DELETE FROM entries' : 'UPDATE users SET names = NULL');
      file.close();
    },
    dispose: () => database.dispose(),
  };
});

describe('on MongoDB', () => {
  const uri = engine('mongodb');
  suite('MongoDB', async () => {
    const database = new ScratchDatabase(uri());
    return {
      count: 600,
      block: { type: 'mongodb', ...database.block },
      store: await database.open(),
      names: () => mongodbNames(database.client.db(database.databaseName), database.collectionName),
      // The index has the entries, as long as the documents have the names.
      lose: async (lost) => {
        const documents = database.client.db(database.databaseName).collection(database.collectionName);
        if (lost === 'names') await documents.updateMany({}, { $unset: { names: true } });
      },
      dispose: () => database.dispose(),
    };
  });
});

describe('on PostgreSQL', () => {
  const url = postgresqlUrl();
  suite('PostgreSQL', async () => {
    const scratch = await ScratchSchema.create(url());
    const store = await scratch.open();
    return {
      count: 700,
      block: scratch.block,
      store: store.users,
      names: () => postgresqlNames(url(), `${scratch.schema}.users`),
      lose: async (lost) => {
        const client = new Client({ connectionString: url() });
        await client.connect();
        const users = `${scratch.schema}.users`;
        await client.query(lost === 'entries' ? `DELETE FROM ${users}_names` : `UPDATE ${users} SET names = NULL`);
        await client.end();
      },
      dispose: () => scratch.dispose(),
    };
  });
});

describe('on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();
  suite('DynamoDB', async () => {
    const table = await FreshTable.create(endpoint());
    return {
      count: 200,
      block: { type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name },
      store: await table.open(),
      names: () => dynamodbNames(table.client, table.name),
      lose: async (lost) => {
        const { client, name: TableName } = table;
        const { entries, users } = await dynamodbNames(client, TableName);
        const keys = lost === 'entries' ? [...entries.keys()].map((entry) => `check ${entry}`) : [...users.keys()];
        for (const key of keys) {
          const item = { TableName, Key: { email: { S: key } } };
          const command =
            lost === 'entries'
              ? new DeleteItemCommand(item)
              : new UpdateItemCommand({
                  ...item,
                  UpdateExpression: 'REMOVE #names',
                  ExpressionAttributeNames: { '#names': 'names' },
                });
          await client.send(command);
        }
      },
      dispose: () => table.dispose(),
    };
  });
});
