import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { asProperties } from '../../../adapters/kit/user-json/user-writer.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { region } from '../../integration/adapters/stores/dynamodb/fresh-table.ts';
import { useTableFixture } from '../../integration/adapters/stores/dynamodb/store-fixture.ts';
import { eventually } from '../../support/eventually.ts';
import { createUser, eachWithInstallation } from '../installation.ts';
import { type OpenedStore, onEachStore } from './opened-stores.ts';

const address = 'jane@example.com';

/** The commands that end users, on one store. */
const commandsOn = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`commands that end users: ${name}`, function () {
    this.timeout(60_000);
    const installation = eachWithInstallation();
    let database: OpenedStore;
    beforeEach(async () => {
      database = await open();
    });
    afterEach(() => database.dispose());

    const run = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await installation().command(args);
      expect([status, stderr], args.join(' ')).to.deep.equal([0, '']);
      return stdout;
    };

    it('latchkey expire deletes the inactive ones', async () => {
      await installation().configure({ database: database.block, activity: { since: '2020-01-01' } });
      const year = 365.25 * 24 * 3_600_000;
      for (const [user, years] of Object.entries({ gone: 3, active: 1 })) {
        const lastCheckTime = Math.floor(Date.now() - years * year);
        await database.store.insert({ ...userOf(`${user}@example.com`), creationTime: 1, lastCheckTime });
      }
      for (const [option, text] of [
        [['--dry-run'], 'would be deleted: 1'],
        [[], 'deleted: 1'],
        [[], 'deleted: 0'],
      ] as const)
        expect(await run('expire', '--inactive', '2y', ...option, 'latchkey.yaml')).to.equal(`ok    ${text}\n`);
      const find = (user: string) => database.store.find(keyOf(addressOf(`${user}@example.com`)));
      expect([await find('gone'), (await find('active'))?.user.email.address]).to.deep.equal([
        undefined,
        'active@example.com',
      ]);
    });

    it('latchkey person finds and erases also the events of a webhook that was removed from the configuration', async () => {
      const webhook = { url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(44)}` };
      const creating = name === 'DynamoDB' ? { createTable: true } : {};
      await installation().configure({ database: { ...database.block, ...creating }, events: { webhooks: [webhook] } });
      const serving = await installation().serve();
      expect(await createUser(serving.url, address)).to.equal(201);
      expect(await createUser(serving.url, 'john@example.com')).to.equal(201);
      expect(await serving.stop()).to.equal(0);
      await installation().configure({ database: database.block });
      const exported = async (who: string) => JSON.parse(await run('person', 'latchkey.yaml', who, '--export'));
      const [{ event }] = (await exported(address)).events;
      expect([event.type, event.data.email.address]).to.deep.equal(['user.created', address]);
      expect(await run('person', 'latchkey.yaml', address, '--erase')).to.include(': user: 1, waiting events: 1, ');
      expect(await exported(address))
        .to.include({ user: null })
        .and.deep.include({ events: [] });
      expect((await exported('john@example.com')).events).to.have.length(1);
    });

    it('latchkey person works where events were never stored', async () => {
      await installation().configure({ database: database.block });
      await database.store.insert(userOf(address));
      const { user, events } = JSON.parse(await run('person', 'latchkey.yaml', address, '--export'));
      expect([user.email.address, events]).to.deep.equal([address, []]);
      expect(await run('person', 'latchkey.yaml', address, '--erase')).to.include(': user: 1, waiting events: 0, ');
    });
  });
};

onEachStore(commandsOn);

describe('latchkey expire on a large table of DynamoDB', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  const fixture = useTableFixture();

  it('ends on Ctrl-C also while it finds only active users', async () => {
    const { table, proxy } = fixture();
    await table.createForUsers();
    const { endpoint } = proxy;
    const database = { type: 'dynamodb', endpoint, region, tableName: table.name };
    await installation().configure({ database, activity: { since: '2020-01-01' } });
    let scans = 0;
    // Each page has more after it, and nobody who is inactive.
    const text = JSON.stringify({ Items: [], Count: 0, LastEvaluatedKey: { email: { S: 'ada@example.com' } } });
    proxy.every(async (forward) => {
      if (proxy.seen.at(-1)?.operation !== 'Scan' || ++scans > 1_000) return forward();
      await sleep(5);
      return { status: 200, text, requestId: 'a page' };
    });
    const run = installation().start(['expire', '--inactive', '2y', 'latchkey.yaml']);
    await eventually(async () => expect(scans).to.be.above(20), 20_000);
    run.child.kill('SIGINT');
    expect([await run.ended, run.stdout, run.stderr]).to.deep.equal([
      1,
      'ok    deleted: 0\n',
      'latchkey: interrupted; run latchkey expire again for the other users\n',
    ]);
    expect(scans).to.be.below(1_000);
  });
});

describe('a command on a DynamoDB that is down', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  const fixture = useTableFixture();

  for (const [args, advice] of [
    [['ids', 'latchkey.yaml'], 'run latchkey ids again for the other users'],
    [['reindex', 'latchkey.yaml'], 'run latchkey reindex again for the other users'],
    [['expire', '--inactive', '2y', 'latchkey.yaml'], 'run latchkey expire again for the other users'],
    [['person', 'latchkey.yaml', address, '--erase'], 'the erasure may be incomplete; run the command again'],
  ] as const)
    it(`says on Ctrl-C what to do next: ${args[0]}`, async () => {
      const { table, proxy } = fixture();
      await table.createForUsers();
      const properties = asProperties('{"nick":"jane"}');
      await (await table.open()).insert({ ...userOf(address), creationTime: 1, properties });
      await installation().configure({
        database: { type: 'dynamodb', endpoint: proxy.endpoint, region, tableName: table.name },
        activity: { since: '2020-01-01' },
        users: { ids: true },
        properties: { allowed: [{ name: 'nick', type: 'string', unique: true }] },
      });
      let writes = 0;
      proxy.every(async (forward) => {
        const { operation = '', body } = proxy.seen.at(-1) ?? {};
        // Not the mark that the opening of a database writes.
        if (!/Put|Update|Delete|Transact/.test(operation) || !JSON.stringify(body).includes(address)) return forward();
        writes++;
        return 'reset';
      });
      const run = installation().start(args);
      await eventually(async () => expect(writes).to.be.above(0), 20_000);
      run.child.kill('SIGINT');
      expect(await run.ended).to.equal(1);
      expect(run.stderr).to.match(new RegExp(`^latchkey: DynamoDB table ${table.name}\\b.*; ${advice}\n$`));
    });
});
