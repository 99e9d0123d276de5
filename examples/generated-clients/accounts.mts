// Uses the types that openapi-typescript generated, with openapi-fetch, and prints what the service answered.
import createClient from 'openapi-fetch';
import type { paths } from './openapi.d.ts';

const address = 'typescript@example.com';
const secret = 'pässwörd of typescript';

const client = createClient<paths>({
  baseUrl: String(process.env.LATCHKEY_URL),
  headers: { Authorization: `Basic ${btoa(String(process.env.LATCHKEY_KEY))}` },
});
const params = { query: { email: address }, header: { password: '' } };
// fetch sends Latin-1 in headers.
const headers = { 'password*': `UTF-8''${encodeURIComponent(secret)}` };

const present = <Value,>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the service refused a request');
  return value;
};

/** The custom properties of a user. */
const propertiesOf = (user: object): object => {
  const fixed = new Set(['email', 'password', 'creationTime', 'lastUpdateTime', 'passwordTime']);
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
const guess = { query: { email: address }, header: { password: 'wrong', 'X-Client-Address': '192.0.2.1' } };
const { error: wrong } = await client.GET('/users', { params: guess });
const updated = await client.PUT('/users', {
  params: { header: params.header },
  headers,
  body: { ...propertiesOf(present(read.data)), email: { address }, visits: 4, plan: 'pro' },
});
const patched = await client.PATCH('/users', { params, headers, body: { plan: 'free' } });
const recovery = await client.POST('/recovery', { params: { query: params.query } });
const sent = await client.POST('/verify', { params, headers });
const token = present(sent.data).email.verificationToken ?? '';
const verified = await client.GET('/verify', { params: { query: { email: address, token } } });
const deleted = await client.DELETE('/users', { params, headers });
const absent = await client.GET('/users', { params, headers });

const printed = {
  created: propertiesOf(present(created.data)),
  read: propertiesOf(present(read.data)),
  updated: propertiesOf(present(updated.data)),
  checked: checked.response.status,
  wrong: `${wrong?.status} ${wrong?.code}`,
  patched: propertiesOf(present(patched.data)),
  recovery: recovery.response.status,
  verified: typeof verified.data === 'object' && verified.data.email.verified,
  deleted: present(deleted.data).email.address,
  hasTimes: present(deleted.data).creationTime > 1_700_000_000_000,
  afterwards: absent.response.status,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
