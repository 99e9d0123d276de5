// Changes an address, and uses a property that the configuration declares, through the generated types.
import { createInterface } from 'node:readline/promises';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.ts';

const [former, address, other] = ['former.ts@example.com', 'new.ts@example.com', 'other.ts@example.com'] as const;
const secret = 'another pässwörd of typescript';

const client = createClient<paths>({
  baseUrl: String(process.env.LATCHKEY_URL),
  headers: {
    Authorization: `Basic ${btoa(String(process.env.LATCHKEY_KEY))}`,
    'password*': `UTF-8''${encodeURIComponent(secret)}`,
  },
});

/** Somebody has to look into the mailbox. */
const tokenOf = async (path: string, address: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const token = await terminal.question(`Token of the link ${path} in the mail to ${address}: `);
  terminal.close();
  return token;
};

/** Asks for another address; resolves with the one that waits. */
const move = async (email: string, address: string): Promise<string | undefined> => {
  const params = { query: { email }, header: { 'Accept-Language': 'de' } };
  return (await client.PATCH('/users', { params, body: { email: { address } } })).data?.email.pending;
};

const created = await client.POST('/users', { body: { email: { address: former }, password: secret, visits: 3 } });
const pending = await move(former, address);
const link = { email: former, token: await tokenOf('/change', address) };
const asking = await client.GET('/change', { params: { query: link }, parseAs: 'text' });
const confirmed = await client.POST('/change/confirm', { params: { query: link } });
const changed = await client.GET('/change/success', { parseAs: 'text' });

await move(address, other);
const notice = { email: address, token: await tokenOf('/change/cancel', address) };
const cancelling = await client.GET('/change/cancel', { params: { query: notice }, parseAs: 'text' });
const cancelled = await client.POST('/change/cancel', { params: { query: notice } });
const kept = await client.GET('/change/cancelled', { parseAs: 'text' });

const read = await client.GET('/users', { params: { query: { email: address } } });
const deleted = await client.DELETE('/users', { params: { query: { email: address } } });
const printed = {
  visits: created.data?.visits,
  pending,
  confirmed: confirmed.response.status,
  cancelled: cancelled.response.status,
  pages: [asking, changed, cancelling, kept].filter(({ data }) => data?.includes('<html')).length,
  address: read.data?.email.address,
  deleted: deleted.response.status,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
