import { expect } from 'chai';
import {
  type AdminOutcome,
  type AttemptsOutcome,
  createAdminClient,
  type LatchkeyAdminClient,
  type ListOutcome,
} from '../../../../sdk/client/index.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';
import { eventually } from '../../../support/eventually.ts';

const credentials = { application: 'support', secret: 'of the support team' };
const password = 'correct horse';

const codeOf = (outcome: AdminOutcome | AttemptsOutcome | ListOutcome): string =>
  outcome.ok ? 'none' : outcome.problem.code;
const userOf = (outcome: AdminOutcome) => {
  if (outcome.ok) return outcome.user;
  throw new Error(`refused with ${outcome.problem.code}`);
};

describe('the client of the administration', () => {
  let latchkey: TestLatchkey;
  let client: LatchkeyAdminClient;
  let count = 0;

  before(async () => {
    latchkey = await startLatchkey({
      admin: { keys: [credentials] },
      throttle: { failures: 3 },
      server: { publicUrl: 'https://users.example.com' },
      email: { confirmChange: true },
      activity: {},
    });
    client = createAdminClient({ url: latchkey.adminUrl, credentials });
  });
  after(() => latchkey.stop());

  const created = async (address = `admin-${++count}@example.com`): Promise<string> => {
    expect((await latchkey.client.createUser({ email: { address }, password, plan: 'free' })).ok).to.equal(true);
    return address;
  };
  /** The code with which the user is refused; `none` for a login. */
  const login = async (email: string, given = password): Promise<string> => {
    const outcome = await latchkey.client.getUser({ email, password: given });
    return outcome.ok ? 'none' : outcome.problem.code;
  };

  it('lists users, page by page', async () => {
    for (const name of ['list-a', 'list-b', "list-c+o'hara"]) await created(`${name}@example.com`);
    const first = await client.listUsers({ address: 'list-', limit: 2 });
    if (!first.ok || first.next === null) throw new Error('there is no next page');
    const second = await client.listUsers({ address: 'list-', limit: 2, after: first.next });
    if (!second.ok) throw new Error(second.problem.code);
    const addresses = [...first.users, ...second.users].map(({ email }) => email.address);
    expect(addresses).to.deep.equal(['list-a@example.com', 'list-b@example.com', "list-c+o'hara@example.com"]);
    expect(codeOf(await client.listUsers({ limit: 1000 }))).to.equal('invalid_parameter');
  });

  it('names users by their ids, where they have ids', async () => {
    const service = await startLatchkey({
      users: { ids: true },
      admin: { keys: [credentials] },
      throttle: {},
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: { deliver: 'mail' },
      server: { publicUrl: 'https://users.example.com' },
    });
    try {
      const root = createAdminClient({ url: service.adminUrl, credentials });
      const user = { email: { address: 'by-id@example.com' }, password, id: 'usr_1' };
      expect((await service.client.createUser(user)).ok).to.equal(true);
      const found = await root.getUser('usr_1');
      expect(userOf(found)).to.include({ id: 'usr_1' });
      const ifMatch = found.ok ? found.etag : '';
      expect(userOf(await root.setPassword({ id: 'usr_1', ifMatch }, 'another')).email.address).to.equal(
        user.email.address,
      );
      expect(codeOf(await root.enableUser({ id: 'usr_1', ifMatch }))).to.equal('stale_user');
      for (const named of ['usr_1', user.email.address, { id: 'usr_1' }, { email: user.email.address }]) {
        expect(userOf(await root.getUser(named))).to.include({ id: 'usr_1' });
        expect((await root.exportUser(named)).ok).to.equal(true);
        expect((await root.getAttempts(named)).ok).to.equal(true);
        expect(userOf(await root.unblockUser(named))).to.include({ id: 'usr_1' });
        expect(userOf(await root.startRecovery(named))).to.include({ id: 'usr_1' });
        expect(userOf(await root.markVerified(named))).to.include({ id: 'usr_1' });
      }
      expect(userOf(await root.deleteUser({ id: 'usr_1' }))).to.include({ id: 'usr_1' });
      expect(codeOf(await root.getUser('usr_1'))).to.equal('user_not_found');
    } finally {
      await service.stop();
    }
  });

  it('tells when the password of a user was last right, and lists the inactive ones', async () => {
    const email = await created('inactive@example.com');
    const started = Date.now();
    expect(await login(email)).to.equal('none');
    const noted = await eventually(async () => {
      const attempts = await client.getAttempts(email);
      expect(attempts.ok && attempts.lastCheckTime).to.be.within(started, Date.now());
      return attempts.ok && attempts.lastCheckTime;
    }, 5_000);
    const listed = async (inactiveSince: string) => {
      const found = await client.listUsers({ address: 'inactive@', inactiveSince });
      if (!found.ok) throw new Error(found.problem.code);
      return found.users.map((user) => user.email.lastCheckTime);
    };
    expect(await listed(String(Number(noted) + 1))).to.deep.equal([noted]);
    expect(await listed('90d')).to.deep.equal([]);
  });

  it('finds users by a part of the address and by a property, sorts and counts them', async () => {
    for (const name of ['find-a', 'find-b', 'find-c']) await created(`${name}@find.example.com`);
    const query = {
      addressContains: '@FIND.',
      property: 'plan',
      value: 'free',
      sort: '-creationTime',
      total: true,
    } as const;
    const found = await client.listUsers(query);
    if (!found.ok) throw new Error(found.problem.code);
    const times = found.users.map(({ creationTime }) => creationTime);
    expect(times).to.deep.equal(times.toSorted((one, other) => other - one));
    expect([found.total, found.totalIsExact, found.next]).to.deep.equal([3, true, null]);
    const { property: _, value: __, ...others } = query;
    const page = await client.listUsers({ ...others, limit: 2 });
    expect(page.ok && page.total).to.equal(3);
    expect(codeOf(await client.listUsers({ property: 'plan' }))).to.equal('invalid_parameter');
  });

  it('reads and deletes a user, with an address that has to be encoded', async () => {
    for (const address of ['jane+tag@example.com', 'a/b?c#d%@example.com']) {
      await created(address);
      expect(userOf(await client.getUser(address)))
        .to.include({ plan: 'free' })
        .and.not.have.property('password');
      expect(userOf(await client.deleteUser({ email: address })).email.address).to.equal(address);
      expect(codeOf(await client.getUser(address))).to.equal('user_not_found');
    }
  });

  it('disables and enables a user, who is listed in this state', async () => {
    const email = await created();
    const disabled = userOf(await client.disableUser({ email }, { reason: 'ticket 4711', until: Date.now() + 60_000 }));
    expect(disabled.email.disabledReason).to.equal('ticket 4711');
    expect(await login(email)).to.equal('user_disabled');
    const listed = await client.listUsers({ state: 'disabled' });
    expect(listed.ok && listed.users.map((user) => user.email.address)).to.deep.equal([email]);
    expect(userOf(await client.enableUser({ email })).email).to.not.have.property('disabledReason');
    expect(await login(email)).to.equal('none');
  });

  it('requires a new password, and withdraws that', async () => {
    const email = await created();
    await client.requirePasswordChange({ email });
    expect(await login(email)).to.equal('password_change_required');
    await client.withdrawPasswordChange({ email });
    expect(await login(email)).to.equal('none');
  });

  it('sets and clears a password', async () => {
    const email = await created();
    userOf(await client.setPassword({ email }, 'battery staple'));
    expect(await login(email, 'battery staple')).to.equal('none');
    userOf(await client.clearPassword({ email }));
    expect(await login(email, 'battery staple')).to.equal('wrong_password');
  });

  it('edits custom properties only in the version that was read', async () => {
    const email = await created();
    const read = await client.getUser(email);
    const ifMatch = read.ok ? read.etag : '';
    const { plan, seats } = userOf(await client.editProperties({ email, ifMatch }, { plan: null, seats: 3 }));
    expect({ plan, seats }).to.deep.equal({ plan: undefined, seats: 3 });
    expect(codeOf(await client.editProperties({ email, ifMatch }, { seats: 4 }))).to.equal('stale_user');
    expect(codeOf(await client.editProperties({ email }, { password: 'x' }))).to.equal('invalid_body');
  });

  it('resets a verification', async () => {
    const email = await created();
    await latchkey.client.sendVerification({ email, password });
    expect(userOf(await client.resetVerification({ email })).email).to.deep.equal({ address: email, verified: false });
  });

  it('mails a verification link, marks an address as verified, and cancels a change of it', async () => {
    const email = await created();
    expect(userOf(await client.mailVerification({ email })).email.verified).to.equal(false);
    await latchkey.nextMail(email);
    expect(userOf(await client.markVerified({ email })).email.verified).to.equal(true);
    const to = `new-${email}`;
    await latchkey.client.updateUser({ email, password }, { email: { address: to } });
    expect(userOf(await client.getUser(email)).email.pending).to.equal(to);
    expect(userOf(await client.cancelAddressChange({ email })).email).to.not.have.property('pending');
  });

  it('mails a verification code also where no link could start, without server.publicUrl', async () => {
    const email = { form: 'code', codeKey: 'a key of thirty-two bytes or more', tokenLifetime: '1h' } as const;
    const withCodes = await startLatchkey({ admin: { keys: [credentials] }, server: { host: '127.0.0.1' }, email });
    try {
      await withCodes.client.createUser({ email: { address: 'jane@example.com' }, password });
      const administration = createAdminClient({ url: withCodes.adminUrl, credentials });
      userOf(await administration.mailVerification({ email: 'jane@example.com' }));
      expect((await withCodes.nextMail('jane@example.com')).text).to.match(/^\d{6}$/m);
    } finally {
      await withCodes.stop();
    }
  });

  it('exports a user without its password', async () => {
    const email = await created();
    const exported = await client.exportUser(email);
    if (!exported.ok) throw new Error(exported.problem.code);
    expect(exported.user).to.include({ plan: 'free' }).and.not.have.property('password');
    expect(exported.user.email).to.include({ address: email });
  });

  it('gathers and erases a person', async () => {
    const email = await created();
    const person = await client.getPerson(email);
    expect(person.ok && person.user?.email).to.include({ address: email });
    const stale = await client.erasePerson({ email, ifMatch: '"former"' });
    expect(!stale.ok && stale.problem.code).to.equal('stale_user');
    const erasure = await client.erasePerson({ email });
    expect(erasure.ok && erasure.erased.user).to.equal(true);
    const again = await client.getPerson(email);
    expect(again.ok && again.user).to.equal(null);
  });

  it('reads wrong passwords, and unblocks a user', async () => {
    const email = await created();
    for (let wrong = 0; wrong < 3; wrong++) await login(email, 'wrong');
    const attempts = await client.getAttempts(email);
    expect(attempts.ok && attempts.failures).to.equal(3);
    expect(userOf(await client.unblockUser(email)).email.address).to.equal(email);
    const after = await client.getAttempts(email);
    expect(after.ok && after.failures).to.equal(0);
  });

  it('returns the problem for a wrong key, and refuses a URL with credentials', async () => {
    const wrong = createAdminClient({ url: latchkey.adminUrl, credentials: { ...credentials, secret: 'another one' } });
    expect(codeOf(await wrong.listUsers())).to.equal('client_unauthorized');
    const url = latchkey.adminUrl.replace('//', '//support:secret@');
    expect(() => createAdminClient({ url, credentials })).to.throw(TypeError, 'credentials');
    const nowhere = createAdminClient({ url: 'http://127.0.0.1:1', credentials });
    expect(await rejection(nowhere.getUser('jane@example.com'))).to.be.instanceOf(TypeError);
  });
});
