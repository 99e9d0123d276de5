import { expect } from 'chai';
import { clientHeaders, createUser, eachWithInstallation } from '../process/installation.ts';
import { textOf } from './documents.ts';

const [, section = ''] = textOf('docs/api.md').split('### What may be repeated\n');
const rows = section.split('\n').filter((line) => line.startsWith('| '));

/** What the page says about a lost call: the cell about a repeated one. */
const saidAbout = (call: string): string => rows.find((row) => row.includes(call))?.split(' | ')[2] ?? '';

describe('What may be repeated, in docs/api.md', () => {
  const installation = eachWithInstallation();
  let base = '';
  const address = 'jane@example.com';
  beforeEach(async () => {
    await installation().configure({ recovery: { deliver: 'caller' } });
    ({ url: base } = await installation().serve());
    expect(await createUser(base, address)).to.equal(201);
  });

  const call = async (method: string, path: string, body?: object, headers: object = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...clientHeaders, password: 'correct horse', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, etag: response.headers.get('etag'), body: text === '' ? {} : JSON.parse(text) };
  };

  /** Makes a call twice. Resolves with the statuses, and the code of the second response. */
  const twice = async (...request: Parameters<typeof call>) => {
    const [first, second] = [await call(...request), await call(...request)];
    return [first.status, second.status, second.body.code];
  };

  const user = `/users?email=${address}`;

  it('says what a repeated creation gets', async () => {
    const body = { email: { address: 'new@example.com' }, password: 'correct horse' };
    expect(await twice('POST', '/users', body)).to.deep.equal([201, 409, 'user_exists']);
    expect(saidAbout('`POST /users` ')).to.include('409 `user_exists`');
  });

  it('says what a repeated change gets', async () => {
    const { etag } = await call('GET', user);
    expect(await twice('PATCH', user, { plan: 'pro' }, { 'If-Match': etag })).to.deep.equal([200, 412, 'stale_user']);
    expect(saidAbout('with `If-Match`')).to.include('412 `stale_user`');
    expect((await twice('PUT', user, { email: { address }, plan: 'free' })).slice(0, 2)).to.deep.equal([200, 200]);
    expect(await twice('PATCH', user, { password: 'another horse' })).to.deep.equal([200, 401, 'wrong_password']);
    const former = { password: 'another horse' };
    const moved = { email: { address: 'moved@example.com' } };
    expect(await twice('PATCH', user, moved, former)).to.deep.equal([200, 404, 'user_not_found']);
    expect(saidAbout('without it')).to.include('the same user').and.include('401 `wrong_password`').and.include('404');
  });

  it('says what a repeated deletion gets', async () => {
    expect(await twice('DELETE', user)).to.deep.equal([200, 404, 'user_not_found']);
    expect(saidAbout('`DELETE /users`')).to.include('404 `user_not_found`');
  });

  it('says what a repeated verification gets', async () => {
    expect((await twice('POST', `/verify?email=${address}`)).slice(0, 2)).to.deep.equal([200, 200]);
    expect(saidAbout('`POST /verify` ')).to.include('200');
    const token = (await call('GET', user)).body.email.verificationToken;
    const link = `/verify?email=${address}&token=${token}`;
    expect((await twice('GET', link)).slice(0, 2)).to.deep.equal([200, 200]);
    expect((await twice('POST', `/verify/reset?email=${address}`)).slice(0, 2)).to.deep.equal([200, 200]);
    expect(saidAbout('`GET /verify`')).to.equal('the same |');
  });

  it('says what a repeated recovery gets', async () => {
    const { token } = (await call('POST', `/recovery?email=${address}`)).body;
    const body = { email: { address }, token, password: 'a better horse' };
    expect(await twice('POST', '/recovery/confirm', body)).to.deep.equal([204, 400, 'token_mismatch']);
    expect(saidAbout('`POST /recovery/confirm`')).to.include('400 `token_mismatch`');
  });
});
