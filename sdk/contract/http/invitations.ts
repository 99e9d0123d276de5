import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Client, newAddress, newPassword } from './client.ts';
import { type Blocks, type Harness, publicUrl } from './harness.ts';
import { actionOf, emailOf } from './waiting-moves.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const pollMs = 20;
const arrivalTimeoutMs = 5_000;
const passwordHash = { algorithm: 'sha256', serverSideHash: true };
const creating = { createUsers: true };

const create = (root: Client, address: string, others: object = {}): Promise<ApiResponse> =>
  root.post('/admin/users', { body: { email: { address }, ...others } });

const signsIn = async (client: Client, address: string, password: string): Promise<boolean> =>
  (await client.get('/users', { query: { email: address }, password })).status === 200;

/** Users whom administrators create, invite, and give other addresses. */
export const invitations = (harness: Harness): void => {
  describe('users whom administrators create', () => {
    it('have the password that was given, an unverified address, and can sign in', async () => {
      const { client, root } = await administrated(harness, { passwordHash, admin: creating });
      const [address, password] = [newAddress(), newPassword()];
      const created = await create(root, address, { password, plan: 'paid', n: 1.5 });
      expect(created.status, created.text).to.equal(201);
      expect(created.text).to.not.include('"password"');
      expect(Object(created.json)).to.deep.include({ email: { address, verified: false }, plan: 'paid', n: 1.5 });
      expect(await signsIn(client, address, password)).to.equal(true);
      expect((await create(root, address.toUpperCase(), { password })).refusal).to.equal('409 user_exists');
    });

    it('have the password that was given in clear or as a hash, where clients hash passwords', async () => {
      const { client, root } = await administrated(harness, { passwordHash: { algorithm: 'sha256' }, admin: creating });
      const hashing = await administrated(harness, { passwordHash });
      const password = newPassword();
      const [clear, hashed] = [newAddress(), newAddress()];
      expect((await create(root, clear, { password })).status).to.equal(201);
      const read = await client.get('/users', { query: { email: clear }, password });
      expect(read.status, read.text).to.equal(200);
      expect(read.text).to.not.include(password);
      const { user } = await hashing.client.create({ password });
      expect((await create(root, hashed, { password: user.password })).status).to.equal(201);
      expect(await signsIn(client, hashed, password)).to.equal(true);
    });

    it('need a password without invitations, and a route of their own where no option adds it', async () => {
      const { root } = await administrated(harness, { passwordHash, admin: creating });
      const refused = await create(root, newAddress());
      expect(refused.status, refused.text).to.equal(400);
      const { root: plain } = await administrated(harness, { passwordHash });
      expect((await create(plain, newAddress(), { password: newPassword() })).refusal).to.match(/^405 /);
      expect((await plain.get('/admin/users', { query: { state: 'invited' } })).status).to.equal(400);
    });

    it('are created once by two administrators at the same time', async () => {
      const { root } = await administrated(harness, { passwordHash, admin: creating });
      const address = newAddress();
      const both = [0, 1].map(() => create(root, address, { password: newPassword() }));
      const statuses = (await Promise.all(both)).map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal([201, 409]);
    });
  });

  describe('addresses that administrators change', () => {
    const changeAddress = (root: Client, from: string, address: string, headers = {}): Promise<ApiResponse> =>
      root.put(`${pathOf(from)}/address`, { body: { address }, headers });

    it('keep the password and the properties, are not verified, and end a link to the former mailbox', async () => {
      const { client, root } = await administrated(harness, { passwordHash, admin: creating });
      const account = await client.create({ properties: { plan: 'paid' } });
      const token = await client.token(account);
      await root.post(`${pathOf(account.address)}/mark-verified`);
      const to = newAddress();
      const changed = await changeAddress(root, account.address, to);
      expect(changed.status, changed.text).to.equal(200);
      expect(emailOf(changed)).to.deep.equal({ address: to, verified: false });
      expect(Object(changed.json)).to.include({ plan: 'paid', creationTime: account.user.creationTime });
      expect(await signsIn(client, to, account.password)).to.equal(true);
      expect((await root.get(pathOf(account.address))).refusal).to.equal('404 user_not_found');
      expect((await client.get('/verify', { query: { email: to, token } })).refusal).to.equal('400 token_mismatch');
    });

    it('stay verified if only the case of letters changes, and nothing changes if they are the same', async () => {
      const { client, root } = await administrated(harness, { passwordHash, admin: creating });
      const { address } = await client.create();
      const verified = await root.post(`${pathOf(address)}/mark-verified`);
      const same = await changeAddress(root, address, address);
      expect(same.headers.get('etag')).to.equal(verified.headers.get('etag'));
      const spelt = await changeAddress(root, address, address.toUpperCase());
      expect(emailOf(spelt)).to.deep.equal({ address: address.toUpperCase(), verified: true });
    });

    it('are refused if another user has them, if the user has changed, and without a domain of a mailbox', async () => {
      const { client, root } = await administrated(harness, { passwordHash, admin: creating });
      const [one, other] = [await client.create(), await client.create()];
      expect((await changeAddress(root, one.address, other.address)).refusal).to.equal('409 address_taken');
      const stale = await changeAddress(root, one.address, newAddress(), { 'If-Match': '"another"' });
      expect(stale.refusal).to.equal('412 stale_user');
      expect((await changeAddress(root, one.address, 'no address')).refusal).to.equal('400 invalid_body');
      expect((await changeAddress(root, newAddress(), newAddress())).refusal).to.equal('404 user_not_found');
    });
  });

  if (harness.lacks('events')) return;
  describe('invitations', () => {
    const start = async (options: object = {}, blocks: Blocks = {}) => {
      const email = { ...(await harness.queuedEmail()), queue: false };
      const invitations = { resendInterval: '1ms', ...options };
      return administrated(harness, { passwordHash, email, invitations, admin: creating, ...blocks });
    };

    const linksTo = async (address: string): Promise<readonly string[]> => {
      const { directory } = await harness.queuedEmail();
      const mails = (await harness.mailsIn(directory)).filter(({ to }) => to === address);
      return mails.flatMap(({ text }) => text.match(/https:\S+\/invitation\S*/g) ?? []);
    };

    /** The paths of the links that were mailed to an address, once there are as many. */
    const arrived = async (address: string, count = 1): Promise<readonly string[]> => {
      for (const end = performance.now() + arrivalTimeoutMs; ; await sleep(pollMs)) {
        const links = await linksTo(address);
        if (links.length >= count) return links.map((link) => link.slice(publicUrl.length));
        if (performance.now() > end) throw new Error(`${links.length} of ${count} invitations arrived`);
      }
    };

    const open = (client: Client, link: string): Promise<ApiResponse> => client.get(link, { authorization: null });

    /** Sends the form of the page of a link. */
    const choose = (client: Client, link: string, password: string): Promise<ApiResponse> => {
      const query = new URL(link, publicUrl).searchParams;
      const form = { email: query.get('email') ?? '', token: query.get('token') ?? '', password };
      return client.post('/invitation/password', {
        raw: new URLSearchParams(form).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        authorization: null,
      });
    };

    const invite = async (root: Client): Promise<{ readonly address: string; readonly link: string }> => {
      const address = newAddress();
      const created = await create(root, address);
      expect(created.status, created.text).to.equal(201);
      return { address, link: String((await arrived(address))[0]) };
    };

    const isInvited = async (root: Client, address: string): Promise<boolean> => {
      if (harness.lacks('listing')) return 'invitationTime' in Object(emailOf(await root.get(pathOf(address))));
      const listed = await root.get('/admin/users', { query: { state: 'invited', address } });
      expect(listed.status, listed.text).to.equal(200);
      return Object(listed.json).users.length === 1;
    };

    it('are mailed to users without a password, who choose one by the link, which verifies the address', async () => {
      const { client, root } = await start();
      const { address, link } = await invite(root);
      const token = String(new URL(link, publicUrl).searchParams.get('token'));
      const invited = await root.get(pathOf(address));
      expect(invited.text).to.not.include(token);
      expect(emailOf(invited)).to.have.property('invitationTime').that.is.a('number');
      expect(await isInvited(root, address)).to.equal(true);
      const page = await open(client, link);
      expect(page.status, page.text).to.equal(200);
      expect(actionOf(link, page)).to.equal('/invitation/password');
      expect((await root.get(pathOf(address))).headers.get('etag'), 'a GET changes nothing').to.equal(
        invited.headers.get('etag'),
      );
      const password = newPassword();
      const chosen = await choose(client, link, password);
      expect(chosen.status, chosen.text).to.equal(303);
      expect(chosen.headers.get('location')).to.include('/invitation/success');
      expect(await signsIn(client, address, password)).to.equal(true);
      expect(emailOf(await root.get(pathOf(address)))).to.deep.equal({ address, verified: true });
      expect(await isInvited(root, address)).to.equal(false);
      expect((await choose(client, link, newPassword())).status, 'a second use').to.equal(400);
      expect(await signsIn(client, address, password)).to.equal(true);
      expect((await root.post(`${pathOf(address)}/invite`)).refusal).to.equal('409 not_invited');
    });

    it('are used once by two requests at the same time', async () => {
      const { client, root } = await start();
      const { address, link } = await invite(root);
      const passwords = [newPassword(), newPassword()];
      const sent = passwords.map((password) => choose(client, link, password));
      expect((await Promise.all(sent)).map(({ status }) => status).toSorted()).to.deep.equal([303, 400]);
      const works = await Promise.all(passwords.map((password) => signsIn(client, address, password)));
      expect(works.filter(Boolean)).to.have.lengthOf(1);
    });

    it('end with the next one, also if two administrators send it at the same time', async () => {
      const { client, root } = await start();
      const { address, link } = await invite(root);
      const both = await Promise.all([0, 1].map(() => root.post(`${pathOf(address)}/invite`)));
      const sent = both.filter(({ status }) => status === 200).length;
      expect(sent).to.be.within(1, 2);
      const links = await arrived(address, 1 + sent);
      const statuses = await Promise.all(links.map(async (one) => (await open(client, one)).status));
      expect(statuses.toSorted()).to.deep.equal([200, ...Array.from({ length: sent }, () => 400)]);
      expect((await open(client, link)).status, 'the first one').to.equal(400);
    });

    it('are not sent too soon after another, to users who have a password, or while they are disabled', async () => {
      const { client, root } = await start({ resendInterval: '1h' });
      const { address, link } = await invite(root);
      const early = await root.post(`${pathOf(address)}/invite`);
      expect(early.refusal).to.equal('429 resend_too_soon');
      expect(Number(early.headers.get('retry-after'))).to.be.within(3_500, 3_600);
      const { address: other } = await client.create();
      expect((await root.post(`${pathOf(other)}/invite`)).refusal).to.equal('409 not_invited');
      await root.post(`${pathOf(address)}/disable`, { body: { reason: 'ticket 4711' } });
      expect((await root.post(`${pathOf(address)}/invite`)).refusal).to.equal('403 user_disabled');
      await root.post(`${pathOf(address)}/enable`);
      expect((await open(client, link)).status, 'ended by the disablement').to.equal(400);
      expect(await isInvited(root, address)).to.equal(true);
    });

    it('end after their lifetime', async () => {
      const lifetimeMs = 1_500;
      const { client, root } = await start({ lifetime: `${lifetimeMs}ms` });
      const { address, link } = await invite(root);
      expect((await open(client, link)).status).to.equal(200);
      await sleep(lifetimeMs);
      const page = await open(client, link);
      expect(page.status).to.equal(400);
      expect(page.text).to.include('expired');
      expect((await choose(client, link, newPassword())).status).to.equal(400);
      expect(await isInvited(root, address)).to.equal(true);
    });

    it('end when the user is deleted, gets a password or another address', async () => {
      const { client, root } = await start();
      const ends: readonly ((path: string) => Promise<ApiResponse>)[] = [
        (path) => root.delete(path),
        (path) => root.put(`${path}/password`, { body: { password: newPassword() } }),
        (path) => root.put(`${path}/address`, { body: { address: newAddress() } }),
        (path) => root.post(`${path}/reset`),
      ];
      for (const end of ends) {
        const { address, link } = await invite(root);
        const ended = await end(pathOf(address));
        expect(ended.status, ended.text).to.equal(200);
        const { address: now } = emailOf(ended);
        for (const email of [address, now]) {
          const given = link.replace(encodeURIComponent(address), encodeURIComponent(email));
          expect((await choose(client, given, newPassword())).status).to.be.oneOf([400, 404]);
        }
      }
    });

    it('can be sent again after an administrator has cleared the password, which ends the link', async () => {
      const { client, root } = await start();
      const { address, link } = await invite(root);
      expect((await root.delete(`${pathOf(address)}/password`)).status).to.equal(200);
      expect((await choose(client, link, newPassword())).status).to.equal(400);
      expect(await isInvited(root, address)).to.equal(true);
      expect((await root.post(`${pathOf(address)}/invite`)).status).to.equal(200);
      const again = (await arrived(address, 2)).find((other) => other !== link);
      expect((await choose(client, String(again), newPassword())).status).to.equal(303);
    });

    it('go to another address as soon as it was corrected', async () => {
      const { client, root } = await start({ resendInterval: '1h' });
      const { address } = await invite(root);
      const to = newAddress();
      await root.put(`${pathOf(address)}/address`, { body: { address: to } });
      expect((await root.post(`${pathOf(to)}/invite`)).status).to.equal(200);
      expect((await root.post(`${pathOf(to)}/invite`)).refusal).to.equal('429 resend_too_soon');
      const password = newPassword();
      expect((await choose(client, String((await arrived(to))[0]), password)).status).to.equal(303);
      expect(await signsIn(client, to, password)).to.equal(true);
    });

    it('and recoveries do not accept the tokens of each other, and a recovery ends an invitation', async () => {
      const recovery = { deliver: 'caller', resendInterval: '1ms' };
      const { client, root } = await start({}, { recovery });
      const { address, link } = await invite(root);
      const issued = await client.post('/recovery', { query: { email: address } });
      expect(issued.status, issued.text).to.equal(200);
      const { token } = Object(issued.json);
      const invitation = String(new URL(link, publicUrl).searchParams.get('token'));
      const confirm = (given: string, password: string) =>
        client.post('/recovery/confirm', { body: { email: { address }, token: given, password } });
      expect((await confirm(invitation, newPassword())).refusal).to.equal('400 token_mismatch');
      const swapped = link.replace(encodeURIComponent(invitation), encodeURIComponent(token));
      expect((await choose(client, swapped, newPassword())).status).to.equal(400);
      const password = newPassword();
      expect((await confirm(token, password)).status).to.equal(204);
      expect(await signsIn(client, address, password)).to.equal(true);
      expect(await isInvited(root, address)).to.equal(false);
      expect((await choose(client, link, newPassword())).status).to.equal(400);
    });

    it('are told to webhooks', async () => {
      const receiver = await WebhookReceiver.open();
      try {
        const types = ['user.created', 'user.invited'];
        const events = { webhooks: [{ url: `${receiver.url}/invited`, secret: receiver.secret, types }] };
        const { root } = await start({}, { events });
        const { address } = await invite(root);
        expect((await root.post(`${pathOf(address)}/invite`)).status).to.equal(200);
        const received = (await receiver.until('/invited', 3)).map(({ body }) => String(JSON.parse(body).type));
        expect(received.toSorted()).to.deep.equal(['user.created', 'user.invited', 'user.invited']);
      } finally {
        await receiver.close();
      }
    });

    it('are sent by the pages of the administration', async () => {
      const { root } = await start();
      const { text } = await root.get('/admin/create-user');
      const token = /name="token" value="([^"]*)"/.exec(text)?.[1] ?? '';
      const send = (fields: Readonly<Record<string, string>>) =>
        root.post('/admin/create-user', {
          raw: new URLSearchParams({ token, ...fields }).toString(),
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        });
      const refused = await send({ newAddress: 'no address', properties: '{"plan":"paid"}' });
      expect(refused.status).to.equal(400);
      expect(refused.text).to.include('no address').and.to.include('plan');
      expect((await send({ token: 'another', newAddress: newAddress() })).status).to.equal(403);
      const address = newAddress();
      const created = await send({ newAddress: address, properties: '{"plan":1.50}' });
      expect(created.status, created.text).to.equal(303);
      expect((await root.get(pathOf(address))).text).to.include('"plan":1.50');
      const page = await root.get(String(created.headers.get('location')));
      expect(page.text).to.include('The user was created.').and.to.include('Invited').and.to.include('Invite again');
      expect(await arrived(address)).to.have.lengthOf(1);
      expect((await send({ newAddress: address })).status).to.equal(409);
    });
  });
};
