// Uses the types that openapi-typescript generated for the administration, and prints what the service answered.
import createClient from 'openapi-fetch';
import type { paths } from './openapi.ts';

const address = 'administered@example.com';

const client = createClient<paths>({
  baseUrl: String(process.env.LATCHKEY_ADMIN_URL),
  headers: { Authorization: `Basic ${btoa(String(process.env.LATCHKEY_ADMIN_KEY))}` },
});
const params = { path: { address } };

const present = <Value,>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the service refused a request');
  return value;
};

const listed = await client.GET('/admin/users', { params: { query: { addressContains: 'administered@' } } });
const read = await client.GET('/admin/users/{address}', { params });
const disabled = await client.POST('/admin/users/{address}/disable', { params, body: { reason: 'a test' } });
const enabled = await client.POST('/admin/users/{address}/enable', { params });
const set = await client.PUT('/admin/users/{address}/password', { params, body: { password: 'pässwörd' } });
const { error: stale } = await client.POST('/admin/users/{address}/enable', {
  params: { ...params, header: { 'If-Match': '"former"' } },
});
const { error: absent } = await client.GET('/admin/users/{address}', {
  params: { path: { address: 'nobody@example.com' } },
});

const printed = {
  listed: present(listed.data).users.map(({ email }) => email.address),
  read: present(read.data).email.address,
  plan: present(read.data).plan,
  disabled: present(disabled.data).email.disabledReason,
  enabled: present(enabled.data).email.disabledTime === undefined,
  set: set.response.status,
  stale: `${stale?.status} ${stale?.code}`,
  absent: `${absent?.status} ${absent?.code}`,
};
process.stdout.write(`${JSON.stringify(printed)}\n`);
