import { expect } from 'chai';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { createdWithId as created, newId, withIds } from './user-ids.ts';
import { actionOf, emailOf, WaitingMoves } from './waiting-moves.ts';

/** Requests with the token of a mail that name the user by the id. */
export const linksById = (harness: Harness): void => {
  it('names the user with the token of a verification mail', async () => {
    const { client } = await harness.service(withIds);
    const { query, password } = await created(client);
    const { verificationToken: token } = (await client.post('/verify', { query, password })).user.email;
    const link = { query: { ...query, token: String(token) } };
    expect((await client.get('/verify', { query: { id: newId(), token: String(token) } })).status).to.be.oneOf([
      400, 404,
    ]);
    expect((await client.get('/verify', link)).user.email.verified).to.equal(true);
  });

  if (harness.lacks('events')) return;

  it('names the user with the token of a new address, also on its page', async () => {
    const moves = new WaitingMoves(harness);
    for (const action of ['confirm', 'cancel'] as const) {
      const { client, account, to, links, open } = await moves.waiting({}, withIds);
      const byId = (link: string) => link.replace(/email=[^&]*/, `id=${account.user.id}`);
      const page = await open(byId(links[action]));
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      const pressed = await open(byId(actionOf(links[action], page)), 'POST');
      expect(pressed.status, pressed.text).to.equal(303);
      const query = { id: String(account.user.id) };
      const read = await client.get('/users', { query, password: account.password });
      expect([emailOf(read).address, emailOf(read).pending]).to.deep.equal([
        action === 'confirm' ? to : account.address,
        undefined,
      ]);
    }
  });

  it('names the user in a link to the page for a new password, whose form sends it again', async () => {
    const passwordHash = { algorithm: 'sha256', serverSideHash: true };
    const issuing = await harness.service({ ...withIds, passwordHash, recovery: { deliver: 'caller' } });
    const { client } = await harness.service({
      ...withIds,
      passwordHash,
      passwordRules: { minLength: 8 },
      recovery: {},
    });
    const { query } = await created(client);
    const { token } = Object((await issuing.client.post('/recovery', { query })).json);
    const page = await client.get('/recovery', { query: { ...query, token }, authorization: null });
    const field = `<input type="hidden" name="id" value="${query.id}">`;
    expect(page.text).to.include(field).and.not.include('name="email"');
    const send = (fields: Readonly<Record<string, string>>) =>
      client.post('/recovery/password', {
        authorization: null,
        raw: new URLSearchParams({ token, ...fields }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'null' },
      });
    const again = await send({ ...query, password: 'short' });
    expect([again.status, again.text.includes(field)]).to.deep.equal([400, true]);
    const password = newPassword();
    for (const user of [{}, { id: 'a b' }, { ...query, email: newAddress() }, { id: newId() }])
      expect((await send({ ...user, password })).status, JSON.stringify(user)).to.equal(400);
    expect((await send({ ...query, password })).status).to.equal(303);
    expect((await client.get('/users', { query, password })).status).to.equal(200);
  });
};
