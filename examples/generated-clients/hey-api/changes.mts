// Changes an address, and uses a property that the configuration declares, through the generated client.
import { createInterface } from 'node:readline/promises';
import { client } from './client/client.gen.ts';
import * as latchkey from './client/index.ts';

const [former, address, other] = ['former.hey@example.com', 'new.hey@example.com', 'other.hey@example.com'] as const;
const secret = 'another pässwörd of hey-api';

client.setConfig({
  baseUrl: String(process.env.LATCHKEY_URL),
  auth: String(process.env.LATCHKEY_KEY),
  headers: { 'password*': `UTF-8''${encodeURIComponent(secret)}` },
});

/** Somebody has to look into the mailbox. */
const tokenOf = async (path: string, address: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const token = await terminal.question(`Token of the link ${path} in the mail to ${address}: `);
  terminal.close();
  return token;
};

const created = await latchkey.createUser({ body: { email: { address: former }, password: secret, visits: 3 } });
const moved = await latchkey.patchUser({
  query: { email: former },
  headers: { 'Accept-Language': 'de' },
  body: { email: { address } },
});
const link = { email: former, token: await tokenOf('/change', address) };
const asking = await latchkey.showChange({ query: link });
const confirmed = await latchkey.confirmChange({ query: link });
const changed = await latchkey.showChanged();

await latchkey.patchUser({ query: { email: address }, body: { email: { address: other } } });
const notice = { email: address, token: await tokenOf('/change/cancel', address) };
const cancelling = await latchkey.showCancellation({ query: notice });
const cancelled = await latchkey.cancelChange({ query: notice });
const kept = await latchkey.showCancelled();

const read = await latchkey.getUser({ query: { email: address } });
const deleted = await latchkey.deleteUser({ query: { email: address } });
const printed = {
  visits: created.data?.visits,
  pending: moved.data?.email.pending,
  confirmed: confirmed.response?.status,
  cancelled: cancelled.response?.status,
  pages: [asking, changed, cancelling, kept].filter(({ data }) => data?.includes('<html')).length,
  address: read.data?.email.address,
  deleted: deleted.response?.status,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
