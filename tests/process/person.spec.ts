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
    // The wrong password for nobody was counted.
    const again = await person(address, '--erase');
    expect([again.status, again.stdout.split('\n')[0]]).to.deep.equal([
      0,
      `ok    ${address} is erased: ${counts(0, 1)}`,
    ]);
    await serving.stop();
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
