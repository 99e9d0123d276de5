import { expect } from 'chai';
import { WebhookReceiver } from '../../sdk/contract/http/webhook-receiver.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { countedFailures, eventFor, type FormerDatabase, formerDatabases, user } from './former-databases.ts';
import { clientHeaders, createUser, eachWithInstallation, readUser } from './installation.ts';

const administrator = { application: 'support', secret: 'a secret of an administrator' };
const adminHeaders = {
  Authorization: `Basic ${Buffer.from(`${administrator.application}:${administrator.secret}`).toString('base64')}`,
  'Content-Type': 'application/json',
};

/** Blocks the user with the first wrong password that this version counts. */
const limit = countedFailures + 1;

/** Asks an administrator's question about the user, or changes the user. Resolves with the status and the answer. */
const administer = async (adminUrl: string, action: string, body?: string): Promise<[number, unknown]> => {
  const init = body === undefined ? {} : { method: 'POST', body };
  const response = await fetch(`${adminUrl}/admin/users/${user.email}/${action}`, { headers: adminHeaders, ...init });
  return [response.status, await response.json()];
};

for (const [name, prepare] of Object.entries(formerDatabases))
  describe(`a database of the first release: ${name}`, function () {
    this.timeout(60_000);
    withAwsCredentials();
    const create = prepare();
    const installation = eachWithInstallation();
    let former: FormerDatabase;
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      receiver = await WebhookReceiver.open();
      former = await create(installation(), eventFor(receiver.url));
      await installation().configure({
        database: former.block,
        passwordHash: { algorithm: 'simple' },
        throttle: { failures: limit, clientFailures: 0 },
        admin: { keys: [administrator] },
        events: { webhooks: [{ url: receiver.url, secret: receiver.secret, types: ['user.created'] }] },
      });
    });
    afterEach(async () => {
      await receiver.close();
      await former.dispose();
    });

    it('is not changed by check, export and a dry run of an import, and check says what the service will do', async () => {
      const before = await former.content();
      const checked = await installation().command(['check', 'latchkey.yaml']);
      expect(checked.stdout).to.match(
        name === 'sqlite'
          ? /the service upgrades its schema from 3 to \d+, and former versions cannot open it any more: back up first/
          : /the service marks it with the format \d+; 0\.1\.0 ignores the mark, and lets disabled users sign in/,
      );
      expect(checked.stdout).to.include('(docs/operations.md#going-back)');
      expect(checked.stdout).to.include('the age of events that wait counts from then').and.include('1 waiting');
      const exported = await installation().command(['export', '--output', 'users.jsonl', 'latchkey.yaml']);
      expect(exported.stderr).to.equal('ok    users.jsonl: users: 1\n');
      const dry = await installation().command(['import', '--dry-run', 'users.jsonl', 'latchkey.yaml']);
      expect(dry.stdout).to.include('user_exists: 1');
      expect([checked.status, exported.status, dry.status]).to.deep.equal([0, 0, 0]);
      expect(await former.content()).to.deep.equal(before);
    });

    it('is served: its users sign in, its links verify, and its events are delivered however old they are', async () => {
      // Refuses the first attempt, so that events which are too old would be deleted before the second one.
      let refusals = 1;
      receiver.behaviour = (_, response) => void response.writeHead(refusals-- > 0 ? 503 : 204).end();
      const { url, stop } = await installation().serve();
      expect(await readUser(url, user.email, user.password)).to.equal(200);
      expect(await createUser(url, 'grace@example.com')).to.equal(201);
      const link = new URL('/verify', url);
      link.search = String(new URLSearchParams({ email: user.email, token: user.verificationToken }));
      const { Authorization } = clientHeaders;
      expect((await fetch(link, { headers: { Authorization } })).status).to.equal(200);
      await eventually(async () => {
        expect(receiver.received.filter(({ headers }) => headers['webhook-id'] === 'evt-1')).to.have.lengthOf(2);
      }, 40_000);
      expect(await stop()).to.equal(0);
    });

    it('keeps its counts of wrong passwords, so that the upgrade permits no further guesses', async () => {
      const { url, adminUrl, stop } = await installation().serve();
      expect(await administer(adminUrl, 'attempts')).to.deep.equal([
        200,
        { failures: countedFailures, blockedForSeconds: 0 },
      ]);
      expect(await readUser(url, user.email, 'a guess')).to.equal(401);
      expect(await readUser(url, user.email, user.password)).to.equal(429);
      expect((await administer(adminUrl, 'unblock', '{}'))[0]).to.equal(200);
      expect(await readUser(url, user.email, user.password)).to.equal(200);
      expect(await stop()).to.equal(0);
    });

    it('can be rolled back, with the losses that the documents name', async () => {
      const upgraded = await installation().serve();
      expect((await administer(upgraded.adminUrl, 'disable', '{"reason":"abuse"}'))[0]).to.equal(200);
      expect(await readUser(upgraded.url, user.email, user.password)).to.equal(403);
      expect(await readUser(upgraded.url, user.email, 'a guess')).to.equal(401);
      expect(await upgraded.stop()).to.equal(0);
      const { isDisabled, isCounted } = await former.usedByFormer();
      const { url, adminUrl, stop } = await installation().serve();
      const counts = { failures: isCounted ? 1 : 0, blockedForSeconds: 0 };
      expect(await administer(adminUrl, 'attempts')).to.deep.equal([200, counts]);
      expect(await readUser(url, user.email, user.password)).to.equal(isDisabled ? 403 : 200);
      expect(await stop()).to.equal(0);
    });

    it('is refused by a version that is older than its last one', async () => {
      await former.usedByNewer();
      const checked = await installation().command(['check', 'latchkey.yaml']);
      expect([checked.status, checked.stdout]).to.satisfy(
        ([status, text]: [number, string]) => status === 1 && text.includes('written by a newer version of Latchkey'),
      );
      const exported = await installation().command(['export', 'latchkey.yaml']);
      expect([exported.status, exported.stdout]).to.deep.equal([1, '']);
      expect(exported.stderr).to.include('written by a newer version of Latchkey');
      if (name === 'sqlite') return;
      const { url, stop } = await installation().serve();
      expect(await readUser(url, user.email, user.password)).to.equal(500);
      expect(await stop()).to.equal(0);
    });
  });
