import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { createUser, eachWithInstallation, readUser } from './installation.ts';

const address = 'jane@example.com';

describe('latchkey person', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();

  const person = (...args: readonly string[]) => installation().command(['person', 'latchkey.yaml', ...args]);

  it('gathers and erases a person while the service runs, and says what stays elsewhere', async () => {
    // Nothing listens on the port of the webhook, so that the events wait.
    const webhook = { url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(44)}` };
    await installation().configure({
      events: { webhooks: [webhook] },
      throttle: {},
      recovery: { pageUrl: 'https://shop.example.com/recovery' },
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      audit: { to: 'file', file: 'audit.jsonl' },
    });
    const serving = await installation().serve();
    expect(await createUser(serving.url, address)).to.equal(201);
    expect(await readUser(serving.url, address, 'wrong')).to.equal(401);

    const exported = await person('JANE@example.com', '--export');
    expect([exported.status, exported.stderr]).to.deep.equal([0, '']);
    const { user, events, attempts, elsewhere } = JSON.parse(exported.stdout);
    expect(user.email).to.include({ address, verified: false });
    expect(user).not.to.have.property('password');
    expect(events.map(({ event }: { event: { type: string } }) => event.type)).to.deep.equal(['user.created']);
    expect(attempts).to.deep.equal([{ kind: 'passwords', failures: 1, blockedForSeconds: 0 }]);
    for (const place of ['audit.jsonl', 'email.directory', 'Backups', '127.0.0.1:1'])
      expect(elsewhere.join(' ')).to.include(place);

    const counts = (user: number, failures: number) =>
      `user: ${user}, waiting events: ${user}, waiting mails: 0, waiting requests: 0, counts of wrong passwords and codes: ${failures}`;
    // The right password ends the count.
    expect(await readUser(serving.url, address)).to.equal(200);
    const erased = await person(address, '--erase');
    expect(erased.stdout)
      .to.include(`ok    ${address} is erased: ${counts(1, 0)}\n`)
      .and.to.include('note  Backups');
    expect(erased.stdout).to.include('note  Events user.deleted that wait for their webhooks: 1\n');
    expect(await readUser(serving.url, address)).to.equal(404);
    // The wrong password for an unknown user was counted.
    const again = await person(address, '--erase');
    expect([again.status, again.stdout.split('\n')[0]]).to.deep.equal([
      0,
      `ok    ${address} is erased: ${counts(0, 1)}`,
    ]);
    await serving.stop();
  });

  it('names a damaged record and what to do, and erases what is left once it is deleted', async () => {
    const webhook = { url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(44)}` };
    await installation().configure({
      users: { ids: true },
      properties: { allowed: [{ name: 'nick', type: 'string', unique: true }] },
      events: { webhooks: [webhook] },
    });
    const serving = await installation().serve();
    const created = await fetch(`${serving.url}/users`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Basic ${Buffer.from('dev:development-only').toString('base64')}`,
      },
      body: JSON.stringify({ email: { address }, password: 'correct horse', nick: 'janie' }),
    });
    expect(created.status, await created.text()).to.equal(201);
    expect(await serving.stop()).to.equal(0);
    const file = join(installation().folder, 'users.db');
    const inDatabase = (sql: string): void => {
      const database = new Database(file);
      database.exec(sql);
      database.close();
    };
    inDatabase("UPDATE users SET properties = 'not JSON'");
    for (const option of ['--export', '--erase']) {
      const { status, stdout, stderr } = await person(address, option);
      expect([status, stdout, stderr]).to.deep.equal([
        1,
        '',
        `latchkey: the record ${address} is damaged (a stored user has no readable properties): repair it, or delete it with its names (docs/operations.md#damaged-records), and run the command again\n`,
      ]);
    }
    const operations = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    inDatabase(/```sql\n(DELETE FROM users[^`]*)```/.exec(operations)?.[1] ?? 'the statements are missing');
    const erased = await person(address, '--erase');
    expect([erased.status, erased.stderr]).to.deep.equal([0, '']);
    expect(erased.stdout).to.include('user: 0, waiting events: 1, ');
    inDatabase('VACUUM');
    for (const name of [address, 'janie', 'usr_'])
      expect((await readFile(file, 'latin1')).includes(name), name).to.equal(false);
  });

  it('refuses a command line that could be a slip', async () => {
    for (const [args, reason] of [
      [[], 'person needs either --export or --erase'],
      [[address], 'person needs either --export or --erase'],
      [[address, '--export', '--erase'], 'person needs either --export or --erase'],
      [[address, '--erase', '--dry-run'], '--dry-run is an option of import and expire'],
      [['jane', '--erase'], 'expected an address, because users have no ids'],
      [[address, 'john@example.com', '--erase'], 'person takes an address or an id'],
    ] as const) {
      const { status, stderr } = await person(...args);
      expect([status, stderr]).to.deep.equal([2, `latchkey: ${reason}\nSee: latchkey help person\n`]);
    }
  });

  it('says that there is no database', async () => {
    const { status, stderr } = await person(address, '--export');
    expect(status).to.equal(1);
    expect(stderr).to.match(/^latchkey: .*users\.db/);
  });
});
