import { connect } from 'node:net';
import { expect } from 'chai';
import type { Serving } from '../process/installation.ts';
import { at, Caller, type HttpResponse } from './caller.ts';
import type { LeakDetector } from './leak-detector.ts';

/** Searches responses and output for secrets, and counts them. */
export class SearchedOutput {
  responses = 0;
  lines = 0;
  private readonly leaks: string[] = [];

  constructor(readonly detector: LeakDetector) {}

  response(what: string, { status, headers, body }: HttpResponse): void {
    this.responses += 1;
    const returnsUser = status === 200 || status === 201;
    this.search(`the headers of ${status} to ${what}`, JSON.stringify(headers));
    this.search(`the body of ${status} to ${what}`, body, returnsUser);
  }

  output(what: string, text: string): void {
    this.lines += text.split('\n').length;
    this.search(what, text);
  }

  /** Fails with the names of the leaked secrets, and where they were found. */
  expectNoLeaks(): void {
    expect(this.leaks).to.deep.equal([]);
  }

  private search(where: string, text: string, forUser = false): void {
    for (const name of this.detector.leaksIn(text, forUser)) this.leaks.push(`${name}, in ${where}`);
  }
}

/** Sends bytes, and searches the response, which never returns a user. */
const sendRaw = (url: string, bytes: string, output: SearchedOutput): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The service may close the connection before it has read everything.
    socket.on('error', () => {});
    socket.on('close', () => {
      output.response('a broken request', { status: 400, headers: {}, body: Buffer.concat(chunks).toString() });
      resolve();
    });
  });

/** Malformed HTTP requests that contain secrets. */
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

/** Misspelt paths that contain the secret, because the query does not start where it should. */
const misspeltPaths = (secret: string): readonly string[] =>
  ['/verify%3Ftoken=', '/verify&token=', '/users/', '/admin/users/', '/outbox/', '/'].map((path) => path + secret);

/** Calls every endpoint with valid and invalid requests, whatever the state of the service. */
export const traffic = async (
  serving: Serving,
  validAuthorization: string,
  invalidAuthorizations: readonly string[],
  output: SearchedOutput,
) => {
  const { detector } = output;
  const caller = new Caller(serving.url);
  const [address, other] = [detector.random.address(), detector.random.address()];
  const passwords = ['first', 'second', 'wrong'].map((which) => detector.newSecret(`a ${which} password`));
  const [first = '', second = '', wrong = ''] = passwords;
  const long = `${wrong}${'x'.repeat(80)}`;

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers = {},
    authorization = validAuthorization,
  ) => {
    const response = await caller.call(method, path, body, { Authorization: authorization, ...headers });
    if (response === undefined) throw new Error(`${method} ${path} was not answered`);
    output.response(`${method} ${path.split('?')[0]}`, response);
    const user = response.status < 300 && response.body.startsWith('{"email"') ? JSON.parse(response.body) : undefined;
    detector.add('a stored password', user?.password, 'user');
    detector.add('a verification token', user?.email.verificationToken, 'user');
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
  await call('GET', at(detector.random.address()), undefined, as(wrong));
  await call('GET', at(address));
  for (const authorization of invalidAuthorizations)
    await call('GET', at(address), undefined, as(first), authorization);
  for (const password of [first, wrong, long, ` ${wrong}\n`]) await call('POST', '/users/check', user(password));
  await call('POST', '/users/check', user(wrong, { [wrong]: wrong }));
  await call('POST', `/users/check?password=${wrong}`, { email: { address: wrong }, password: [wrong] });
  await call('PUT', at(address), user(second), as(wrong));
  await call('PUT', at(address), user(second), as(first));
  await call('PUT', at(address), { ...user(first), email: { address: other } }, as(second));
  await call('PATCH', at(address), { password: long, [wrong]: wrong }, as(wrong));
  await call('PATCH', at(address), { password: wrong, email: wrong, [wrong]: { [wrong]: null } }, as(second));
  await call('PATCH', at(address), { email: { [wrong]: wrong } }, { ...as(second), 'Content-Type': `text/${wrong}` });
  await call('PATCH', at(address), { password: second, secret: { a: null } }, as(second));
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
  for (const path of misspeltPaths(wrong)) await call('GET', path, undefined, as(wrong));
  await call('PATCH', '/users', user(wrong), as(wrong));
  for (const bytes of broken(validAuthorization, wrong)) await sendRaw(serving.url, bytes, output);
  caller.close();

  const admin = new Caller(serving.adminUrl);
  for (const path of [
    '/healthcheck',
    '/readyz',
    '/livez',
    '/metrics',
    `/nowhere?token=${wrong}`,
    ...misspeltPaths(wrong),
  ]) {
    const response = await admin.call('GET', path, undefined, { Authorization: validAuthorization, ...as(wrong) });
    // The admin port returns no users, so status 0 excludes that exception.
    if (response !== undefined)
      output.response(`GET ${path.split('?')[0]} of the admin port`, { ...response, status: 0 });
  }
  admin.close();
};
