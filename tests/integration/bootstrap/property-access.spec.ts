import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type LatchkeyConfiguration, startLatchkey, type TestLatchkey } from '../../../sdk/testing/index.ts';
import {
  asker,
  at,
  configurationWith,
  everything,
  newUserWith,
  password,
  pathsOf,
  userWith,
} from '../../support/property-access.ts';

describe('a key with properties', () => {
  let latchkey: TestLatchkey;
  let ask: ReturnType<typeof asker>;
  const open = async (configuration: LatchkeyConfiguration) => {
    latchkey = await startLatchkey(configuration);
    ask = asker(latchkey);
  };
  afterEach(() => latchkey.stop());

  const jane = 'jane@example.com';
  const shop = { read: ['name', 'plan'], write: ['name', 'note'] };
  const openShop = async (others: LatchkeyConfiguration = {}) => {
    await open({ ...configurationWith({ shop, mails: { read: ['name'] } }), ...others });
    const created = await ask(everything, 'POST', '/users', newUserWith(jane, '{"plan":1.0,"name":"J","note":"n"}'));
    expect(created.status).to.equal(201);
  };
  const stored = async () => [...(await ask(everything, 'GET', at(jane))).properties];

  it('sees of a user only what it may read, with the entity tag of the whole user', async () => {
    await openShop();
    const { etag } = await ask(everything, 'GET', at(jane));
    const read = await ask('shop', 'GET', at(jane));
    expect([[...read.properties], read.etag]).to.deep.equal([
      [
        ['plan', '1.0'],
        ['name', '"J"'],
      ],
      etag,
    ]);
    const { json } = await ask('shop', 'POST', `/verify?email=${jane}`);
    const token = Object(json).email.verificationToken;
    for (const [application, method, path, names] of [
      ['shop', 'POST', `/verify/reset?email=${jane}`, ['plan', 'name']],
      ['mails', 'POST', `/verify?email=${jane}`, ['name']],
      ['shop', 'DELETE', at(jane), ['plan', 'name']],
    ] as const)
      expect([...(await ask(application, method, path)).properties.keys()], path).to.deep.equal(names);
    expect(token).to.be.a('string');
  });

  it('shows to the link of a mail only what every key may read, because each may have asked for it', async () => {
    await openShop();
    const { json } = await ask('mails', 'POST', `/verify?email=${jane}`);
    const token = Object(json).email.verificationToken;
    const verified = await ask('', 'GET', `/verify?email=${jane}&token=${token}`);
    expect([verified.status, [...verified.properties]]).to.deep.equal([200, [['name', '"J"']]]);
  });

  it('is refused where it writes others, which are named, and nothing is stored', async () => {
    await openShop();
    const before = await stored();
    for (const [method, path, body, names] of [
      ['PATCH', at(jane), '{"name":"X","plan":null}', ['plan']],
      ['PATCH', at(jane), '{"plan":1.0,"other":1}', ['plan', 'other']],
      ['PUT', '/users', userWith(jane, '{"name":"X","plan":1}'), ['plan']],
      ['POST', '/users', newUserWith('john@example.com', '{"plan":1.0,"name":"X"}'), ['plan']],
    ] as const) {
      const refused = await ask('shop', method, path, body);
      expect([refused.status, refused.json.code, pathsOf(refused)], body).to.deep.equal([403, 'not_permitted', names]);
    }
    expect(await stored()).to.deep.equal(before);
    expect((await ask(everything, 'GET', at('john@example.com'))).status).to.equal(404);
  });

  it('changes the rest', async () => {
    await openShop();
    const put = await ask('shop', 'PUT', '/users', userWith(jane, '{"name":"Jane","plan":1.0}'));
    expect([put.status, [...put.properties.keys()]]).to.deep.equal([200, ['name', 'plan']]);
    const patched = await ask('shop', 'PATCH', at(jane), '{"note":"m"}');
    expect([patched.status, [...patched.properties.keys()]]).to.deep.equal([200, ['name', 'plan']]);
    expect(await stored()).to.deep.equal([
      ['name', '"Jane"'],
      ['plan', '1.0'],
      ['note', '"m"'],
    ]);
    expect((await ask('shop', 'POST', '/users', newUserWith('john@example.com', '{"note":1}'))).status).to.equal(201);
  });

  it('does not learn from a patch whether it guessed a hidden value', async () => {
    await openShop();
    const isWritten = async (body: string, by = 'shop') => {
      const before = await ask(by, 'GET', at(jane));
      const after = await ask(by, 'PATCH', at(jane), body);
      expect(after.status, body).to.equal(200);
      const [isNewTag, isNewTime] = [after.etag !== before.etag, after.text !== before.text];
      expect(isNewTime, body).to.equal(isNewTag);
      return isNewTag;
    };
    for (const body of ['{"note":"n"}', '{"note":"m"}', '{"note":"m","name":"J"}', '{"note":null}', '{"note":null}'])
      expect(await isWritten(body), body).to.equal(true);
    for (const body of ['{"name":"J"}', '{}']) expect(await isWritten(body), body).to.equal(false);
    expect(await isWritten('{"note":null}', everything)).to.equal(false);
  });

  it('keeps the rules for the whole user, and does not learn which hidden property breaks them', async () => {
    const allowed = [
      { name: 'plan', type: 'double' },
      { name: 'name', type: 'string' },
      { name: 'note', type: 'string' },
    ];
    await openShop({ properties: { allowSubset: false, allowed } });
    const put = (properties: string, by = 'shop') => ask(by, 'PUT', '/users', userWith(jane, properties));
    expect((await put('{"name":"Jane"}')).status).to.equal(200);
    expect(pathsOf(await put('{}'))).to.deep.equal(['name']);
    expect(pathsOf(await put('{"name":"Jane","note":1}'))).to.deep.equal(['note']);
    expect(pathsOf(await put('{"name":1}', 'mails'))).to.deep.equal(['name']);
    const removal = await ask('mails', 'PATCH', at(jane), '{"note":null}');
    expect([removal.status, pathsOf(removal)]).to.deep.equal([400, ['note']]);
    const john = await ask('shop', 'POST', '/users', newUserWith('john@example.com', '{"name":"X"}'));
    expect([john.json.code, pathsOf(john)]).to.deep.equal(['invalid_properties', ['plan', 'note']]);
  });

  it('does not learn that a hidden property, which is stored from before the rules, breaks them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-'));
    const database = { type: 'sqlite', path: join(folder, 'users.db') } as const;
    await openShop({ database });
    await latchkey.stop();
    const allowed = [
      { name: 'note', type: 'integer' },
      { name: 'plan', type: 'string' },
    ];
    const admin = { keys: [{ application: 'editor', secret: 'an administrator only', may: ['edit' as const] }] };
    await open({ ...configurationWith({ shop, mails: { read: ['name'] } }), database, properties: { allowed }, admin });
    const refusals = [
      await ask('mails', 'PUT', '/users', userWith(jane, '{"name":"Jane"}')),
      await ask('mails', 'PATCH', at(jane), '{"name":"Jane"}'),
      await ask('shop', 'PATCH', at(jane), '{"name":"Jane"}'),
      await ask(everything, 'PATCH', at(jane), '{"name":"Jane"}'),
    ];
    expect(refusals.map(({ json }) => json.code)).to.deep.equal(Array(4).fill('invalid_properties'));
    expect(refusals.map(pathsOf)).to.deep.equal([[], [], ['plan'], ['note', 'plan']]);
    const edited = await latchkey.admin.editProperties({ email: jane }, { note: 'x' });
    expect(edited.ok || edited.problem.errors?.map(({ path }) => path)).to.deep.equal(['note']);
    await latchkey.stop();
    await rm(folder, { recursive: true });
    await open(configurationWith({}));
  });

  it('does not find users by what it may not read', async () => {
    const properties = {
      allowed: [
        { name: 'name', type: 'string', unique: true },
        { name: 'note', type: 'string', unique: true },
      ],
    };
    await openShop({ properties });
    expect((await ask('shop', 'GET', '/users?name=J')).status).to.equal(200);
    for (const value of ['n', 'unknown']) {
      const check = JSON.stringify({ note: value, password });
      for (const refused of [
        await ask('shop', 'GET', `/users?note=${value}`),
        await ask('shop', 'DELETE', `/users?note=${value}`),
        await ask('shop', 'PATCH', `/users?note=${value}`, '{}'),
        await ask('shop', 'PUT', `/users?note=${value}`, userWith(jane, '{}')),
        await ask('shop', 'POST', '/users/check', check),
      ])
        expect([refused.status, refused.json.code, pathsOf(refused)]).to.deep.equal([403, 'not_permitted', ['note']]);
    }
    expect((await ask(everything, 'GET', '/users?note=n')).status).to.equal(200);
    expect((await ask('shop', 'POST', '/users/check', JSON.stringify({ name: 'J', password }))).status).to.equal(204);
  });

  it('documents the refusal where there is one', async () => {
    const documented = async () => {
      const { paths } = Object(await (await fetch(`${latchkey.url}/openapi.json`)).json());
      return ['post', 'put', 'patch', 'get', 'delete'].filter((method) =>
        paths['/users'][method].responses[403]?.description.includes('`not_permitted`'),
      );
    };
    await openShop();
    expect(await documented()).to.deep.equal(['post', 'put', 'patch']);
    await latchkey.stop();
    await open(configurationWith({}));
    expect(await documented()).to.deep.equal([]);
  });
});
