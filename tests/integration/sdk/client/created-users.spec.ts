import { expect } from 'chai';
import { createAdminClient, type LatchkeyAdminClient } from '../../../../sdk/client/index.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';

const credentials = { application: 'support', secret: 'of the support team' };

describe('users whom an administrator creates with the typed client', () => {
  let latchkey: TestLatchkey;
  let administration: LatchkeyAdminClient<{ handle?: string }>;
  before(async () => {
    latchkey = await startLatchkey({
      admin: { keys: [credentials], createUsers: true },
      invitations: {},
      passwordHash: { serverSideHash: true },
      properties: { allowed: [{ name: 'handle', type: 'string', unique: true }], allowSubset: true },
      server: { publicUrl: 'https://users.example.com' },
      users: { ids: true },
    });
    administration = createAdminClient({ url: latchkey.adminUrl, credentials });
  });
  after(() => latchkey.stop());

  const codeOf = (outcome: { readonly ok: boolean; readonly problem?: { readonly code: string } }): string =>
    outcome.problem?.code ?? 'ok';

  it('have an id and unique properties, which no other user can have', async () => {
    const properties = { handle: 'ada' };
    const created = await administration.createUser({ email: 'ada@example.com', id: 'ada-1', properties });
    if (!created.ok) throw new TypeError(created.problem.code);
    expect(created.user).to.deep.include({ id: 'ada-1', handle: 'ada' });
    expect(created.user.email.invitationTime).to.be.a('number');
    const others = [
      { email: 'other@example.com', id: 'ada-1' },
      { email: 'other@example.com', properties },
      { email: 'ADA@example.com' },
      { email: 'other@example.com', password: '' },
    ];
    const refused = await Promise.all(others.map((user) => administration.createUser(user)));
    expect(refused.map(codeOf)).to.deep.equal(['id_taken', 'property_taken', 'user_exists', 'invalid_body']);
    const listed = await administration.listUsers({ state: 'invited' });
    if (!listed.ok) throw new TypeError(listed.problem.code);
    expect(listed.users.map(({ id }) => id)).to.deep.equal(['ada-1']);
  });

  it('are invited also if the properties that an application passes on have a password', async () => {
    const properties = { handle: 'eve', password: 'of the person who sent the properties' };
    const created = await administration.createUser({ email: 'eve@example.com', properties });
    if (!created.ok) throw new TypeError(created.problem.code);
    expect(created.user.email.invitationTime).to.be.a('number');
  });

  it('keep the id and the properties under another address, and are invited there', async () => {
    const created = await administration.createUser({ email: 'grace@example.com', properties: { handle: 'grace' } });
    if (!created.ok) throw new TypeError(created.problem.code);
    const { id = '' } = created.user;
    const moved = await administration.changeAddress({ id, ifMatch: created.etag }, 'grace@example.org');
    if (!moved.ok) throw new TypeError(moved.problem.code);
    expect(moved.user).to.deep.include({ id, handle: 'grace' });
    expect(moved.user.email).to.deep.include({ address: 'grace@example.org', verified: false });
    const stale = await administration.changeAddress({ id, ifMatch: created.etag }, 'grace@example.net');
    expect(codeOf(stale)).to.equal('stale_user');
    // The change ended the former invitation, which delays no other one.
    expect(codeOf(await administration.inviteUser({ id }))).to.equal('ok');
    expect(codeOf(await administration.inviteUser({ id }))).to.equal('resend_too_soon');
    expect(codeOf(await administration.setPassword({ id }, 'correct horse battery staple'))).to.equal('ok');
    expect(codeOf(await administration.inviteUser({ id }))).to.equal('not_invited');
  });
});
