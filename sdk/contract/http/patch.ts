import { expect } from 'chai';
import * as fc from 'fast-check';
import { mergeValues, patchedValues, patchVectors } from '../merge-patches.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';

const mergePatchType = { 'Content-Type': 'application/merge-patch+json' };

/** A patch of a user, as JSON text or as a value. */
const patch = (client: Client, { address, password }: Account, changes: object | string, sent: Sent = {}) =>
  client.send('PATCH', '/users', {
    query: { email: address },
    password,
    headers: mergePatchType,
    ...(typeof changes === 'string' ? { raw: changes } : { body: changes }),
    ...sent,
  });

/** Creates a user whose custom properties have exactly this text. */
const createWith = async (client: Client, members: string): Promise<Account> => {
  const [address, password] = [newAddress(), newPassword()];
  const raw = `{"email":{"address":"${address}"},"password":"${password}"${members === '' ? '' : `,${members}`}}`;
  const response = await client.post('/users', { raw });
  expect(response.status, response.text).to.equal(201);
  return { address, password, user: response.user };
};

/** The text of the custom properties of a response, without the braces. */
const membersOf = ({ text }: ApiResponse): string => /"lastUpdateTime":\d+,?(.*)\}$/s.exec(text)?.[1] ?? '';

const accepted = async (response: Promise<ApiResponse>): Promise<ApiResponse> => {
  const received = await response;
  expect(received.status, received.text).to.equal(200);
  return received;
};

const merging = (harness: Harness): void => {
  for (const [target, change, expected] of patchVectors) {
    it(`RFC 7396, appendix A: ${target} with ${change} becomes ${expected}`, async () => {
      const { client } = await harness.service();
      const account = await createWith(client, `"p":${target}`);
      const response = await accepted(patch(client, account, `{"p":${change}}`));
      expect(membersOf(response)).to.equal(expected === 'null' ? '' : `"p":${expected}`);
      expect((await client.read(account)).text).to.equal(response.text);
    });
  }

  it('keeps what it does not name byte for byte, and appends new members in its order', async () => {
    const { client } = await harness.service();
    const account = await createWith(
      client,
      '"z":1.0,"a":[1e3,{"b":null}],"\\u0062":{"y":-0,"s":"\\u0041\\/","x":{"k":1E5}},"n":1.10',
    );
    const changes = '{ "new" : 2.50, "b" : { "y" : null, "x" : { "m" : [ 1.0 ] } }, "10" : 1 }';
    const response = await accepted(patch(client, account, changes));
    const expected =
      '"z":1.0,"a":[1e3,{"b":null}],"\\u0062":{"s":"\\u0041\\/","x":{"k":1E5,"m":[1.0]}},"n":1.10,"new":2.50,"10":1';
    expect(membersOf(response)).to.equal(expected);
    expect((await client.read(account)).text).to.equal(response.text);
    expect(response.user).to.include({ creationTime: account.user.creationTime, password: account.user.password });
    expect(response.user.email).to.deep.equal(account.user.email);
    expect(response.user.lastUpdateTime).to.be.above(account.user.lastUpdateTime);
  });

  it('is what RFC 7396 defines, for any user and patch', async () => {
    const { client } = await harness.service();
    const property = fc.asyncProperty(patchedValues, async ({ target, patch: changes }) => {
      const account = await createWith(client, JSON.stringify(target).slice(1, -1));
      const response = await accepted(patch(client, account, changes));
      expect(response.properties).to.deep.equal(mergeValues(target, changes));
      for (const [name, value] of Object.entries(target))
        if (!Object.hasOwn(changes, name))
          expect(response.text).to.include(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('writes nothing if nothing changes', async () => {
    const { client } = await harness.service();
    const account = await createWith(client, '"a":1.0,"b":{"c":[null]}');
    const before = await client.read(account);
    const { email, password } = account.user;
    const changes = ['{}', '{"x":null,"b":{"d":null}}', '{"a":1.0}', '{"b":{"c":[ null ]}}', '{"creationTime":1}'];
    for (const body of [...changes, JSON.stringify({ email, password }), '{"email":{}}'])
      for (const response of [await accepted(patch(client, account, body)), await client.read(account)]) {
        expect(response.text, body).to.equal(before.text);
        expect(response.headers.get('etag')).to.equal(before.headers.get('etag')).and.not.equal(null);
      }
    const other = await accepted(patch(client, account, '{"a":1}'));
    expect(membersOf(other)).to.equal('"a":1,"b":{"c":[null]}');
    expect(other.user.lastUpdateTime).to.be.above(account.user.lastUpdateTime);
    expect(other.headers.get('etag')).to.not.equal(before.headers.get('etag'));
  });

  it('ignores the times of a user', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const sent = { creationTime: null, lastUpdateTime: 'a text', name: 'Jane' };
    const { user, properties } = await accepted(patch(client, account, sent));
    expect(properties).to.deep.equal({ name: 'Jane' });
    expect(user.creationTime).to.equal(account.user.creationTime);
    expect(user.lastUpdateTime).to.be.above(account.user.lastUpdateTime);
  });
};

const fixedFields = (harness: Harness): void => {
  it('changes the password: only the new one is accepted afterwards', async () => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { name: 'Jane' } });
    const password = newPassword();
    const { user, properties } = await accepted(patch(client, account, { password }));
    expect([user.password, properties]).to.deep.equal([password, { name: 'Jane' }]);
    expect((await patch(client, account, {})).refusal).to.equal('401 wrong_password');
    await client.read({ ...account, password });
  });

  it('changes the address, with the custom properties and without the verification', async () => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { name: 'Jane', age: 1 } });
    await client.token(account);
    const address = newAddress();
    const { user, properties } = await accepted(patch(client, account, { email: { address }, age: null }));
    expect(user.email).to.deep.equal({ address, verified: false, verificationToken: null });
    expect(properties).to.deep.equal({ name: 'Jane' });
    expect((await client.read({ ...account, address })).user).to.deep.equal(user);
    expect((await patch(client, account, {})).refusal).to.equal('404 user_not_found');
  });

  it('409: the new address belongs to someone else; both users stay as they were', async () => {
    const { client } = await harness.service();
    const [one, other] = [await client.create(), await client.create()];
    const response = await patch(client, one, { email: { address: other.address.toUpperCase() }, name: 'Jane' });
    expect(response.refusal).to.equal('409 address_taken');
    for (const account of [one, other]) expect((await client.read(account)).user).to.deep.equal(account.user);
  });

  it('changes single members of the verification', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const token = await client.token(account);
    const emailAfter = async (email: object) => (await accepted(patch(client, account, { email }))).user.email;
    const { address } = account;
    expect(await emailAfter({ verified: true })).to.deep.equal({ address, verified: true, verificationToken: token });
    expect(await emailAfter({ verificationToken: null })).to.include({ verified: true, verificationToken: null });
    const upperCase = address.toUpperCase();
    expect(await emailAfter({ address: upperCase })).to.include({ address: upperCase, verified: true });
  });

  it('ignores the verification with email.verificationOnUpdate: server', async () => {
    const { client } = await harness.service({ email: { type: 'none', verificationOnUpdate: 'server' } });
    const account = await client.create();
    const forged = { verified: true, verificationToken: 'a token of the client' };
    const response = await accepted(patch(client, account, { email: forged }));
    expect(response.user).to.deep.equal(account.user);
    const address = newAddress();
    const moved = await accepted(patch(client, account, { email: { ...forged, address } }));
    expect(moved.user.email).to.deep.equal({ address, verified: false, verificationToken: null });
  });

  const refused: Readonly<Record<string, readonly [object, readonly string[]]>> = {
    'email null': [{ email: null }, ['email']],
    'email as a list': [{ email: [] }, ['email']],
    'address null': [{ email: { address: null } }, ['email.address']],
    'address malformed': [{ email: { address: 'jane' } }, ['email.address']],
    'verified null': [{ email: { verified: null } }, ['email.verified']],
    'token as a number': [{ email: { verificationToken: 1 } }, ['email.verificationToken']],
    'another member of email': [{ email: { primary: null } }, ['email.primary']],
    'an internal member of email': [{ email: { tokenTime: 1 } }, ['email.tokenTime']],
    'password null': [{ password: null }, ['password']],
    'password empty': [{ password: '' }, ['password']],
    'several things at once': [
      { email: { verified: 0, x: 1 }, password: 1 },
      ['email.verified', 'password', 'email.x'],
    ],
  };
  for (const [name, [body, paths]] of Object.entries(refused)) {
    it(`400 with the path: ${name}`, async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const response = await patch(client, account, { ...body, name: 'Jane' });
      expect(response.refusal).to.equal('400 invalid_body');
      expect(response.paths).to.have.members(paths);
      expect((await client.read(account)).user).to.deep.equal(account.user);
    });
  }
};

const requests = (harness: Harness): void => {
  it('needs the address in the query, not in the body', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const response = await patch(client, account, { email: { address: account.address } }, { query: '' });
    expect(response.refusal).to.equal('400 invalid_parameter');
    expect(response.paths).to.deep.equal(['query.email']);
  });

  for (const type of [
    'application/merge-patch+json',
    'Application/Merge-Patch+JSON; charset=UTF-8',
    'application/json',
  ]) {
    it(`accepts Content-Type: ${type}`, async () => {
      const { client } = await harness.service();
      const response = await patch(client, await client.create(), { a: 1 }, { headers: { 'Content-Type': type } });
      expect([response.status, response.properties]).to.deep.equal([200, { a: 1 }]);
    });
  }

  it('415 with Accept-Patch for another type, and only PATCH accepts a merge patch', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    for (const type of ['application/json-patch+json', 'application/merge-patch', 'text/plain', '']) {
      const response = await patch(client, account, { a: 1 }, { headers: { 'Content-Type': type } });
      expect(response.refusal).to.equal('415 unsupported_media_type');
      expect(response.headers.get('accept-patch')).to.equal('application/merge-patch+json, application/json');
    }
    const body = { email: { address: account.address } };
    const put = await client.put('/users', { password: account.password, body, headers: mergePatchType });
    expect(put.refusal).to.equal('415 unsupported_media_type');
    expect(put.headers.get('accept-patch')).to.equal(null);
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });

  it('lists PATCH and its media types in OPTIONS', async () => {
    const { client } = await harness.service();
    const { headers } = await client.send('OPTIONS', '/users', { authorization: null });
    expect(headers.get('allow')?.split(', ')).to.include('PATCH');
    expect(headers.get('accept-patch')).to.equal('application/merge-patch+json, application/json');
    const ofVerify = await client.send('OPTIONS', '/verify', { authorization: null });
    expect(ofVerify.headers.get('accept-patch')).to.equal(null);
  });

  it('checks rules and size of the result, and changes nothing if they are broken', async () => {
    const allowed = [
      { name: 'age', type: 'integer' },
      { name: 'tags', type: 'map' },
    ];
    const { client } = await harness.service({ properties: { allowSubset: false, allowSuperset: false, allowed } });
    const account = await client.create({ properties: { age: 1, tags: {} } });
    for (const [body, path] of [
      [{ age: null }, 'age'],
      [{ age: 1.5 }, 'age'],
      [{ tags: 'a' }, 'tags'],
      [{ other: 1 }, 'other'],
    ] as const) {
      const response = await patch(client, account, body);
      expect(response.refusal).to.equal('400 invalid_properties');
      expect(response.paths).to.deep.equal([path]);
    }
    expect((await patch(client, account, { other: null, tags: { a: 1 } })).status).to.equal(200);
    const half = 'x'.repeat(200 * 1024);
    expect((await patch(client, account, { tags: { b: half } })).status).to.equal(200);
    const before = await client.read(account);
    expect((await patch(client, account, { tags: { c: half } })).refusal).to.equal('400 user_too_large');
    expect((await client.read(account)).text).to.equal(before.text);
    expect((await patch(client, account, { tags: { b: null, c: half } })).status).to.equal(200);
  });

  it('checks the syntax of the patch like that of every body', async () => {
    const { client } = await harness.service();
    const account = await createWith(client, `"a":${'{"a":'.repeat(31)}1${'}'.repeat(31)}`);
    for (const raw of ['[]', 'null', '{"a":1,"a":2}', '{"__proto__":null}', '{"a":9007199254740993}', '{"a":']) {
      expect((await patch(client, account, raw)).refusal, raw).to.equal('400 invalid_json');
    }
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}2${'}'.repeat(levels)}`;
    expect((await patch(client, account, nested(33))).refusal).to.equal('400 invalid_json');
    const response = await accepted(patch(client, account, nested(32)));
    expect(membersOf(response)).to.equal(nested(32).slice(1, -1));
    expect(
      (await client.send('PATCH', '/users', { query: { email: account.address }, password: 'a' })).refusal,
    ).to.equal('400 invalid_body');
  });

  it('404 and 401 like an update', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const unknown = { ...account, address: newAddress() };
    expect((await patch(client, unknown, { a: 1 })).refusal).to.equal('404 user_not_found');
    expect((await patch(client, { ...account, password: 'wrong' }, { a: 1 })).refusal).to.equal('401 wrong_password');
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });
};

/** Sends a request until no other writer prevents it. */
const persist = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (;;) {
    const response = await send();
    if (response.status === 200) return response;
    expect(response.refusal).to.equal('409 conflict');
  }
};

const races = (harness: Harness): void => {
  it('of different members at the same time all survive', async () => {
    const { client } = await harness.service();
    for (let round = 0; round < 5; round++) {
      const account = await client.create({ properties: { kept: 1, shared: { kept: 2 } } });
      const [one, other] = await Promise.all([
        patch(client, account, { one: 1, shared: { one: 1 } }),
        patch(client, account, { other: 2, shared: { other: 2 } }),
      ]);
      expect([one.status, other.status]).to.deep.equal([200, 200]);
      expect((await client.read(account)).properties).to.deep.equal({
        kept: 1,
        shared: { kept: 2, one: 1, other: 2 },
        one: 1,
        other: 2,
      });
    }
  });

  it('of sixteen members at the same time all survive', async () => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { members: {} } });
    const names = Array.from({ length: 16 }, (_, n) => `member-${n}`);
    const responses = await Promise.all(
      names.map((name) => persist(() => patch(client, account, { members: { [name]: 1 }, [name]: null }))),
    );
    expect(new Set(responses.map(({ user }) => user.lastUpdateTime)).size).to.equal(16);
    const { properties } = await client.read(account);
    expect(properties).to.have.all.keys('members');
    expect(properties.members).to.have.all.keys(...names);
  });

  it('and of other fields at the same time: password, verification and address', async () => {
    const { client } = await harness.service();
    const account = await client.create({ properties: { kept: 1 } });
    const address = account.address.toUpperCase();
    const changes = [
      { email: { verified: true } },
      { email: { address } },
      { name: 'Jane' },
      { password: account.password },
    ];
    await Promise.all(changes.map((body) => persist(() => patch(client, account, body))));
    const { user, properties } = await client.read(account);
    expect(user.email).to.deep.equal({ address, verified: true, verificationToken: null });
    expect(properties).to.deep.equal({ kept: 1, name: 'Jane' });
  });

  it('with PUT: the result is that of one order', async () => {
    const { client } = await harness.service();
    for (let round = 0; round < 5; round++) {
      const account = await client.create({ properties: { old: 1 } });
      const body = { email: { address: account.address }, replaced: 1 };
      const [patched] = await Promise.all([
        persist(() => patch(client, account, { patched: 1 })),
        persist(() => client.put('/users', { password: account.password, body })),
      ]);
      const { properties } = await client.read(account);
      const patchCameFirst = Object.hasOwn(patched.properties, 'old');
      expect(properties).to.deep.equal(patchCameFirst ? { replaced: 1 } : { replaced: 1, patched: 1 });
    }
  });

  it('with a new password: the old one no longer changes anything', async () => {
    const { client } = await harness.service();
    const account = await client.create();
    const password = newPassword();
    const [changed, ...others] = await Promise.all([
      persist(() => patch(client, account, { password })),
      ...Array.from({ length: 4 }, (_, n) => patch(client, account, { [`member-${n}`]: 1 })),
    ]);
    const { user, properties } = await client.read({ ...account, password });
    const kept = others.filter(({ status }) => status === 200);
    expect(others.every(({ status }) => [200, 401, 409].includes(status))).to.equal(true);
    expect(Object.keys(properties)).to.have.length(kept.length);
    expect(user.lastUpdateTime).to.equal(changed.user.lastUpdateTime);
  });
};

/** Patches of users: RFC 5789 with the patches of RFC 7396. */
export const patches = (harness: Harness): void => {
  describe('PATCH /users', () => {
    merging(harness);
    describe('and the fixed fields', () => fixedFields(harness));
    describe('as a request', () => requests(harness));
    describe('while others change the user', () => races(harness));
  });
};
