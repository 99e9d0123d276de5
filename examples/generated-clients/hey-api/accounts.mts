// Uses a client that @hey-api/openapi-ts generated, and prints what the service answered.
import { createInterface } from 'node:readline/promises';
import { client } from './client/client.gen.ts';
import * as latchkey from './client/index.ts';

const address = 'hey-api@example.com';
const secret = 'pässwörd of hey-api';

client.setConfig({ baseUrl: String(process.env.LATCHKEY_URL), auth: String(process.env.LATCHKEY_KEY) });
const query = { email: address };
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

const properties = { visits: 3, plan: 'trial', rating: 4.5, tags: ['early', 7], settings: { theme: 'dark' } };
const created = await latchkey.createUser({ body: { email: { address }, password: secret, ...properties } });
const read = await latchkey.getUser({ query, headers });
const checked = await latchkey.checkPassword({ body: { email: { address }, password: secret } });
const guess = { password: 'wrong', 'X-Client-Address': '192.0.2.1' };
const { error: wrong } = await latchkey.getUser({ query, headers: guess });
const updated = await latchkey.updateUser({
  headers,
  body: { ...propertiesOf(present(read.data)), email: { address }, visits: 4, plan: 'pro' },
});
const patched = await latchkey.patchUser({ query, headers, body: { plan: 'free' } });
const condition = { ...headers, 'If-Match': '"former"' };
const { error: stale } = await latchkey.patchUser({ query, headers: condition, body: { plan: 'free' } });
const sent = await latchkey.sendVerification({ query, headers });
const verification = { email: address, token: present(sent.data).email.verificationToken ?? '' };
const verified = await latchkey.confirmVerification({ query: verification });
const reset = await latchkey.resetVerification({ query, headers });

const recovery = await latchkey.requestRecovery({ query });
const token = await tokenOf('/recovery');
const pages = [
  await latchkey.showSuccess(),
  await latchkey.showRecovery({ query: { email: address, token } }),
  await latchkey.showRecovered(),
];
const recovered = await latchkey.confirmRecovery({ body: { email: { address }, token, password: `${secret}!` } });

const afterwards = withPassword(`${secret}!`);
const deleted = await latchkey.deleteUser({ query, headers: afterwards });
const absent = await latchkey.getUser({ query, headers: afterwards });

const printed = {
  created: propertiesOf(present(created.data)),
  read: propertiesOf(present(read.data)),
  updated: propertiesOf(present(updated.data)),
  checked: checked.response?.status,
  wrong: `${wrong?.status} ${wrong?.code}`,
  patched: propertiesOf(present(patched.data)),
  stale: `${stale?.status} ${stale?.code}`,
  verified: typeof verified.data === 'object' && verified.data.email.verified,
  reset: present(reset.data).email.verified,
  recovery: recovery.response?.status,
  recovered: recovered.response?.status,
  pages: pages.filter(({ data }) => data?.includes('<html')).length,
  deleted: present(deleted.data).email.address,
  hasTimes: present(deleted.data).creationTime > 1_700_000_000_000,
  afterwards: absent.response?.status,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
