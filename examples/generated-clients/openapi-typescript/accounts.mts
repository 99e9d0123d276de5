// Uses the types that openapi-typescript generated, with openapi-fetch, and prints what the service answered.
import { createInterface } from 'node:readline/promises';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.ts';

const address = 'typescript@example.com';
const secret = 'pässwörd of typescript';

const client = createClient<paths>({
  baseUrl: String(process.env.LATCHKEY_URL),
  headers: { Authorization: `Basic ${btoa(String(process.env.LATCHKEY_KEY))}` },
});
const params = { query: { email: address } };
/** fetch sends Latin-1 in headers. */
const withPassword = (password: string) => ({ 'password*': `UTF-8''${encodeURIComponent(password)}` });
const headers = withPassword(secret);

/** Somebody has to look into the mailbox. */
const tokenOf = async (path: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const token = await terminal.question(`Token of the link ${path} in the mail to ${address}: `);
  terminal.close();
  return token;
};

const present = <Value,>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the service refused a request');
  return value;
};

/** The custom properties of a user. */
const propertiesOf = (user: object): object => {
  const fixed = new Set(['id', 'email', 'password', 'creationTime', 'lastUpdateTime', 'passwordTime']);
  return Object.fromEntries(Object.entries(user).filter(([name]) => !fixed.has(name)));
};

const created = await client.POST('/users', {
  body: {
    email: { address },
    password: secret,
    visits: 3,
    plan: 'trial',
    rating: 4.5,
    tags: ['early', 7],
    settings: { theme: 'dark' },
  },
});
const read = await client.GET('/users', { params, headers });
const checked = await client.POST('/users/check', { body: { email: { address }, password: secret } });
const guess = { ...params, header: { password: 'wrong', 'X-Client-Address': '192.0.2.1' } };
const { error: wrong } = await client.GET('/users', { params: guess });
const updated = await client.PUT('/users', {
  headers,
  body: { ...propertiesOf(present(read.data)), email: { address }, visits: 4, plan: 'pro' },
});
const patched = await client.PATCH('/users', { params, headers, body: { plan: 'free' } });
const { error: stale } = await client.PATCH('/users', {
  params: { ...params, header: { 'If-Match': '"former"' } },
  headers,
  body: { plan: 'free' },
});
const sent = await client.POST('/verify', { params, headers });
const token = present(sent.data).email.verificationToken ?? '';
const verified = await client.GET('/verify', { params: { query: { email: address, token } } });
const reset = await client.POST('/verify/reset', { params, headers });

const recovery = await client.POST('/recovery', { params });
const link = { email: address, token: await tokenOf('/recovery') };
const pages = [
  await client.GET('/verify/success', { parseAs: 'text' }),
  await client.GET('/recovery', { params: { query: link }, parseAs: 'text' }),
  await client.GET('/recovery/success', { parseAs: 'text' }),
];
const recovered = await client.POST('/recovery/confirm', {
  body: { email: { address }, token: link.token, password: `${secret}!` },
});

const afterwards = withPassword(`${secret}!`);
const deleted = await client.DELETE('/users', { params, headers: afterwards });
const absent = await client.GET('/users', { params, headers: afterwards });

const printed = {
  created: propertiesOf(present(created.data)),
  read: propertiesOf(present(read.data)),
  updated: propertiesOf(present(updated.data)),
  checked: checked.response.status,
  wrong: `${wrong?.status} ${wrong?.code}`,
  patched: propertiesOf(present(patched.data)),
  stale: `${stale?.status} ${stale?.code}`,
  verified: typeof verified.data === 'object' && verified.data.email.verified,
  reset: present(reset.data).email.verified,
  recovery: recovery.response.status,
  recovered: recovered.response.status,
  pages: pages.filter(({ data }) => data?.includes('<html')).length,
  deleted: present(deleted.data).email.address,
  hasTimes: present(deleted.data).creationTime > 1_700_000_000_000,
  afterwards: absent.response.status,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
