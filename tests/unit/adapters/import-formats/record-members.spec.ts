import { expect } from 'chai';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { auth0 } from '../../../../adapters/import-formats/auth0.ts';
import { documents } from '../../../../adapters/import-formats/documents.ts';
import { keycloak } from '../../../../adapters/import-formats/keycloak.ts';
import { kratos } from '../../../../adapters/import-formats/kratos.ts';
import { objectMember, optional, timeOf } from '../../../../adapters/import-formats/record-members.ts';
import { supabase } from '../../../../adapters/import-formats/supabase.ts';

/** The milliseconds of a member; undefined if it is not a time. */
const decoded = (value: unknown): number | null | undefined => {
  const time = optional.time.decode(value);
  return isRight(time) ? (timeOf(time.right) ?? null) : undefined;
};

describe('times in exports', () => {
  const times: readonly (readonly [unknown, number | null | undefined])[] = [
    [1700000000123, 1700000000123],
    ['1700000000123', 1700000000123],
    ['2023-11-14T22:13:20.123Z', 1700000000123],
    ['2023-11-14T22:13:20.123456789Z', 1700000000123],
    ['2023-11-14 22:13:20.123456+00', 1700000000123],
    ['2023-11-15 03:43:20.123+05:30', 1700000000123],
    ['2023-11-14 16:13:20.123-06', 1700000000123],
    ['2023-11-14 22:13:20+00', 1700000000000],
    ['infinity', null],
    ['-infinity', null],
    ['10000-01-01 00:00:00+00', 253402300800000],
    ['294276-12-31 23:59:59+00', null],
    ['0044-03-15 00:00:00+00 BC', null],
    ['0001-01-01T00:00:00Z', null],
    [-1, null],
    [null, null],
    [undefined, null],
    ['yesterday', undefined],
    ['Infinity', undefined],
    ['', undefined],
    [1.5, undefined],
    [true, undefined],
  ];
  for (const [value, expected] of times)
    it(`${JSON.stringify(value)} is ${expected === undefined ? 'malformed' : expected}`, () => {
      expect(decoded(value)).to.equal(expected);
    });
});

describe('yes or no in exports', () => {
  const email = 'jane@example.com';
  const identity = (verified: unknown) => ({ verifiable_addresses: [{ value: email, via: 'email', verified }] });
  const document = (verified: unknown) => ({ document: JSON.stringify({ email: { address: email, verified } }) });
  const cases = [
    ['email_verified of Auth0', auth0, (flag: unknown) => ({ email, email_verified: flag })],
    ['blocked of Auth0', auth0, (flag: unknown) => ({ email, blocked: flag })],
    ['emailVerified of Keycloak', keycloak, (flag: unknown) => ({ email, emailVerified: flag })],
    ['enabled of Keycloak', keycloak, (flag: unknown) => ({ email, enabled: flag })],
    ['verified of Ory Kratos', kratos, identity],
    ['verified of documents', documents, document],
  ] as const;
  for (const [name, format, recordWith] of cases)
    it(`may be texts: ${name}`, () => {
      const line = (flag: unknown) => {
        const record = format.read(Buffer.from(JSON.stringify(recordWith(flag))), 0);
        return isRight(record) ? record.right.line('hash') : record.left;
      };
      expect(line('true')).to.equal(line(true)).and.not.equal(line(false));
      expect(line('false')).to.equal(line(false));
    });
});

describe('a user of Supabase', () => {
  const end = Date.UTC(2030, 0);
  const stateUntil = (banned_until: unknown, now = end - 1) => {
    const record = supabase.read(Buffer.from(JSON.stringify({ email: 'a@example.com', banned_until })), now);
    if (isLeft(record)) throw new Error(JSON.stringify(record.left));
    const { disabledTime, disabledUntil } = JSON.parse(record.right.line('hash')).email;
    return [disabledTime !== undefined, disabledUntil];
  };

  it('stays banned for ever, or until a time, and only then', () => {
    for (const ever of ['infinity', '294276-12-31 23:59:59+00'])
      expect(stateUntil(ever)).to.deep.equal([true, undefined]);
    expect(stateUntil('2030-01-01 00:00:00+00')).to.deep.equal([true, end]);
    expect(stateUntil('2030-01-01 00:00:00+00', end)).to.deep.equal([false, undefined]);
    for (const past of ['-infinity', '2020-01-01 00:00:00+00', '0001-01-01 00:00:00+00', null])
      expect(stateUntil(past)).to.deep.equal([false, undefined]);
  });
});

describe('an object in the text of an export', () => {
  it('keeps its numbers as they are written', () => {
    expect(objectMember('a', '{ "n": 1.0, "e": 1e2, "email": "x" }', ['email'])).to.deep.equal([
      '"a":{"n":1.0,"e":1e2}',
    ]);
  });

  it('is left out if it is empty, and reported if it is none', () => {
    expect(objectMember('a', '{}')).to.deep.equal([]);
    expect(objectMember('a', null)).to.deep.equal([]);
    for (const text of ['[1]', 'words', '{"n":12345678901234567890}', '{"a":1,"a":2}'])
      expect(objectMember('a', text), text).to.deep.equal([undefined]);
  });
});

describe('a digest of an algorithm that only the other system has', () => {
  it('is not taken for the SHA-256 digest that it looks like', () => {
    const credential = {
      type: 'password',
      secretData: JSON.stringify({ value: 'ab'.repeat(32), salt: '' }),
      credentialData: JSON.stringify({ algorithm: 'sha3-256', hashIterations: 1 }),
    };
    const user = keycloak.read(Buffer.from(JSON.stringify({ email: 'a@example.com', credentials: [credential] })), 0);
    expect(isRight(user) && user.right.password).to.equal('unreadable credential');
  });
});

describe('a document of an older server', () => {
  const leftOutOf = (user: object): readonly string[] => {
    const document = JSON.stringify({ password: 'hash', ...user });
    const read = documents.read(Buffer.from(JSON.stringify({ document, creation_time: 1, update_time: 2 })), 0);
    return isRight(read) ? read.right.leftOut : ['unread'];
  };

  it('reports members that Latchkey does not have', () => {
    const email = { address: 'a@example.com', verified: true, verificationToken: null };
    expect(leftOutOf({ email, properties: { name: 'Ada' }, lastUpdateTime: 2 })).to.deep.equal([]);
    expect(leftOutOf({ email, phone: '+15555550100' })).to.deep.equal(['other_members.document.phone']);
    expect(leftOutOf({ email: { ...email, alias: 'b@example.com' } })).to.deep.equal([
      'other_members.document.email.alias',
    ]);
  });
});
