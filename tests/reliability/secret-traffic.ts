import { connect } from 'node:net';
import { expect } from 'chai';
import type { Serving } from '../process/installation.ts';
import { type Answer, at, Caller } from './caller.ts';
import type { Canaries } from './canaries.ts';
import { freshAddress } from './databases.ts';

/** Everything that was said to those who may not know the secrets, and how much of it there was. */
export class Overheard {
  answers = 0;
  lines = 0;
  private readonly leaks: string[] = [];

  constructor(readonly canaries: Canaries) {}

  answer(what: string, { status, headers, body }: Answer): void {
    this.answers += 1;
    const returnsUser = status === 200 || status === 201;
    this.search(`the headers of ${status} to ${what}`, JSON.stringify(headers));
    this.search(`the body of ${status} to ${what}`, body, returnsUser);
  }

  output(what: string, text: string): void {
    this.lines += text.split('\n').length;
    this.search(what, text);
  }

  /** Fails with the names of what leaked, and where. */
  expectNothing(): void {
    expect(this.leaks).to.deep.equal([]);
  }

  private search(where: string, text: string, forUser = false): void {
    for (const name of this.canaries.leaksIn(text, forUser)) this.leaks.push(`${name}, in ${where}`);
  }
}

/** Sends bytes and notes all that comes back; the answers to them are never those of a user. */
const sendRaw = (url: string, bytes: string, heard: Overheard): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The service may close before it has read everything.
    socket.on('error', () => {});
    socket.on('close', () => {
      heard.answer('a broken request', { status: 400, headers: {}, body: Buffer.concat(chunks).toString() });
      resolve();
    });
  });

/** Requests that are no proper HTTP, or not for this service, with secrets all over. */
const broken = (authorization: string, secret: string): readonly string[] => {
  const headers = `Host: a\r\nAuthorization: ${authorization}\r\npassword: ${secret}\r\n`;
  return [
    `GET /users?email=${secret} HTTP/1.1\r\n${headers}no colon ${secret}\r\n\r\n`,
    `GET /users HTTP/1.1\r\n${headers}password: ${secret}\r\n\r\n`,
    `GET http://[${secret} HTTP/1.1\r\n${headers}\r\n`,
    `${secret} /users HTTP/1.1\r\n${headers}\r\n`,
    `GET /users HTTP/1.1\r\n${headers}X-Long: ${secret.repeat(2_000)}\r\n\r\n`,
    `POST /users HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n${secret}\r\n${secret}`,
    `POST /users HTTP/1.1\r\n${headers}Content-Length: ${secret}\r\n\r\n{}`,
  ];
};

/** Paths in which a secret stands where the query should have begun. */
const misspelt = (secret: string): readonly string[] =>
  ['/verify%3Ftoken=', '/verify&token=', '/users/', '/admin/users/', '/outbox/', '/'].map((path) => path + secret);

/** Every endpoint, on good paths and bad ones, whatever the service is able to do just now. */
export const traffic = async (serving: Serving, right: string, wrongs: readonly string[], heard: Overheard) => {
  const { canaries } = heard;
  const caller = new Caller(serving.url);
  const [address, other] = [freshAddress(), freshAddress()];
  const passwords = ['first', 'second', 'wrong'].map((which) => canaries.plant(`a ${which} password`));
  const [first = '', second = '', wrong = ''] = passwords;
  const long = `${wrong}${'x'.repeat(80)}`;

  const call = async (method: string, path: string, body?: unknown, headers = {}, authorization = right) => {
    const answer = await caller.call(method, path, body, { Authorization: authorization, ...headers });
    if (answer === undefined) throw new Error(`${method} ${path} was not answered`);
    heard.answer(`${method} ${path.split('?')[0]}`, answer);
    const user = answer.status < 300 && answer.body.startsWith('{"email"') ? JSON.parse(answer.body) : undefined;
    canaries.keep('a stored password', user?.password, 'its user');
    canaries.keep('a verification token', user?.email.verificationToken, 'its user');
    return user;
  };
  const user = (password: string, more = {}) => ({ email: { address }, password, ...more });
  const as = (password: string) => ({ password });
  const verify = (token: string, more = '') =>
    call('GET', `/verify?email=${encodeURIComponent(address)}&token=${token}${more}`);

  await call('POST', '/users', user(first));
  await call('POST', '/users', user(second));
  await call('POST', '/users', { ...user(second), email: { address: other } });
  await call('POST', '/users', user(long));
  await call('POST', '/users', user(wrong, { [wrong]: Number.MAX_VALUE, filler: wrong.repeat(40_000) }));
  await call('POST', '/users', { password: wrong, email: wrong });
  await call('POST', '/users', wrong);
  await call('POST', '/users', user(wrong), { 'Content-Type': `text/${wrong}` });
  await call('POST', '/users', user(wrong), { 'Content-Encoding': 'gzip' });
  for (const password of [first, wrong, long, second]) await call('GET', at(address), undefined, as(password));
  await call('GET', at(freshAddress()), undefined, as(wrong));
  await call('GET', at(address));
  for (const authorization of wrongs) await call('GET', at(address), undefined, as(first), authorization);
  await call('PUT', at(address), user(second), as(wrong));
  await call('PUT', at(address), user(second), as(first));
  await call('PUT', at(address), { ...user(first), email: { address: other } }, as(second));
  await call('POST', `/verify?email=${encodeURIComponent(address)}`, undefined, as(wrong));
  await call('POST', `/verify?email=${encodeURIComponent(address)}`, undefined, as(second));
  const found = await call('GET', at(address), undefined, as(second));
  for (const token of [wrong, found?.email.verificationToken ?? wrong])
    for (const more of ['', '&response_type=html', `&token=${token}`, `&response_type=${token}`])
      await verify(token, more);
  await call('POST', `/verify/reset?email=${encodeURIComponent(address)}&password=${wrong}`, undefined, as(second));
  await call('DELETE', at(address), undefined, as(wrong));
  await call('DELETE', at(address), undefined, as(second));
  for (const path of ['/nowhere', '/swagger', '/openapi.json', '/verify/success'])
    await call('GET', `${path}?token=${wrong}`, undefined, as(wrong));
  for (const path of misspelt(wrong)) await call('GET', path, undefined, as(wrong));
  await call('PATCH', '/users', user(wrong), as(wrong));
  for (const bytes of broken(right, wrong)) await sendRaw(serving.url, bytes, heard);
  caller.close();

  const admin = new Caller(serving.adminUrl);
  for (const path of ['/healthcheck', '/readyz', '/livez', '/metrics', `/nowhere?token=${wrong}`, ...misspelt(wrong)]) {
    const answer = await admin.call('GET', path, undefined, { Authorization: right, ...as(wrong) });
    // Returned to nobody's user.
    if (answer !== undefined) heard.answer(`GET ${path.split('?')[0]} of the admin port`, { ...answer, status: 0 });
  }
  admin.close();
};
