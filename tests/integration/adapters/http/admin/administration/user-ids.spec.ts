import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startLatchkey, type TestLatchkey } from '../../../../../../sdk/testing/index.ts';
import { eventually } from '../../../../../support/eventually.ts';

const key = { application: 'root', secret: 'of an administrator' };
const Authorization = `Basic ${Buffer.from(`${key.application}:${key.secret}`).toString('base64')}`;
const properties = {
  allowSuperset: true,
  allowed: [
    { name: 'username', type: 'string', unique: true, fold: 'username' },
    { name: 'number', type: 'integer', unique: true },
  ],
} as const;

describe('the administration of users with ids and unique properties', () => {
  let service: TestLatchkey;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-ids-'));
    const audit = { file: join(folder, 'audit.jsonl') };
    // No mail can be written into a file, so that mails wait.
    const email = { type: 'outbox', directory: audit.file, queue: true } as const;
    const server = { publicUrl: 'https://users.example.com' };
    service = await startLatchkey({
      users: { ids: true },
      properties,
      admin: { keys: [key], createUsers: true },
      audit,
      email,
      server,
    });
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  let count = 0;
  /** Creates a user, whose address, id and properties no other has. */
  const created = async (more: object = {}) => {
    const n = ++count;
    const user = { address: `person-${n}@example.com`, id: `usr_${n}`, username: `Person${n}`, number: 1000 + n };
    const { address, ...members } = user;
    const body = { email: { address }, password: 'correct horse', ...members, ...more };
    const outcome = await service.client.createUser(body);
    expect(outcome.ok, JSON.stringify(outcome)).to.equal(true);
    return user;
  };

  /** The id of the last request, by which its line in the audit is found. */
  let request = '';
  const ask = async (path: string, options: RequestInit = {}) => {
    request = randomUUID();
    const headers = { Authorization, 'X-Request-Id': request, ...Object(options.headers) };
    const response = await fetch(`${service.adminUrl}${path}`, { redirect: 'manual', ...options, headers });
    const text = await response.text();
    return { status: response.status, location: response.headers.get('location'), text };
  };
  const json = async (path: string, options?: RequestInit) => JSON.parse((await ask(path, options)).text);
  const patch = (path: string, body: object) =>
    ask(path, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

  const hiddenIn = (page: string): Record<string, string> =>
    Object.fromEntries(
      [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
  const submit = (action: string, fields: Record<string, string>) =>
    ask(`/admin/${action}`, { method: 'POST', body: new URLSearchParams(fields) });
  const addressesIn = (page: string): readonly (string | undefined)[] =>
    [...page.matchAll(/<tr><td><a href="[^>]+>([^<]+)</g)].map(([, address]) => address);

  /** Who is in the line of the audit about the last request. */
  const audited = async () => {
    const lineOf = async () => {
      const lines = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line)).find((line) => line.request === request);
    };
    await eventually(async () => expect(await lineOf()).to.not.equal(undefined), 5_000);
    const { operation, user, userId, outcome } = await lineOf();
    return [operation, user, userId, outcome];
  };

  it('shows the id in every answer and in the export', async () => {
    const { id, address } = await created();
    expect((await json('/admin/users')).users.map((user: { id: string }) => user.id)).to.include(id);
    expect(await json(`/admin/users/${address}`)).to.include({ id });
    expect(await json(`/admin/users/${address}/enable`, { method: 'POST' })).to.include({ id });
    expect((await json(`/admin/users/${address}/export`)).email).to.include({ id });
    expect(await json(`/admin/users/${address}`, { method: 'DELETE' })).to.include({ id });
  });

  it('takes the id in the path in place of the address', async () => {
    const { id, address } = await created();
    expect((await json(`/admin/users/${id}`)).email).to.include({ address });
    expect(await json(`/admin/users/${id}/attempts`)).to.deep.equal({ failures: 0, blockedForSeconds: 0 });
    expect((await json(`/admin/users/${id}/require-password-change`, { method: 'POST' })).id).to.equal(id);
    expect((await json(`/admin/users/${id}/export`)).email).to.include({ address });
    expect(await json('/admin/users/usr_none')).to.include({
      status: 404,
      detail: 'No user has this email address or id.',
    });
    expect((await json('/admin/users/no+id')).errors).to.deep.equal([
      { path: 'path.address', message: 'must be a valid email address or id' },
    ]);
  });

  it('finds a user by a unique property without a search', async () => {
    const { address, username, number } = await created();
    for (const [property, value] of [
      ['username', username.toUpperCase()],
      ['number', number],
    ]) {
      const page = await json(`/admin/users?property=${property}&value=${value}&total=true`);
      expect(page).to.include({ next: null, total: 1, totalIsExact: true });
      expect(page.users.map(({ email }: { email: { address: string } }) => email.address)).to.deep.equal([address]);
    }
    expect((await json('/admin/users?property=username&value=nobody')).users).to.deep.equal([]);
    const others = await json(`/admin/users?property=username&value=${username}&verified=true`);
    expect(others.users).to.deep.equal([]);
    // However the value is written, as without another filter.
    const same = await json(`/admin/users?property=username&value=${username.toUpperCase()}&verified=false`);
    expect(same.users.map(({ email }: { email: { address: string } }) => email.address)).to.deep.equal([address]);
  });

  it('refuses a value that another user has, and names the property', async () => {
    const [one, other] = [await created(), await created()];
    const { status, text } = await patch(`/admin/users/${other.id}`, { username: one.username.toLowerCase() });
    expect(status).to.equal(409);
    expect(JSON.parse(text)).to.deep.include({
      code: 'property_taken',
      errors: [{ path: 'username', message: 'belongs to another user' }],
    });
  });

  it('ignores the id of the user among its properties, and refuses another one', async () => {
    const { id, address } = await created();
    const { status, text } = await patch(`/admin/users/${id}`, { id, plan: 'paid' });
    expect([status, JSON.parse(text).plan, JSON.parse(text).id]).to.deep.equal([200, 'paid', id]);
    expect((await json(`/admin/users/${address}/export`)).id).to.equal(undefined);
    const refused = await patch(`/admin/users/${id}`, { id: 'usr_other' });
    expect(refused.status).to.equal(409);
    expect(JSON.parse(refused.text)).to.deep.include({ code: 'id_immutable' });
  });

  it('shows the id of each listed user to a pointer', async () => {
    const { id, address } = await created();
    const { text } = await ask(`/admin?address=${address.slice(0, -1)}`);
    expect(text).to.match(new RegExp(`<a href="[^"]*" title="${id}">${address}</a>`));
  });

  it('describes ids in its document', async () => {
    const { paths, components } = await json('/admin/openapi.json');
    expect(components.schemas.User.properties).to.have.property('id');
    expect(components.schemas.ExportedUserEmail.properties).to.have.property('id');
    const [inPath] = paths['/admin/users/{address}'].get.parameters.filter((one: { in: string }) => one.in === 'path');
    expect(inPath.description).to.include('or the id');
    expect(paths['/admin/users/{address}'].patch.responses['409']).to.not.equal(undefined);
  });

  it('gives each parameter that identifies a user an example of its kind, and says by what users are identified', async () => {
    const { paths, tags } = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    const described = new Map<string, string>(
      paths['/users'].get.parameters.map((one: { name: string; description: string }) => [one.name, one.description]),
    );
    for (const [name, example] of [
      ['email', 'jane@example.com'],
      ['id', '0198f0a2-7c3b-7e64-9d5c-2f1f4b0c7d11'],
      ['username', 'jane'],
    ] as const)
      expect(described.get(name)).to.match(new RegExp(` Example: \`${example}\`\\.$`));
    const users = { name: 'Users', description: 'User accounts, identified by email address or id.' };
    expect(tags).to.deep.include(users);
    expect((await json('/admin/openapi.json')).tags).to.deep.include(users);
  });

  it('audits the address and the id, by whichever of them the user was named', async () => {
    const { id, address } = await created();
    for (const named of [id, address]) {
      await ask(`/admin/users/${named}`);
      expect(await audited()).to.deep.equal(['inspectUser', address, id, 'ok']);
      await ask(`/admin/users/${named}/attempts`);
      expect(await audited()).to.deep.equal(['inspectAttempts', address, id, 'ok']);
      await ask(`/admin/people/${named}`);
      expect(await audited()).to.deep.equal(['inspectPerson', address, id, 'ok']);
    }
    const stale = { method: 'POST', headers: { 'If-Match': '"another"' } };
    expect((await ask(`/admin/users/${address}/mark-verified`, stale)).status).to.equal(412);
    expect(await audited()).to.deep.equal(['markVerified', address, id, 'stale_user']);
    const page = (await ask(`/admin/enable?id=${id}`)).text;
    expect((await submit('enable', hiddenIn(page))).status).to.equal(303);
    expect(await audited()).to.deep.equal(['enableUser', address, id, 'ok']);
    await ask('/admin/users/usr_unknown');
    expect(await audited()).to.deep.equal(['inspectUser', null, 'usr_unknown', 'user_not_found']);
    const moved = {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: `{"address":"new-${address}"}`,
    };
    expect((await ask(`/admin/users/${id}/address`, moved)).status).to.equal(200);
    expect(await audited(), 'the existing address').to.deep.equal(['changeAddress', address, id, 'ok']);
    const erased = (await ask(`/admin/people/${id}`, { method: 'DELETE' })).text;
    expect(JSON.parse(erased)).to.have.all.keys('erased', 'announcements', 'elsewhere');
    expect(await audited(), 'an erasure').to.deep.equal(['erasePerson', `new-${address}`, id, 'ok']);
  });

  it('says whose mail waits, and audits it', async () => {
    const { id, address } = await created();
    expect((await ask(`/admin/users/${id}/send-verification`, { method: 'POST' })).status).to.equal(200);
    const { mails } = await json('/admin/mails');
    const mail = mails.find(({ to }: { to: string }) => to === address);
    expect(mail).to.include({ userId: id });
    await ask(`/admin/discard-mail?id=${mail.id}`);
    expect(await audited()).to.deep.equal(['listMails', null, undefined, 'ok']);
    await eventually(async () => {
      expect((await ask(`/admin/mails/${mail.id}`, { method: 'DELETE' })).status).to.equal(200);
    }, 20_000);
    expect(await audited()).to.deep.equal(['discardMail', address, id, 'ok']);
  });

  describe('on pages', () => {
    it('gives a new user the id that is entered with the properties, and refuses an impossible one', async () => {
      const hidden = hiddenIn((await ask('/admin/create-user')).text);
      const create = (id: string) => {
        const properties = JSON.stringify({ id, plan: 'free' });
        const fields = { newAddress: `${count}@entered.example`, password: 'correct horse', properties };
        return submit('create-user', { ...hidden, ...fields });
      };
      expect((await create('no id')).text).to.include('<strong>id</strong> must have 1 to 64 characters');
      expect(await create('usr_entered')).to.include({ location: '/admin/user?id=usr_entered&done=create-user' });
      const exported = await json('/admin/users/usr_entered/export');
      expect([exported.email.id, exported.id, exported.plan]).to.deep.equal(['usr_entered', undefined, 'free']);
    });

    it('shows the id of a user, and links by it', async () => {
      const { id, address } = await created();
      const page = (await ask(`/admin/user?address=${address}`)).text;
      expect(page).to.include(`<dt>Id</dt><dd>${id}</dd>`);
      expect(page).to.include(`href="/admin/disable?id=${id}"`).and.include(`href="/admin/users/${id}/export"`);
      expect((await ask(`/admin/user?id=${id}`)).text).to.include(`<h1>${address}</h1>`);
      expect((await ask('/admin/user?id=usr_none')).status).to.equal(404);
    });

    it('keeps the user of a form whose address changes in between', async () => {
      const { id, address } = await created();
      const page = (await ask(`/admin/require-password-change?address=${address}`)).text;
      const moved = `moved-${address}`;
      const body = { email: { address: moved } };
      expect((await service.client.updateUser({ id, password: 'correct horse' }, body)).ok).to.equal(true);
      const { status, location } = await submit('require-password-change', hiddenIn(page));
      expect([status, location]).to.deep.equal([303, `/admin/user?id=${id}&done=require-password-change`]);
      expect((await ask(location ?? '')).text)
        .to.include(`<h1>${moved}</h1>`)
        .and.include('New password required');
    });

    it('finds a user by an id or a unique property, besides a part of the address', async () => {
      const { id, username, number, address } = await created();
      expect((await ask('/admin')).text).to.include('>Part of the address, or id or username or number</label>');
      for (const text of [id, username.toLowerCase(), String(number), address]) {
        const { status, location } = await ask(`/admin?property=username&address=${text}`);
        expect([status, location], text).to.deep.equal([303, `/admin/user?id=${id}&list=property%3Dusername`]);
      }
    });

    it('shows the exact match first where parts of addresses match, too', async () => {
      const other = await created({ email: { address: 'a-namesake@example.com' } });
      const { address } = await created({ username: 'namesake' });
      const page = (await ask('/admin?address=namesake')).text;
      expect(addressesIn(page)).to.deep.equal([address, 'a-namesake@example.com']);
      expect(page).to.include('<p class="count">2 users</p>');
      expect(addressesIn((await ask('/admin?address=namesake&verified=true')).text)).to.deep.equal([]);
      expect(other.id).to.be.a('string');
    });

    it('says beside the field that another user has the value', async () => {
      const [one, other] = [await created(), await created()];
      const page = (await ask(`/admin/properties?id=${other.id}`)).text;
      const fields = hiddenIn(page);
      const [field = ''] = Object.entries(fields).find(([, value]) => value === 'username') ?? [];
      const at = field.slice('name-'.length);
      const sent = {
        ...fields,
        'value-0': other.username,
        'value-1': String(other.number),
        [`value-${at}`]: one.username,
      };
      const { status, text } = await submit('properties', sent);
      expect(status).to.equal(409);
      expect(text).to.include('<strong>username</strong> belongs to another user');
      expect(text).to.include(`<p class="wrong" id="value-${at}-error">belongs to another user</p>`);
      expect(text).to.include(`id="value-${at}" name="value-${at}" aria-invalid="true"`);
      expect(text, 'what was entered').to.include(`value="${one.username}"`);
    });
  });
});
