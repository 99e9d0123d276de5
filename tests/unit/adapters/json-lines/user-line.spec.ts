import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { isRight } from 'fp-ts/lib/Either.js';
import { lineOf, userIn } from '../../../../adapters/json-lines/user-line.ts';
import { readJsonObject } from '../../../../adapters/kit/exact-json.ts';
import { assembleUser } from '../../../../adapters/kit/user-json/stored-user.ts';
import { userJson } from '../../../../adapters/kit/user-json/user-writer.ts';
import { withoutKeptTag } from '../../../../domain/entity-tag.ts';
import type { User } from '../../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../../domain/user-fields.ts';
import { maxImportedChangeTime, maxTime, maxUserBytes } from '../../../../domain/user-limits.ts';
import { usersOfEveryField } from '../../../../sdk/contract/arbitraries.ts';
import { edgeCaseUsers } from '../../../../sdk/contract/edge-case-users.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { token, verified } from '../../../support/users.ts';

const read = (line: string) => userIn(Buffer.from(line), 5);
const jane = { email: { address: 'jane@example.com' }, password: 'secret' };
const wrongTime = 'must be whole milliseconds since the epoch, at most 8640000000000000';
const wrongChangeTime = 'must be whole milliseconds since the epoch, at most 8000000000000000';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** A user whose fields have values that the service stores; stores keep any others of the same types. */
const asStored = (user: User): User => {
  const values = userFields.map((field: UserField) => {
    const value = fieldOf(user, field) ?? null;
    if (typeof value === 'number') return Math.min(value, field.in === 'user' ? maxImportedChangeTime : maxTime);
    if (typeof value !== 'string' || field.isInternal !== true || field.kind !== 'text') return value;
    return field.name === 'disabledReason' ? `ticket ${value}` : digestOf(value);
  });
  return assembleUser(values);
};

describe('the line of a user', () => {
  for (const [what, user] of Object.entries(edgeCaseUsers).map(([name, each]) => [name, asStored(each)] as const))
    it(`round-trips: ${what}`, () => {
      expect(lineOf(user)).not.to.include('\n');
      expect(rightOf(read(lineOf(user)))).to.deep.equal(user);
    });

  it('round-trips for any user, with every field of the list but the entity tag, which an import renews', () =>
    fc.assert(
      fc.property(usersOfEveryField.map(asStored), (user) => {
        // Stores keep some properties that no request could have sent.
        fc.pre(isRight(readJsonObject(user.properties)));
        expect(rightOf(read(lineOf(user)))).to.deep.equal(withoutKeptTag(user));
      }),
    ));

  it('is the JSON of responses with the times first that these omit', () => {
    const verification = { verified: true, token, tokenTime: 1 };
    const user = { ...verified, email: { ...verified.email, verification, mailTime: 2 } };
    expect(lineOf(verified)).to.equal(userJson(verified));
    expect(lineOf(user)).to.equal(
      `{"email":{"tokenTime":1,"mailTime":2,"address":"jane@example.com","verified":true,"verificationToken":"${token}"},` +
        '"password":"a stored password","creationTime":1700000000000,"lastUpdateTime":1700000000000,"a":1}',
    );
  });

  it('may lack the verification and the times', () => {
    expect(rightOf(read(JSON.stringify(jane)))).to.deep.equal({
      email: { address: 'jane@example.com', verification: { verified: false, token: null } },
      password: 'secret',
      creationTime: 5,
      lastUpdateTime: 5,
      properties: '{}',
    });
    expect(rightOf(read(JSON.stringify({ ...jane, creationTime: 3 })))).to.include({
      creationTime: 3,
      lastUpdateTime: 3,
    });
  });

  it('is refused with every error, the address and no other value', () => {
    const wrong = {
      email: { address: 'not an address', verified: 'no', verificationToken: 1, tokenTime: -1 },
      password: '',
      creationTime: 1.5,
      lastUpdateTime: '2020-01-01',
    };
    expect(leftOf(read(JSON.stringify(wrong)))).to.deep.equal({
      code: 'invalid_body',
      address: 'not an address',
      errors: [
        { path: 'email.address', message: 'must be a valid email address' },
        { path: 'email.verified', message: 'must be true or false' },
        { path: 'email.verificationToken', message: 'must be a string or null' },
        { path: 'email.tokenTime', message: wrongTime },
        { path: 'password', message: 'must be a non-empty string' },
        { path: 'creationTime', message: wrongChangeTime },
        { path: 'lastUpdateTime', message: wrongChangeTime },
      ],
    });
    expect(leftOf(read('{}')).errors.map(({ path }) => path)).to.have.members(['email', 'password']);
  });

  it('is refused with a state that no administrator could set', () => {
    const wrongReason = 'must be a text of 1 to 500 characters';
    const needed = 'is required with disabledUntil and disabledReason';
    const states: readonly (readonly [email: object, path: string, message: string])[] = [
      [{ disabledTime: 1, disabledReason: 'x'.repeat(501) }, 'disabledReason', wrongReason],
      [{ disabledTime: 1, disabledReason: ' ' }, 'disabledReason', wrongReason],
      [{ disabledTime: 1, disabledUntil: maxTime + 1 }, 'disabledUntil', wrongTime],
      [{ changeRequiredTime: maxTime + 1 }, 'changeRequiredTime', wrongTime],
      [{ disabledUntil: 1 }, 'disabledTime', needed],
      [{ disabledReason: 'ticket' }, 'disabledTime', needed],
    ];
    for (const [email, path, message] of states)
      expect(leftOf(read(JSON.stringify({ ...jane, email: { ...jane.email, ...email } }))), path).to.deep.equal({
        code: 'invalid_body',
        address: 'jane@example.com',
        errors: [{ path: `email.${path}`, message }],
      });
    const disabled = { ...jane.email, disabledTime: 1, disabledUntil: maxTime, disabledReason: 'x'.repeat(500) };
    const { disabledUntil: until, disabledReason: reason } = disabled;
    const imported = rightOf(read(JSON.stringify({ ...jane, email: disabled })));
    expect(imported.disablement).to.deep.equal({ since: 1, until, reason });
  });

  it('is refused with unknown members of email', () => {
    const misspelt = { ...jane, email: { ...jane.email, Verified: true, verificationTime: 1 } };
    expect(leftOf(read(JSON.stringify(misspelt)))).to.deep.equal({
      code: 'invalid_body',
      address: 'jane@example.com',
      errors: [
        { path: 'email.Verified', message: 'is not a member of email' },
        { path: 'email.verificationTime', message: 'is not a member of email' },
      ],
    });
  });

  it('is refused if the custom properties alone are larger than a user may be', () => {
    for (const [length, code] of [
      [maxUserBytes, 'user_too_large'],
      [maxUserBytes / 2, undefined],
    ] as const) {
      const line = read(JSON.stringify({ ...jane, filler: 'x'.repeat(length) }));
      expect(isRight(line) ? undefined : line.left.code).to.equal(code);
    }
  });

  it('is refused if it is no JSON object that can be kept exactly', () => {
    for (const line of ['', 'a', '[]', '{"a":1,"a":2}', `{"n":${2 ** 60}}`, '{"__proto__":1}', `${'['.repeat(99)}`])
      expect(leftOf(read(line)).code, line).to.equal('invalid_json');
    expect(leftOf(userIn(Buffer.from([0x7b, 0xff, 0x7d]), 0)).code).to.equal('invalid_json');
  });
});
