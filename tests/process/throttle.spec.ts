import { request } from 'node:http';
import { expect } from 'chai';
import { MemoryUserStore } from '../../adapters/stores/memory/index.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { keyOf } from '../../domain/email-address.ts';
import { addressOf } from '../../sdk/contract/arbitraries.ts';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { silentContext } from '../support/doubles/silent-context.ts';
import { engine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { postgresqlUrl } from '../support/postgresql/index.ts';
import { clientHeaders, createUser, eachWithInstallation, readUser } from './installation.ts';

const jane = 'jane@example.com';
const throttle = { failures: 3, block: '1h', clientFailures: 0 };

/** The status of a read with a password, on a new connection, so that the processes take turns. */
const statusOnNewConnection = (url: string, password: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/users?email=${jane}`, { headers: { ...clientHeaders, password }, agent: false });
    sent.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.end();
  });

/** The tests for every database that several processes can use. */
const shared = (database: () => Promise<{ readonly block: object; dispose(): Promise<void> }>): void => {
  const installation = eachWithInstallation();

  const on = async (run: (serve: () => ReturnType<ReturnType<typeof installation>['serve']>) => Promise<void>) => {
    const { block, dispose } = await database();
    try {
      await installation().configure({ database: block, throttle });
      await run(() => installation().serve());
    } finally {
      await dispose();
    }
  };

  it('a restart keeps a block, also after the process was killed', async () => {
    await on(async (serve) => {
      const first = await serve();
      expect(await createUser(first.url, jane)).to.equal(201);
      for (let failed = 0; failed < 2; failed++) expect(await readUser(first.url, jane, 'wrong')).to.equal(401);
      await first.stop('SIGKILL');
      const second = await serve();
      expect(await readUser(second.url, jane, 'wrong')).to.equal(401);
      expect(await readUser(second.url, jane)).to.equal(429);
      await second.stop();
      const third = await serve();
      expect(await readUser(third.url, jane)).to.equal(429);
    });
  });

  it('two instances count together', async () => {
    await on(async (serve) => {
      const one = await serve();
      const other = await serve();
      expect(await createUser(one.url, jane)).to.equal(201);
      expect(await readUser(one.url, jane, 'wrong')).to.equal(401);
      expect(await readUser(other.url, jane, 'wrong')).to.equal(401);
      expect(await readUser(one.url, jane, 'wrong')).to.equal(401);
      for (const { url } of [other, one]) expect(await readUser(url, jane)).to.equal(429);
    });
  });

  it('many concurrent guesses over two instances cause few more checks than sequential ones', async () => {
    await on(async (serve) => {
      const [one, other] = [await serve(), await serve()];
      expect(await createUser(one.url, jane)).to.equal(201);
      const statuses = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          statusOnNewConnection((index % 2 ? one : other).url, `wrong ${index}`),
        ),
      );
      // Up to three checks that the other instance runs at the same moment are not counted yet.
      expect(statuses.filter((status) => status === 401)).to.have.length.within(3, 6);
      expect(statuses.filter((status) => status === 429)).to.have.length.within(58, 61);
    });
  });
};

describe('the throttle over a store that keeps no counts', () => {
  const limits = { failures: 1, clientFailures: 0, windowMs: 60_000, blockMs: 60_000 };

  it('counts in the memory of the process, and warns', async () => {
    const { users } = new MemoryUserStore().ports;
    const warnings: string[] = [];
    const log = { ...silentContext.log, warn: (_: object, message: string) => warnings.push(message) };
    const counts = await openLimitedAttempts({ users }, limits, log);
    expect(warnings.join()).to.match(/cannot count wrong passwords: each process counts in its memory/);
    const attempt = { user: keyOf(addressOf(jane)), client: undefined };
    await counts.recordFailure(attempt);
    expect((await counts.status(attempt)).blockedForMs).to.be.above(0);
  });

  it('does not warn if the store keeps counts', async () => {
    const warnings: string[] = [];
    const log = { ...silentContext.log, warn: (_: object, message: string) => warnings.push(message) };
    await openLimitedAttempts(new MemoryUserStore().ports, limits, log);
    expect(warnings).to.deep.equal([]);
  });
});

describe('the throttle of the program', function () {
  this.timeout(40_000);

  describe('on SQLite', () => {
    const installation = eachWithInstallation();

    shared(async () => ({ block: { type: 'sqlite', path: 'users.db' }, dispose: async () => undefined }));

    it('two workers count together', async () => {
      const server = { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 };
      await installation().configure({ server, throttle });
      const { url } = await installation().serve();
      expect(await createUser(url, jane)).to.equal(201);
      const statuses = [];
      for (let tried = 0; tried < 12; tried++) statuses.push(await statusOnNewConnection(url, 'wrong'));
      expect(statuses).to.deep.equal([401, 401, 401, ...new Array<number>(9).fill(429)]);
      for (let tried = 0; tried < 4; tried++) expect(await statusOnNewConnection(url, 'correct horse')).to.equal(429);
    });

    it('latchkey check says where wrong passwords are counted', async () => {
      await installation().configure({ throttle });
      // The check itself creates no database.
      await installation().serve();
      const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
      expect(status, stdout).to.equal(0);
      expect(stdout).to.match(/^ok {4}database \(sqlite\): .*; wrong passwords are counted in .*users\.db-throttle$/m);
    });
  });

  describe('on MongoDB', () => {
    const uri = engine('mongodb');

    shared(async () => {
      const scratch = new ScratchDatabase(uri());
      return { block: { type: 'mongodb', ...scratch.block }, dispose: () => scratch.dispose() };
    });
  });

  describe('on PostgreSQL', () => {
    const url = postgresqlUrl();

    shared(async () => {
      const scratch = await ScratchSchema.create(url());
      return { block: scratch.block, dispose: () => scratch.dispose() };
    });
  });

  describe('on DynamoDB', () => {
    const endpoint = engine('dynamodb');
    withAwsCredentials();
    const installation = eachWithInstallation();

    const blockOf = (table: FreshTable) => ({ type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name });

    shared(async () => {
      const table = await FreshTable.create(endpoint());
      await table.createForCounts();
      return { block: blockOf(table), dispose: () => table.dispose() };
    });

    it('latchkey check says that the table of the counts is missing, and how to create it', async () => {
      const table = await FreshTable.create(endpoint());
      try {
        await installation().configure({ database: blockOf(table), throttle });
        const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
        expect(status, stdout).to.equal(1);
        expect(stdout).to.match(
          /^FAIL {2}database \(dynamodb\): .*-throttle in .*: the table does not exist.* key \(S\)/m,
        );
      } finally {
        await table.dispose();
      }
    });
  });
});
