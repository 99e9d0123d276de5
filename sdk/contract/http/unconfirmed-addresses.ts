import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { actionOf, emailOf, move, pollMs, WaitingMoves } from './waiting-moves.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** The ways in which a change of address that waits for its confirmation ends, or fails. */
export const unconfirmedAddresses = (harness: Harness): void => {
  describe('a new address that is not confirmed', () => {
    const moves = new WaitingMoves(harness);
    if (harness.lacks('events')) return;

    const cancellations: Readonly<Record<string, (client: Client, account: Account) => Promise<ApiResponse>>> = {
      'a new password': (client, { address, password }) =>
        client.put('/users', { password, body: { email: { address }, password: newPassword() } }),
      'another new address': (client, account) => move(client, account, newAddress()),
      'a reset of the verification': (client, { address, password }) =>
        client.post('/verify/reset', { query: { email: address }, password }),
    };
    for (const [name, change] of Object.entries(cancellations))
      it(`400 token_mismatch after ${name}`, async () => {
        const { client, account, links, use } = await moves.waiting();
        expect((await change(client, account)).status).to.equal(200);
        for (const link of [links.confirm, links.cancel])
          expect((await use(link)).refusal).to.equal('400 token_mismatch');
      });

    it('400 token_mismatch after a change by an administrator', async () => {
      const { client, root, account, use, links } = await moves.waiting();
      const edited = await root.send('PATCH', pathOf(account.address), { body: { plan: 'pro' } });
      expect(edited.status, edited.text).to.equal(200);
      expect((await use(links.confirm)).refusal).to.equal('400 token_mismatch');
      expect(emailOf(await client.read(account))).to.not.have.property('pending');
    });

    const commands: Readonly<Record<string, (client: Client, root: Client, account: Account) => Promise<ApiResponse>>> =
      {
        'a reset of the verification': (client, _, { address, password }) =>
          client.post('/verify/reset', { query: { email: address }, password }),
        'a recovery': async (client, _, { address }) => {
          const issued = await client.post('/recovery', { query: { email: address } });
          const body = { email: { address }, token: Object(issued.json).token, password: newPassword() };
          return client.post('/recovery/confirm', { body });
        },
        'a disablement': (_, root, { address }) =>
          root.post(`${pathOf(address)}/disable`, { body: { reason: 'a test' } }),
        'a required new password': (_, root, { address }) => root.post(`${pathOf(address)}/require-password-change`),
        'a cleared password': (_, root, { address }) => root.delete(`${pathOf(address)}/password`),
        'a reset by an administrator': (_, root, { address }) => root.post(`${pathOf(address)}/reset`),
      };
    for (const [name, command] of Object.entries(commands))
      it(`is reported by user.updated with email.pending after ${name}`, async () => {
        const receiver = await WebhookReceiver.open();
        const webhook = { url: `${receiver.url}/cancelled`, secret: receiver.secret, types: ['user.updated'] };
        const blocks = { events: { webhooks: [webhook] }, recovery: { deliver: 'caller' } };
        const { client, root, account } = await moves.waiting({}, blocks);
        await receiver.until('/cancelled', 1);
        const response = await command(client, root, account);
        expect(response.status, response.text).to.be.within(200, 204);
        const [, cancelled, ...others] = await receiver.until('/cancelled', 2);
        expect(others).to.deep.equal([]);
        expect(JSON.parse(cancelled?.body ?? '').data.changed).to.include('email.pending');
        await receiver.close();
      });

    it('is reported with a required new password that a recovery has set', async () => {
      const receiver = await WebhookReceiver.open();
      const webhook = { url: `${receiver.url}/required`, secret: receiver.secret, types: ['user.updated'] };
      const blocks = { events: { webhooks: [webhook] }, recovery: { deliver: 'caller' } };
      const { client, root } = await moves.start({}, blocks);
      const account = await client.create();
      await commands['a required new password']?.(client, root, account);
      await commands['a recovery']?.(client, root, account);
      const received = await receiver.until('/required', 2);
      const changed = received.map(({ body }) => JSON.parse(body).data.changed);
      expect(changed).to.deep.equal([
        ['email.changeRequiredTime'],
        ['email.verified', 'email.changeRequiredTime', 'password'],
      ]);
      await receiver.close();
    });

    it('is shown to administrators until it expires', async () => {
      // Not `waiting`: its mails can take longer than this lifetime.
      const { client, root } = await moves.start({ tokenLifetime: '3s' });
      const [account, to] = [await client.create(), newAddress()];
      expect((await move(client, account, to)).status).to.equal(200);
      const read = async () => {
        const user = emailOf(await root.get(pathOf(account.address)));
        if (harness.lacks('listing')) return user;
        const listed = await root.get('/admin/users', { query: { address: account.address } });
        expect(Object(listed.json).users[0].email).to.deep.equal(user);
        return user;
      };
      expect((await read()).pending).to.equal(to);
      const document = Object((await root.get('/admin/openapi.json')).json);
      expect(document.components.schemas.UserEmail.properties).to.have.property('pending');
      await sleep(3_000);
      expect(await read()).to.not.have.property('pending');
    });

    it('400 token_expired after email.tokenLifetime, when it is not shown any more', async () => {
      const { client, account, links, open, use } = await moves.waiting({ tokenLifetime: '1500ms' });
      await sleep(1_500);
      expect((await use(links.confirm)).refusal).to.equal('400 token_expired');
      expect((await use(links.cancel)).refusal).to.equal('400 token_expired');
      expect((await open(links.confirm)).text).to.include('This link has expired');
      expect(emailOf(await client.read(account))).to.not.have.property('pending');
    });

    it('400 token_mismatch for the tokens of other links, and for unknown users', async () => {
      const { client, account, to, links, open } = await moves.waiting();
      const other = await moves.waiting();
      const query = (link: string) => new URLSearchParams(link.slice(link.indexOf('?')));
      const tokens = [
        query(links.cancel).get('token'),
        query(other.links.confirm).get('token'),
        'wrong',
        'x'.repeat(43),
      ];
      for (const [address, token] of [
        ...tokens.map((given) => [account.address, given ?? ''] as const),
        [newAddress(), query(links.confirm).get('token') ?? ''],
      ] as const) {
        const response = await client.post('/change/confirm', {
          query: { email: address, token },
          authorization: null,
        });
        expect(response.refusal).to.equal('400 token_mismatch');
      }
      expect((await open(links.confirm.replace('/change?', '/change/cancel?'), 'POST')).refusal).to.equal(
        '400 token_mismatch',
      );
      expect(emailOf(await client.read(account)).pending).to.equal(to);
    });

    it('409 if another user has it, at the request and at the confirmation, which reserves nothing', async () => {
      const { client, account, to, links, open, use } = await moves.waiting();
      const holder = await client.create({ address: to });
      expect((await move(client, await client.create(), to.toUpperCase())).refusal).to.equal('409 address_taken');
      expect((await use(links.confirm)).refusal).to.equal('409 address_taken');
      const pressed = await open(actionOf(links.confirm, await open(links.confirm)), 'POST');
      expect(pressed.status).to.equal(409);
      expect(pressed.text).to.include('This address is already in use');
      expect((await client.read(account)).user.email.address).to.equal(account.address);
      expect((await client.read(holder)).user.email.verified).to.equal(false);
    });

    it('changes once, however many confirm it at the same time', async () => {
      const { client, account, to, links, use } = await moves.waiting();
      const responses = await Promise.all(Array.from({ length: 64 }, () => use(links.confirm)));
      const codes = responses.map(({ status, text }) => (status === 204 ? '204' : Object(JSON.parse(text)).code));
      expect(codes.filter((code) => code === '204')).to.have.lengthOf(1);
      expect(new Set(codes.filter((code) => !['204', 'token_mismatch', 'contended'].includes(code)))).to.deep.equal(
        new Set(),
      );
      expect((await client.read({ ...account, address: to })).user.email.verified).to.equal(true);
    });

    it('429 resend_too_soon for a second address within email.resendInterval; the same one again sends no mail', async () => {
      const { client, account, to } = await moves.waiting({ resendInterval: '1h' });
      const repeated = await move(client, account, to);
      expect(emailOf(repeated).pending).to.equal(to);
      const refused = await move(client, account, newAddress());
      expect(refused.refusal).to.equal('429 resend_too_soon');
      expect(refused.problem.detail).to.include('until a new address is accepted');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(3_500, 3_600);
      await sleep(10 * pollMs);
      expect(await moves.mailsTo(to)).to.have.lengthOf(1);
    });
  });
};
