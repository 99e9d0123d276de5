import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { bookkeeping } from './bookkeeping.ts';
import { type Account, type Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const etagOf = ({ headers }: ApiResponse): string => headers.get('etag') ?? '';

const weak = (etag: string): string => `W/${etag}`;

const ofUser = ({ address, password }: Account): Sent => ({ query: { email: address }, password });

/** The requests that change a user. */
const changes: readonly (readonly [string, string, (account: Account) => Sent])[] = [
  [
    'PUT',
    '/users',
    (account) => ({ ...ofUser(account), body: { email: { address: account.address }, changed: true } }),
  ],
  ['PATCH', '/users', (account) => ({ ...ofUser(account), body: { changed: true } })],
  ['DELETE', '/users', ofUser],
  ['POST', '/verify', ofUser],
  ['POST', '/verify/reset', ofUser],
];

const tags = (harness: Harness): void => {
  describe('ETag', () => {
    it('is strong, and the same after a create, a read and a HEAD until the user changes', async () => {
      const { client } = await harness.service();
      const body = { email: { address: newAddress() }, password: newPassword() };
      const created = await client.post('/users', { body });
      const sent = { query: { email: body.email.address }, password: body.password };
      expect(etagOf(created)).to.match(/^"[\x21\x23-\x7e]+"$/);
      for (const method of ['GET', 'HEAD', 'GET'])
        expect(etagOf(await client.send(method, '/users', sent)), method).to.equal(etagOf(created));
      const updated = await client.put('/users', { ...sent, body });
      expect(etagOf(updated)).to.not.equal(etagOf(created));
      expect(etagOf(await client.get('/users', sent))).to.equal(etagOf(updated));
    });

    it('is that of the stored user after a verification mail, its confirmation and a reset', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const sent = await client.post('/verify', ofUser(account));
      expect(etagOf(await client.read(account))).to.equal(etagOf(sent));
      const token = sent.user.email.verificationToken ?? '';
      const confirmed = await client.get('/verify', { query: { email: account.address, token } });
      expect(etagOf(await client.read(account))).to.equal(etagOf(confirmed));
      const reset = await client.post('/verify/reset', ofUser(account));
      expect(etagOf(await client.read(account))).to.equal(etagOf(reset));
      expect(new Set([sent, confirmed, reset].map(etagOf))).to.have.lengthOf(3);
    });

    it('is never used again: neither for the same content nor for a user that is created anew', async () => {
      const { client } = await harness.service();
      const body = { email: { address: newAddress() }, password: newPassword() };
      const sent = { query: { email: body.email.address }, password: body.password };
      const seen: string[] = [];
      for (let round = 0; round < 3; round++) {
        seen.push(etagOf(await client.post('/users', { body })), etagOf(await client.put('/users', { ...sent, body })));
        expect(etagOf(await client.delete('/users', sent)), 'the removed user').to.equal(seen.at(-1));
      }
      expect(new Set(seen)).to.have.lengthOf(6);
    });

    it('is sent to administrators with a user', async () => {
      const { client, root } = await administrated(harness);
      const account = await client.create();
      const etag = etagOf(await client.read(account));
      expect(etagOf(await root.get(pathOf(account.address)))).to.equal(etag);
    });

    if (harness.lacks('listing')) return;
    it('is not sent with a list', async () => {
      const { client, root } = await administrated(harness);
      const account = await client.create();
      const list = await root.get('/admin/users', { query: { address: account.address } });
      expect(list.headers.get('etag')).to.equal(null);
    });
  });
};

/** What each change does under a condition. */
const conditions = (harness: Harness): void => {
  for (const [method, path, sentFor] of changes) {
    describe(`If-Match: ${method} ${path}`, () => {
      const open = async () => {
        const { client, mailsTo } = await harness.service();
        const account = await client.create();
        const read = await client.read(account);
        const change = (tag: string, sent: Sent = {}) =>
          client.send(method, path, { ...sentFor(account), ...sent, headers: { 'If-Match': tag } });
        return { client, mailsTo, account, read, change };
      };

      it('changes a user that has the version, alone or in a list', async () => {
        const { client, read, account, change } = await open();
        expect((await change(etagOf(read))).status).to.equal(200);
        if (method === 'DELETE') await client.create(account);
        const etag = etagOf(await client.read(account));
        expect((await change(`"of-another", ${weak('"a"')},${etag}`)).status).to.equal(200);
      });

      it('changes every existing user under *', async () => {
        const { change } = await open();
        expect((await change('*')).status).to.equal(200);
      });

      it('412 for another version, and changes nothing and sends no mail', async () => {
        const { client, mailsTo, account, read, change } = await open();
        await client.put('/users', { ...ofUser(account), body: { email: { address: account.address }, theirs: 1 } });
        const now = await client.read(account);
        for (const tag of [etagOf(read), weak(etagOf(now)), `"a,b", ${weak(etagOf(now))}`, '""'])
          expect((await change(tag)).refusal, tag).to.equal('412 stale_user');
        const after = await client.read(account);
        expect([after.text, etagOf(after)]).to.deep.equal([now.text, etagOf(now)]);
        expect(await mailsTo(account.address)).to.deep.equal([]);
      });

      it('is decided after the user and the password', async () => {
        const { account, change } = await open();
        expect((await change('"other"', { password: newPassword() })).refusal).to.equal('401 wrong_password');
        const unknown = sentFor({ ...account, address: newAddress() });
        for (const tag of ['*', '"other"']) expect((await change(tag, unknown)).refusal).to.equal('404 user_not_found');
      });

      it('400 where it is malformed, and changes nothing', async () => {
        const { client, account, read, change } = await open();
        const etag = etagOf(read);
        const malformed = [
          etag.slice(1, -1),
          etag.slice(1),
          "'a'",
          'w/"a"',
          `W/ ${etag}`,
          `*, ${etag}`,
          `${etag} ${etag}`,
        ];
        for (const tag of [...malformed, ',', '', '"a b"', `${etag};`]) {
          const response = await change(tag);
          expect(response.refusal, tag).to.equal('400 invalid_parameter');
          expect(response.paths).to.deep.equal(['header.If-Match']);
        }
        expect(etagOf(await client.read(account))).to.equal(etag);
      });

      // A reset of a user who is not verified changes nothing, so that the version stays.
      if (path === '/verify/reset') return;
      it('412 for all but one of many changes of one version', async () => {
        const { read, change } = await open();
        const responses = await Promise.all(Array.from({ length: 16 }, () => change(etagOf(read))));
        expect(responses.filter(({ status }) => status === 200)).to.have.lengthOf(1);
        const refused = new Set(responses.filter(({ status }) => status !== 200).map(({ refusal }) => refusal));
        expect([...refused]).to.deep.equal([method === 'DELETE' ? '404 user_not_found' : '412 stale_user']);
      });
    });
  }

  it('If-Match is a condition of a confirmation, after the token', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const token = await client.token(account);
    const etag = etagOf(await client.read(account));
    const confirm = (tag: string, given = token) =>
      client.get('/verify', {
        query: { email: account.address, token: given },
        authorization: null,
        headers: { 'If-Match': tag },
      });
    expect((await confirm('"other"', 'a wrong token')).refusal).to.equal('400 token_mismatch');
    expect((await confirm('"other"')).refusal).to.equal('412 stale_user');
    expect((await confirm('other')).refusal).to.equal('400 invalid_parameter');
    expect(etagOf(await client.read(account))).to.equal(etag);
    expect((await confirm(etag)).user.email.verified).to.equal(true);
  });

  it('If-Match is a list also in several lines', async () => {
    const { client, url } = await harness.service();
    const account = await client.create();
    const etag = etagOf(await client.read(account));
    const sent = async (...lines: readonly string[]): Promise<ApiResponse | undefined> => {
      const target = `/verify/reset?email=${encodeURIComponent(account.address)}`;
      const head = [`POST ${target} HTTP/1.1`, 'Host: localhost', `Authorization: ${client.credentials}`];
      const text = requestText([...head, `password: ${account.password}`, ...lines.map((line) => `If-Match: ${line}`)]);
      return responsesIn(await exchange(url, text))[0];
    };
    expect((await sent('"a"', 'W/"b"'))?.refusal).to.equal('412 stale_user');
    expect((await sent('*', '*'))?.refusal).to.equal('400 invalid_parameter');
    expect((await sent('"a"', etag))?.status).to.equal(200);
  });

  for (const [what, method, suffix] of [
    ['a deletion', 'DELETE', ''],
    ['a reset', 'POST', '/reset'],
  ] as const) {
    it(`If-Match is a condition of ${what} by an administrator`, async () => {
      const { client, root } = await administrated(harness);
      const account = await client.create();
      const change = (tag: string) =>
        root.send(method, `${pathOf(account.address)}${suffix}`, { headers: { 'If-Match': tag } });
      expect((await change('"other"')).refusal).to.equal('412 stale_user');
      expect((await change('other')).refusal).to.equal('400 invalid_parameter');
      expect((await change(etagOf(await client.read(account)))).status).to.equal(200);
    });
  }
};

/**
 * Reads the user, adds one to its counter and the name of the writer, and writes it on condition of what was read.
 * Repeats after 412, and after a 503 of a busy database: the name then tells whether the increment was made.
 */
const increment = async (client: Client, account: Account, name: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    const read = await client.get('/users', ofUser(account));
    if (read.status === 200) {
      if (read.properties[name] === true) return;
      const body = { ...read.user, count: Number(read.properties.count) + 1, [name]: true };
      const { password } = account;
      const response = await client.put('/users', { password, body, headers: { 'If-Match': etagOf(read) } });
      if (response.status === 200) return;
      expect(response.status, response.text).to.be.oneOf([412, 503]);
    } else expect(read.status, read.text).to.equal(503);
    // A random delay that grows, so that the other writers do not all read the same version again.
    await sleep(Math.random() * 10 * attempt);
  }
};

/** ETag and If-Match (RFC 9110, sections 8.8.3 and 13.1.1). */
export const conditionalRequests = (harness: Harness): void => {
  describe('conditional requests', () => {
    tags(harness);
    conditions(harness);
    bookkeeping(harness);

    it('lose no increment of 16 writers who read, add one and write with If-Match', async () => {
      const { client } = await harness.service();
      const account = await client.create({ properties: { count: 0 } });
      const names = Array.from({ length: 16 }, (_, n) => `writer-${n}`);
      await Promise.all(names.map((name) => increment(client, account, name)));
      const made = Object.fromEntries(names.map((name) => [name, true]));
      expect((await client.read(account)).properties).to.deep.equal({ count: 16, ...made });
    });
  });
};
