import { Readable } from 'node:stream';
import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { auth0 } from '../../../../adapters/import-formats/auth0.ts';
import { documents } from '../../../../adapters/import-formats/documents.ts';
import { firebase } from '../../../../adapters/import-formats/firebase.ts';
import type { ImportFormat } from '../../../../adapters/import-formats/import-format.ts';
import { keycloak } from '../../../../adapters/import-formats/keycloak.ts';
import { kratos } from '../../../../adapters/import-formats/kratos.ts';
import { supabase } from '../../../../adapters/import-formats/supabase.ts';

const email = 'jane@example.com';

/** What the records of a file leave out, besides the missing password. */
const leftOutOf = async (format: ImportFormat, file: string): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const { content } of format.records(Readable.from([Buffer.from(file)]))) {
    const read = format.read(content ?? Buffer.alloc(0), 0);
    if (isLeft(read)) throw new Error(JSON.stringify(read.left));
    names.push(...read.right.leftOut);
  }
  return names.filter((name) => name !== 'password');
};

const document = (others: object = {}) => JSON.stringify({ email: { address: email }, ...others });

/** A record of each system with members that are carried over or mean nothing, and with others. */
const records: Readonly<Record<string, readonly [ImportFormat, object, object, readonly string[]]>> = {
  auth0: [
    auth0,
    { _id: { $oid: 'aa' }, email, name: 'Jane', blocked: false, logins_count: 0 },
    { last_ip: '192.0.2.1', tenant: 'shop', identifiers: [{ type: 'phone_number', value: '+15555550100' }] },
    ['other_addresses', 'other_members.last_ip', 'other_members.tenant'],
  ],
  firebase: [
    firebase,
    { localId: 'a', email, disabled: false, displayName: 'Jane' },
    { tenantId: 'shop', validSince: '1700000000', githubName: 'jane' },
    ['linked_accounts', 'other_members.tenantId', 'other_members.validSince'],
  ],
  keycloak: [
    keycloak,
    { id: 'a', username: email, email, totp: false, notBefore: 0, disableableCredentialTypes: [], groups: [] },
    { clientConsents: [{ clientId: 'shop' }], notBefore: 1700000000, totp: true },
    ['second_factors', 'other_members.clientConsents', 'other_members.notBefore'],
  ],
  kratos: [
    kratos,
    { id: 'a', traits: { email }, credentials: { password: {} }, recovery_addresses: [{ value: email, via: 'email' }] },
    { schema_id: 'default', credentials: { code: { type: 'code' } }, recovery_addresses: [{ value: 'j@example.org' }] },
    ['other_addresses', 'other_members.schema_id', 'other_members.credentials.code'],
  ],
  supabase: [
    supabase,
    { id: 'a', email, aud: 'authenticated', is_anonymous: false, email_change_confirm_status: 0, confirmed_at: null },
    { aud: 'shop', invited_at: '2024-05-31 10:20:30.5+00', is_sso_user: true, phone_change_token: 'b' },
    ['linked_accounts', 'outstanding_tokens', 'other_members.invited_at', 'other_members.aud'],
  ],
  documents: [
    documents,
    { _id: 'a', id: 'b', version: 'c', document: document({ properties: { a: 1 } }) },
    { document: document({ phone: '+15555550100', email: { address: email, alias: 'b@example.com' } }), shard: 'd' },
    ['other_members.shard', 'other_members.document.phone', 'other_members.document.email.alias'],
  ],
};

describe('members of other systems that are not carried over', () => {
  for (const [system, [format, known, others, names]] of Object.entries(records))
    it(`are told by their names, and only if they have a value: ${system}`, async () => {
      expect(await leftOutOf(format, JSON.stringify([known]))).to.deep.equal([]);
      expect(await leftOutOf(format, JSON.stringify([{ ...known, ...others }]))).to.have.members(names);
    });

  it('are not told by a name that may be a value', async () => {
    const others = { 'joe@example.com': 1, 'a name': 1, ['x'.repeat(101)]: 1, fine: 1 };
    expect(await leftOutOf(auth0, JSON.stringify([{ email, ...others }]))).to.deep.equal([
      'other_members',
      'other_members.fine',
    ]);
  });

  it('are told in comma-separated values by the name of their column, or by its number', async () => {
    const table =
      'id,email,is_anonymous,is_sso_user,shoe_size,\na,jane@example.com,f,f,,\nb,joe@example.com,t,f,43,more\n';
    expect(await leftOutOf(supabase, table)).to.deep.equal([
      'other_members.is_anonymous',
      'other_members.shoe_size',
      'other_members.column_6',
    ]);
  });

  it('do not include addresses in a list of Kratos, which is a custom property', async () => {
    const read = kratos.read(
      Buffer.from(
        JSON.stringify({ id: 'a', traits: { email: [email] }, verifiable_addresses: [{ value: email, via: 'email' }] }),
      ),
      0,
    );
    if (isLeft(read)) throw new Error('not read');
    expect(read.right.line('x')).to.include(`"traits":{"email":["${email}"]}`);
  });
});
