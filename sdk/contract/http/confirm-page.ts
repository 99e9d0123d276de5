import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress } from './client.ts';
import { type Blocks, type Harness, publicUrl } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const policy =
  /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/;

/** A configuration with `email.confirmPage`. */
const withPage = async (harness: Harness, options: object = {}): Promise<Blocks> => {
  const directory = `${await harness.file('pressed', '')}-mails`;
  return { email: { type: 'outbox', directory, fromAddress: 'sender@example.com', confirmPage: true, ...options } };
};

const serviceWithPage = async (harness: Harness, options: object = {}) =>
  harness.service(await withPage(harness, options));

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
};

/** The target URL of the form on a page. */
const actionOf = ({ text }: ApiResponse): string => {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(text) ?? [];
  if (action === undefined) throw new Error(`no form: ${text}`);
  const target = new URL(
    action.replace(/&(?:amp|#39|quot|lt|gt);/g, (entity) => entities[entity] ?? ''),
    'http://localhost/verify?email=a&token=b',
  );
  return `${target.pathname}${target.search}`;
};

const open = (client: Client, { address }: Pick<Account, 'address'>, token: string, method = 'GET', headers = {}) =>
  client.send(method, '/verify', {
    query: { email: address, token, response_type: 'html' },
    authorization: null,
    headers,
  });

const press = (client: Client, page: ApiResponse): Promise<ApiResponse> =>
  client.post(actionOf(page), {
    authorization: null,
    raw: '',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'null' },
  });

const outstanding = async (harness: Harness) => {
  const { client } = await serviceWithPage(harness);
  const account = await client.create();
  return { client, account, token: await client.token(account) };
};

const showing = (harness: Harness): void => {
  it('200: the link opens a page with one button, and changes nothing, however often it is opened', async () => {
    const { client, account, token } = await outstanding(harness);
    const before = await client.read(account);
    for (const headers of [{}, { 'Sec-Purpose': 'prefetch' }, { Purpose: 'preview' }]) {
      const page = await open(client, account, token, 'GET', headers);
      expect(page.status).to.equal(200);
      expect(page.text.match(/<button>/g)).to.have.length(1);
      expect(page.text).to.include('Verify your email address').and.include(account.address);
      expect(page.text).to.not.include('<script');
    }
    const head = await open(client, account, token, 'HEAD');
    expect([head.status, head.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect((await client.read(account)).text).to.equal(before.text);
  });

  it('the page can only submit its form, is not cached and contains no address', async () => {
    const { client, account, token } = await outstanding(harness);
    const { headers } = await open(client, account, token);
    expect(headers.get('content-security-policy')).to.match(policy);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('303 to the success page if the link was used before', async () => {
    const { client, account, token } = await outstanding(harness);
    await press(client, await open(client, account, token));
    const again = await open(client, account, token);
    expect([again.status, again.headers.get('location')]).to.deep.equal([303, '/verify/success']);
  });

  it('still responds to programs with JSON, and verifies the address', async () => {
    const { client, account, token } = await outstanding(harness);
    const response = await client.get('/verify', { query: { email: account.address, token }, authorization: null });
    expect(response.user.email.verified).to.equal(true);
  });

  it('contains no host name, even if the request contains one', async () => {
    const { client, account, token } = await outstanding(harness);
    const target = `/verify?email=${encodeURIComponent(account.address)}&token=${token}&response_type=html`;
    const evil = ['Host: evil.example.com', 'X-Forwarded-Host: evil.example.com', 'Forwarded: host=evil.example.com'];
    const [page] = responsesIn(await exchange(client.url, requestText([`GET ${target} HTTP/1.1`, ...evil])));
    expect(page?.status).to.equal(200);
    expect(page?.text)
      .to.not.include('evil')
      .and.not.match(/(?:href|action|src)="(?:https?:)?\//);
    const post = `POST ${page && actionOf(page)} HTTP/1.1`;
    const [pressed] = responsesIn(await exchange(client.url, requestText([post, ...evil, 'Content-Length: 0'])));
    expect([pressed?.status, pressed?.headers.get('location')]).to.deep.equal([303, '/verify/success']);
  });
};

const pressing = (harness: Harness): void => {
  it('303: the button verifies and leads to the success page; the redirect contains neither address nor token', async () => {
    const { client, account, token } = await outstanding(harness);
    const pressed = await press(client, await open(client, account, token));
    expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, '/verify/success']);
    expect(pressed.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(pressed.headers.get('cache-control')).to.equal('no-store');
    expect((await client.read(account)).user.email).to.deep.equal({
      address: account.address,
      verified: true,
      verificationToken: token,
    });
  });

  it('303 twice if the button is pressed twice', async () => {
    const { client, account, token } = await outstanding(harness);
    const page = await open(client, account, token);
    const statuses = (await Promise.all([press(client, page), press(client, page)])).map(({ status }) => status);
    expect(statuses).to.deep.equal([303, 303]);
  });

  it('stays below the path of server.publicUrl', async () => {
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: `${publicUrl}/accounts` };
    const { client } = await harness.service({ ...(await withPage(harness)), server });
    const account = await client.create();
    const page = await open(client, account, await client.token(account));
    expect(page.text).to.include('action="verify/confirm?');
    expect((await press(client, page)).headers.get('location')).to.equal('/accounts/verify/success');
  });

  it('escapes any address and any token correctly', async () => {
    const { client } = await serviceWithPage(harness);
    const account = await client.create({ address: `o'neill&b=c+d%26/${newAddress()}` });
    const { address, password } = account;
    const token = `"><script>alert(1)</script>&amp;' ${randomUUID()} ü+%`;
    await client.put('/users', { body: { email: { address, verificationToken: token } }, password });
    const page = await open(client, account, token);
    expect(page.status).to.equal(200);
    expect(page.text).to.not.match(/<script|o'neill/);
    expect(page.text).to.include('o&#39;neill&amp;b=c+d%26/');
    expect((await press(client, page)).status).to.equal(303);
    expect((await client.read(account)).user.email.verified).to.equal(true);
  });
};

const failing = (harness: Harness): void => {
  const expectFailure = (response: ApiResponse, status: number, words: string): void => {
    expect(response.status).to.equal(status);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(response.text).to.include(words).and.not.include('<button');
  };
  /** The responses to the link and to the button, for an invalid token. */
  const both = (client: Client, address: string, token: string) =>
    Promise.all([
      open(client, { address }, token),
      client.post('/verify/confirm', { query: { email: address, token }, authorization: null }),
    ]);

  it('400 with an error page: the token does not match, or the link is incomplete', async () => {
    const { client, account } = await outstanding(harness);
    for (const token of [randomUUID(), '']) {
      for (const response of await both(client, account.address, token)) {
        expectFailure(response, 400, 'This link no longer works');
      }
    }
    expect((await client.read(account)).user.email.verified).to.equal(false);
  });

  it('404 with a page: no user has the address', async () => {
    const { client } = await serviceWithPage(harness);
    for (const response of await both(client, newAddress(), randomUUID())) {
      expectFailure(response, 404, 'We could not find this account');
    }
  });

  it('400 with a page: the link has expired', async () => {
    const { client } = await serviceWithPage(harness, { tokenLifetime: '1ms' });
    const account = await client.create();
    const token = await client.token(account);
    const set = Date.now();
    while (Date.now() < set + 2) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const response of await both(client, account.address, token)) {
      expectFailure(response, 400, 'This link has expired');
    }
    expect((await client.read(account)).user.email.verified).to.equal(false);
  });

  it('400 with a page: a newer mail was sent while the page was open', async () => {
    const { client, account, token } = await outstanding(harness);
    const page = await open(client, account, token);
    await client.token(account);
    expectFailure(await press(client, page), 400, 'This link no longer works');
  });

  it('405 for other methods, and 404 without email.confirmPage', async () => {
    const { client } = await serviceWithPage(harness);
    const response = await client.get('/verify/confirm', { authorization: null });
    expect(response.refusal).to.equal('405 method_not_allowed');
    expect(response.headers.get('allow')).to.equal('POST, OPTIONS');
    const usual = await harness.service();
    expect((await usual.client.post('/verify/confirm')).refusal).to.equal('404 route_not_found');
  });
};

const ofStore = (harness: Harness): void => {
  it('503 and 500 with a page, for the link and for the button, when the store fails', async () => {
    const store = new InMemoryUserStore();
    const { client } = await harness.serviceOn(store.ports, await withPage(harness));
    const account = await client.create();
    const token = await client.token(account);
    const page = await open(client, account, token);
    for (const [code, status] of [
      ['store_unavailable', 503],
      ['store_rejected', 500],
    ] as const) {
      store.fault = new Fault(code, 'the store refused');
      for (const response of [await open(client, account, token), await press(client, page)]) {
        expect(response.status).to.equal(status);
        expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      }
    }
    store.fault = undefined;
    expect((await press(client, page)).status).to.equal(303);
  });
};

/** The page with a button, so that programs that follow links do not verify addresses. */
export const confirmPages = (harness: Harness): void => {
  describe('email.confirmPage', () => {
    showing(harness);
    pressing(harness);
    failing(harness);
    (harness.takesStores ? describe : describe.skip)('without its store', () => ofStore(harness));
  });
};
