import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { auth0 } from '../../../../adapters/import-formats/auth0.ts';
import { firebase } from '../../../../adapters/import-formats/firebase.ts';
import type { ImportFormat } from '../../../../adapters/import-formats/import-format.ts';
import { supabase } from '../../../../adapters/import-formats/supabase.ts';
import { userIn } from '../../../../adapters/json-lines/user-line.ts';

/** When the user of a record last signed in, as it is imported. */
const importedFrom = (format: ImportFormat, others: object): number | undefined => {
  const record = format.read(Buffer.from(JSON.stringify({ email: 'jane@example.com', ...others })), 0);
  if (isLeft(record)) throw new Error(JSON.stringify(record.left));
  expect(record.right.leftOut).to.deep.equal(['password']);
  const user = userIn(Buffer.from(record.right.line('a hash')), 1);
  if (isLeft(user)) throw new Error(JSON.stringify(user.left));
  return user.right.lastCheckTime;
};

describe('the last sign-in of an imported user', () => {
  const time = 1_700_000_000_123;
  const iso = new Date(time).toISOString();
  const cases: readonly (readonly [string, ImportFormat, object])[] = [
    ['last_login of Auth0', auth0, { last_login: iso }],
    ['lastSignedInAt of Firebase', firebase, { lastSignedInAt: String(time) }],
    ['lastLoginAt of Firebase', firebase, { lastLoginAt: String(time) }],
    ['last_sign_in_at of Supabase', supabase, { last_sign_in_at: iso.replace('T', ' ').replace('Z', '+00') }],
  ];
  for (const [name, format, members] of cases)
    it(`is kept: ${name}`, () => {
      expect(importedFrom(format, members)).to.equal(time);
      expect(importedFrom(format, {})).to.equal(undefined);
    });
});
