import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword } from './client.ts';
import type { Blocks, Harness, TestService } from './harness.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const passwordHash = { algorithm: 'sha256', serverSideHash: true };

const withRules = (passwordRules: object): Blocks => ({ passwordHash, passwordRules });

const create = (client: Client, password: string, address = newAddress()): Promise<ApiResponse> =>
  client.post('/users', { body: { email: { address }, password } });

const update = (client: Client, { address, password }: Account, changes: object): Promise<ApiResponse> =>
  client.put('/users', { query: { email: address }, password, body: { email: { address }, ...changes } });

/** The messages of a refused password. */
const reasonsOf = (response: ApiResponse): readonly unknown[] => {
  expect(response.refusal).to.equal('400 weak_password');
  const errors: unknown = Object(response.json).errors;
  if (!Array.isArray(errors)) throw new Error('a refused password has errors');
  expect(errors.map((error) => Object(error).path)).to.satisfy((paths: unknown[]) =>
    paths.every((path) => path === 'password'),
  );
  return errors.map((error) => Object(error).message);
};

const tooShort = 'must have at least 12 characters';
const hasAddress = 'must not contain the email address, or the part before its @';
const isListed = 'is on the list of known passwords';

const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();

const limits = (harness: Harness): void => {
  const rules = withRules({ minLength: 12, maxLength: 64, notAddress: true });

  it('400 for a new user with a weak password, with every reason, and no user is stored', async () => {
    const { client } = await harness.service(rules);
    const address = `weak.${newAddress()}`;
    const local = address.slice(0, address.indexOf('@'));
    expect(reasonsOf(await create(client, 'too short'))).to.deep.equal([tooShort]);
    expect(reasonsOf(await create(client, 'a'.repeat(65)))).to.deep.equal(['must have at most 64 characters']);
    expect(reasonsOf(await create(client, `My ${local.toUpperCase()}`, address))).to.deep.equal([hasAddress]);
    expect(reasonsOf(await create(client, local.slice(0, 11), `${local.slice(0, 11)}@example.com`))).to.deep.equal([
      tooShort,
      hasAddress,
    ]);
    expect((await create(client, newPassword(), address)).status).to.equal(201);
  });

  it('counts Unicode code points', async () => {
    const { client } = await harness.service(rules);
    for (const password of ['🔑'.repeat(12), 'é'.repeat(64), '🔑'.repeat(64)])
      await client.read(await client.create({ password }));
    expect(reasonsOf(await create(client, '🔑'.repeat(11)))).to.deep.equal([tooShort]);
  });

  it('400 for an update or a patch with a weak password, and the user keeps the former one', async () => {
    const { client } = await harness.service(rules);
    const account = await client.create();
    expect(reasonsOf(await update(client, account, { password: 'too short', plan: 'paid' }))).to.deep.equal([tooShort]);
    const sent = { query: { email: account.address }, password: account.password, body: { password: 'too short' } };
    expect(reasonsOf(await client.send('PATCH', '/users', sent))).to.deep.equal([tooShort]);
    expect((await client.read(account)).user).to.deep.equal(account.user);
    const password = newPassword();
    expect((await update(client, account, { password })).status).to.equal(200);
    await client.read({ ...account, password });
  });

  it('compares a new password with the former and the new address', async () => {
    const { client } = await harness.service(rules);
    const account = await client.create();
    const moved = `moved.${newAddress()}`;
    for (const address of [account.address, moved]) {
      const body = { email: { address: moved }, password: `my ${address} password` };
      const sent = { query: { email: account.address }, password: account.password, body };
      expect(reasonsOf(await client.put('/users', sent))).to.deep.equal([hasAddress]);
    }
  });

  it('401 for an update with a wrong password, whatever the new one is', async () => {
    const { client } = await harness.service(rules);
    const account = await client.create();
    const response = await update(client, { ...account, password: newPassword() }, { password: 'short' });
    expect(response.refusal).to.equal('401 wrong_password');
  });

  it('accepts the password and the stored hash of a user from before the rules', async () => {
    const account = await (await harness.service({ passwordHash })).client.create({ password: 'former' });
    const { client } = await harness.service(rules);
    for (const changes of [{}, { password: 'former' }, { password: account.user.password }])
      expect((await update(client, account, changes)).user.password).to.equal(account.user.password);
    await client.read(account);
  });

  it('bcrypt: allows 72 characters; 400 unsuitable_password for more bytes', async () => {
    const { client } = await harness.service({
      passwordHash: { algorithm: 'bcrypt', cost: 4, serverSideHash: true },
      passwordRules: {},
    });
    await client.read(await client.create({ password: 'a'.repeat(72) }));
    expect(reasonsOf(await create(client, 'a'.repeat(73)))).to.deep.equal(['must have at most 72 characters']);
    expect((await create(client, 'é'.repeat(72))).refusal).to.equal('400 unsuitable_password');
  });

  it('without the block, accepts every password', async () => {
    const { client } = await harness.service({ passwordHash });
    await client.read(await client.create({ password: 'x' }));
  });
};

const scores = (harness: Harness): void => {
  it('400 for a password whose score is too low', async () => {
    const { client } = await harness.service(withRules({ minScore: 3 }));
    expect(reasonsOf(await create(client, 'password'))).to.deep.equal([
      'is too easy to guess (score 0 of 4, 3 is required)',
    ]);
    const address = `zaphodbeeblebrox@${newAddress().replace('@', '.')}`;
    const [reason] = reasonsOf(await create(client, 'zaphodbeeblebrox', address));
    expect(reason).to.match(/^is too easy to guess \(score [012] of 4, 3 is required\)$/);
    expect((await create(client, 'k7#Qz!m2Wp9x')).status).to.equal(201);
    const account = await client.create();
    expect(reasonsOf(await update(client, account, { password: 'qwertyuiop' }))).to.have.lengthOf(1);
  });

  it('rates long passwords', async () => {
    const { client } = await harness.service(withRules({ minScore: 4 }));
    expect(reasonsOf(await create(client, 'password'.repeat(32)))).to.have.lengthOf(1);
    await client.read(await client.create({ password: `${newPassword()}.`.repeat(5) }));
  });
};

const lists = (harness: Harness): void => {
  const listed = ['correct horse', 'battery staple', 'pässwörd 🔑'];
  let blocklist = '';

  before(async () => {
    const content = [listed[0], `${sha1(listed[1] ?? '')}:42`, `${sha1(listed[2] ?? '').toLowerCase()}:1`, ''];
    blocklist = await harness.file('known-passwords.txt', content.join('\r\n'));
  });

  it('400 for a password of the list', async () => {
    const { client } = await harness.service(withRules({ blocklist }));
    const account = await client.create();
    for (const password of listed) {
      expect(reasonsOf(await create(client, password)), password).to.deep.equal([isListed]);
      expect(reasonsOf(await update(client, account, { password })), password).to.deep.equal([isListed]);
    }
    await client.read(await client.create({ password: 'Correct horse' }));
    await client.read(account);
  });

  it('accepts a listed password of an existing user', async () => {
    const account = await (await harness.service({ passwordHash })).client.create({ password: 'correct horse' });
    await (await harness.service(withRules({ blocklist }))).client.read(account);
  });

  it('logs the size of the list', async () => {
    const { log } = await harness.service(withRules({ blocklist }));
    const lines = await log();
    expect(lines.some((line) => line.includes('the list of known passwords was read'))).to.equal(true);
  });

  if (harness.lacks('events')) return;

  it('onCheck: event reports a login with a password of the list once, and does not refuse it', async () => {
    const receiver = await WebhookReceiver.open();
    try {
      const former = (await harness.service({ passwordHash })).client;
      const account = await former.create({ password: 'correct horse' });
      const other = await former.create();
      const service: TestService = await harness.service({
        passwordHash,
        passwordRules: { blocklist, onCheck: 'event' },
        events: { webhooks: [{ url: `${receiver.url}/listed`, secret: receiver.secret, types: ['password.listed'] }] },
      });
      const { client } = service;
      await client.read(other);
      await client.get('/users', { query: { email: account.address }, password: newPassword() });
      const passwordTime = account.user.creationTime;
      expect((await client.read(account)).user).to.deep.equal({ ...account.user, passwordTime });
      const [event] = await receiver.until('/listed', 1);
      expect(event === undefined ? undefined : receiver.verified(event)).to.deep.include({ type: 'password.listed' });
      const { email, creationTime, lastUpdateTime } = account.user;
      expect(Object(event === undefined ? {} : receiver.verified(event)).data).to.deep.equal({
        email: { address: email.address, verified: email.verified },
        creationTime,
        lastUpdateTime,
      });
      // The next event is that of another user: a second one of this user would come first.
      const third = await former.create({ password: 'battery staple' });
      expect((await client.read(account)).user).to.deep.equal({ ...account.user, passwordTime });
      await client.read(third);
      const received = await receiver.until('/listed', 2);
      expect(received.map((one) => Object(receiver.verified(one)).data.email.address)).to.deep.equal([
        account.address,
        third.address,
      ]);
    } finally {
      await receiver.close();
    }
  });
};

/** The rules of new passwords (NIST SP 800-63B, section 3.1.1.2). */
export const passwordRules = (harness: Harness): void => {
  describe('password rules', () => {
    limits(harness);
    describe('minScore', () => scores(harness));
    describe('blocklist', () => lists(harness));
  });
};
