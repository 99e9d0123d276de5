// Uses a client of the administration that @hey-api/openapi-ts generated, and prints what the service answered.
import { client } from './client/client.gen.ts';
import * as latchkey from './client/index.ts';

const address = 'administered@example.com';

client.setConfig({ baseUrl: String(process.env.LATCHKEY_ADMIN_URL), auth: String(process.env.LATCHKEY_ADMIN_KEY) });
const path = { address };

const present = <Value,>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the service refused a request');
  return value;
};

const listed = await latchkey.listUsers({ query: { addressContains: 'administered@' } });
const read = await latchkey.inspectUser({ path });
const disabled = await latchkey.disableUser({ path, body: { reason: 'a test' } });
const enabled = await latchkey.enableUser({ path });
const set = await latchkey.setPassword({ path, body: { password: 'pässwörd' } });
const { error: stale } = await latchkey.enableUser({ path, headers: { 'If-Match': '"former"' } });
const { error: absent } = await latchkey.inspectUser({ path: { address: 'nobody@example.com' } });

const printed = {
  listed: present(listed.data).users.map(({ email }) => email.address),
  read: present(read.data).email.address,
  plan: present(read.data).plan,
  disabled: present(disabled.data).email.disabledReason,
  enabled: present(enabled.data).email.disabledTime === undefined,
  set: set.response?.status,
  stale: `${stale?.status} ${stale?.code}`,
  absent: `${absent?.status} ${absent?.code}`,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
