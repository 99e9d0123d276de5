import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { documents } from '../../../../adapters/import-formats/documents.ts';
import { keycloak } from '../../../../adapters/import-formats/keycloak.ts';
import { objectMember, optional, timeOf } from '../../../../adapters/import-formats/record-members.ts';

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
    [null, null],
    [undefined, null],
    ['yesterday', undefined],
    ['', undefined],
    [1.5, undefined],
    [true, undefined],
  ];
  for (const [value, expected] of times)
    it(`${JSON.stringify(value)} is ${expected === undefined ? 'malformed' : expected}`, () => {
      expect(decoded(value)).to.equal(expected);
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
    const user = keycloak.read(Buffer.from(JSON.stringify({ email: 'a@example.com', credentials: [credential] })));
    expect(isRight(user) && user.right.password).to.equal('unreadable credential');
  });
});

describe('a document of an older server', () => {
  const leftOutOf = (user: object): readonly string[] => {
    const document = JSON.stringify({ password: 'hash', ...user });
    const read = documents.read(Buffer.from(JSON.stringify({ document, creation_time: 1, update_time: 2 })));
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
