import { expect } from 'chai';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { actionOf, emailOf, move, WaitingMoves } from './waiting-moves.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** Changes of address that the new mailbox confirms (`email.confirmChange`), for stores with an event outbox. */
export const confirmedAddresses = (harness: Harness): void => {
  describe('a new address that its mailbox has to confirm', () => {
    const moves = new WaitingMoves(harness);

    if (harness.lacks('events')) {
      it('is refused at the start', async () => {
        const refused = await moves.start().catch((error: unknown) => error);
        expect(refused).to.have.property('message').that.includes('email.confirmChange');
      });
      return;
    }

    it('is shown as email.pending, while the present one keeps working', async () => {
      const { client, account, to, response } = await moves.waiting();
      expect(emailOf(response)).to.deep.equal({
        address: account.address,
        verified: false,
        verificationToken: null,
        pending: to,
      });
      expect((await client.read(account)).text).to.equal(response.text);
      const moved = { ...account, address: to };
      expect((await client.get('/users', { query: { email: to }, password: moved.password })).status).to.equal(404);
    });

    it('does not hold back the other changes of the request, and keeps the verification', async () => {
      const { client } = await moves.start();
      const account = await client.create({ properties: { plan: 'free' } });
      const token = await client.token(account);
      expect((await client.get('/verify', { query: { email: account.address, token } })).status).to.equal(200);
      const password = newPassword();
      const response = await move(client, account, newAddress(), { plan: 'pro', password });
      expect(response.properties).to.deep.equal({ plan: 'pro' });
      expect(response.user.email).to.deep.include({ address: account.address, verified: true });
      expect((await client.read({ ...account, password })).properties).to.deep.equal({ plan: 'pro' });
    });

    it('is used and verified after its link, once', async () => {
      const { client, account, to, links, use } = await moves.waiting();
      expect((await use(links.confirm)).status).to.equal(204);
      const { user } = await client.read({ ...account, address: to });
      expect(user.email).to.deep.equal({ address: to, verified: true, verificationToken: null });
      expect((await use(links.confirm)).refusal).to.equal('400 token_mismatch');
      const { status } = await client.get('/users', { query: { email: account.address }, password: account.password });
      expect(status).to.equal(404);
    });

    it('is confirmed by the button of a page; following the link changes nothing', async () => {
      const { client, account, to, links, open } = await moves.waiting();
      const page = await open(links.confirm);
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('referrer-policy')).to.equal('no-referrer');
      expect(page.text).to.include(to);
      expect(emailOf(await client.read(account)).pending).to.equal(to);
      const pressed = await open(actionOf(links.confirm, page), 'POST');
      expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, '/change/success']);
      expect((await open('/change/success')).text).to.include('Your email address has been changed');
      expect((await client.read({ ...account, address: to })).status).to.equal(200);
      const again = await open(links.confirm);
      expect([again.status, again.headers.get('content-type')]).to.deep.equal([400, 'text/html; charset=utf-8']);
    });

    it('is dropped by the button of the page in the notice to the present address', async () => {
      const { client, account, to, links, open, use } = await moves.waiting();
      expect((await moves.mailsTo(account.address)).at(-1)?.text).to.include(to);
      const page = await open(links.cancel);
      expect(page.text).to.include(account.address);
      expect(emailOf(await client.read(account)).pending).to.equal(to);
      const pressed = await open(actionOf(links.cancel, page), 'POST');
      expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, '/change/cancelled']);
      expect((await open('/change/cancelled')).text).to.include('The change has been cancelled');
      expect(emailOf(await client.read(account))).to.not.have.property('pending');
      expect((await use(links.confirm)).refusal).to.equal('400 token_mismatch');
    });

    it('leads to the same page when a button is pressed twice, also at the same time', async () => {
      for (const [action, done] of [
        ['confirm', '/change/success'],
        ['cancel', '/change/cancelled'],
      ] as const) {
        const { client, root, account, to, links, open, use } = await moves.waiting();
        const target = actionOf(links[action], await open(links[action]));
        const pressed = await Promise.all([open(target, 'POST'), open(target, 'POST')]);
        pressed.push(await open(target, 'POST'));
        for (const { status, headers, text } of pressed)
          expect([status, headers.get('location')], text).to.deep.equal([303, done]);
        const moved = { ...account, address: action === 'confirm' ? to : account.address };
        const read = await client.read(moved);
        await open(target, 'POST');
        expect((await client.read(moved)).headers.get('etag')).to.equal(read.headers.get('etag'));
        // For programs, also under the new address, the token works once.
        for (const link of [links[action], links[action].replace(/email=[^&]*/, `email=${encodeURIComponent(to)}`)])
          expect((await use(link)).refusal).to.equal('400 token_mismatch');
        // The other link does nothing any more.
        const other = action === 'confirm' ? links.cancel : links.confirm;
        const opened = await open(other);
        expect(opened.status).to.equal(400);
        if (action === 'confirm')
          expect(opened.text).to.include('The change was already cancelled, confirmed or replaced');
        expect((await open(target.replace(/token=[^&]*/, 'token=wrong'), 'POST')).status).to.equal(400);
        // A change afterwards ends also this.
        const path = `/admin/users/${encodeURIComponent(moved.address)}`;
        expect((await root.post(`${path}/disable`, { body: { reason: 'a test' } })).status).to.equal(200);
        expect((await root.post(`${path}/enable`)).status).to.equal(200);
        expect((await open(target, 'POST')).status).to.equal(400);
      }
    });

    it('is also requested with PATCH', async () => {
      const { client } = await moves.start();
      const account = await client.create({ properties: { plan: 'free' } });
      const to = newAddress();
      const patch = { query: { email: account.address }, password: account.password, body: { email: { address: to } } };
      const response = await client.send('PATCH', '/users', patch);
      expect(emailOf(response)).to.deep.include({ address: account.address, pending: to });
      expect(
        (
          await client.send('POST', (await moves.linkTo(to)).replace('/change?', '/change/confirm?'), {
            authorization: null,
          })
        ).status,
      ).to.equal(204);
      expect((await client.read({ ...account, address: to })).properties).to.deep.equal({ plan: 'free' });
    });

    it('stays when the user is written back as it was read', async () => {
      const { client, account, to, response, links, use } = await moves.waiting();
      const written = await client.put('/users', {
        password: account.password,
        body: { ...response.user, plan: 'pro' },
      });
      expect(emailOf(written)).to.deep.equal(emailOf(response));
      const created = await client.post('/users', {
        body: { email: { address: newAddress(), pending: newAddress() }, password: newPassword() },
      });
      expect(emailOf(created)).to.not.have.property('pending');
      expect((await use(links.confirm)).status).to.equal(204);
      expect((await client.read({ ...account, address: to })).properties).to.deep.equal({ plan: 'pro' });
    });

    it('waits if it is another spelling of the present one that may be another mailbox', async () => {
      const { client } = await moves.start();
      // The final sigma and the other one are one letter here, and may be two for a mail server.
      const [local = ''] = newAddress().split('@');
      const account = await client.create({ address: `${local}.σίσυφος@example.com` });
      const to = `${local}.σίσυφοσ@example.com`;
      const requested = await move(client, account, to);
      expect(requested.status, requested.text).to.equal(200);
      expect(emailOf(requested)).to.deep.include({ address: account.address, pending: to });
      const link = (await moves.linkTo(to)).replace('/change?', '/change/confirm?');
      expect((await client.send('POST', link, { authorization: null })).status).to.equal(204);
      expect(emailOf(await client.read(account))).to.deep.include({ address: to, verified: true });
    });

    it('is used at once if it is another spelling of the present one', async () => {
      const { client } = await moves.start();
      const account = await client.create();
      const address = account.address.toUpperCase();
      expect(emailOf(await move(client, account, address))).to.deep.include({ address });
      expect(await moves.mailsTo(address)).to.deep.equal([]);
    });

    it('is reported by events without its tokens', async () => {
      const receiver = await WebhookReceiver.open();
      const types = ['user.updated', 'address.changed'];
      const events = { webhooks: [{ url: `${receiver.url}/pending`, secret: receiver.secret, types }] };
      const { account, to, use, links } = await moves.waiting({}, { events });
      const [request] = await receiver.until('/pending', 1);
      const { type, data } = JSON.parse(request?.body ?? '');
      expect([type, data.email, data.changed]).to.deep.equal([
        'user.updated',
        { address: account.address, verified: false },
        ['email.pending'],
      ]);
      expect((await use(links.confirm)).status).to.equal(204);
      const received = (await receiver.until('/pending', 3)).slice(1).map(({ body }) => JSON.parse(body));
      const byType = new Map(received.map((event) => [event.type, event.data]));
      expect(byType.get('user.updated').changed).to.deep.equal(['email.address', 'email.verified', 'email.pending']);
      expect(byType.get('address.changed')).to.deep.include({
        email: { address: to, verified: true },
        previousAddress: account.address,
      });
      for (const link of [links.confirm, links.cancel])
        expect(receiver.received.map(({ body }) => body).join()).to.not.include(link.slice(-43));
      await receiver.close();
    });

    it('has pages in the language of the mails, whatever the browser prefers', async () => {
      // Services of one database send each other's mails, and those of other tests have no other language than the default.
      const alone = harness.alone();
      try {
        const own = new WaitingMoves(alone);
        const { client } = await own.start({ locales: ['de'], localeProperty: 'language' });
        const english = { authorization: null, headers: { 'Accept-Language': 'en' } };
        const account = await client.create({ properties: { language: 'de' } });
        const to = newAddress();
        expect((await move(client, account, to, { language: 'de' })).status).to.equal(200);
        const asked = [];
        for (const [address, question] of [
          [to, 'Bestätigen Sie Ihre neue E-Mail-Adresse'],
          [account.address, 'Behalten Sie Ihre E-Mail-Adresse'],
        ] as const) {
          const link = await own.linkTo(address);
          expect(link).to.match(/&locale=de$/);
          const page = await client.get(link, english);
          expect(page.text).to.include('<html lang="de">').and.to.include(question);
          asked.push(actionOf(link, page));
        }
        const [confirm = '', cancel = ''] = asked;
        const done = (await client.post(confirm, english)).headers.get('location') ?? '';
        expect((await client.get(done, english)).text).to.include('Ihre E-Mail-Adresse wurde geändert');
        expect((await client.post(cancel, english)).text).to.include('Dieser Link funktioniert nicht mehr');
      } finally {
        await alone.close();
      }
    });

    it('is used at once without the option, which leaves /change to 404', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const to = newAddress();
      expect(emailOf(await move(client, account, to))).to.deep.equal({
        address: to,
        verified: false,
        verificationToken: null,
      });
      const body = { email: { address: to, pending: newAddress() } };
      expect((await client.put('/users', { password: account.password, body })).refusal).to.equal('400 invalid_body');
      expect((await client.get('/change', { query: { email: to, token: 'x' } })).refusal).to.equal(
        '404 route_not_found',
      );
    });
  });
};
