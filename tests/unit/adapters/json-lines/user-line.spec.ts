import { expect } from 'chai';
import * as fc from 'fast-check';
import { isRight } from 'fp-ts/lib/Either.js';
import { lineOf, userIn } from '../../../../adapters/json-lines/user-line.ts';
import { readJsonObject } from '../../../../adapters/kit/exact-json.ts';
import { userJson } from '../../../../adapters/kit/user-json.ts';
import { usersOfEveryField } from '../../../../sdk/contract/arbitraries.ts';
import { edgeCaseUsers } from '../../../../sdk/contract/edge-case-users.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { token, verified } from '../../../support/users.ts';

const read = (line: string) => userIn(Buffer.from(line), 5);
const jane = { email: { address: 'jane@example.com' }, password: 'secret' };

describe('the line of a user', () => {
  for (const [what, user] of Object.entries(edgeCaseUsers))
    it(`round-trips: ${what}`, () => {
      expect(lineOf(user)).not.to.include('\n');
      expect(rightOf(read(lineOf(user)))).to.deep.equal(user);
    });

  it('round-trips for any user, with every field of the list', () =>
    fc.assert(
      fc.property(usersOfEveryField, (user) => {
        // Stores keep some properties that no request could have sent.
        fc.pre(isRight(readJsonObject(user.properties)));
        expect(rightOf(read(lineOf(user)))).to.deep.equal(user);
      }),
    ));

  it('is the JSON of responses with the times first that these omit', () => {
    const user = { ...verified, email: { ...verified.email, tokenTime: 1, mailTime: 2 } };
    expect(lineOf(verified)).to.equal(userJson(verified));
    expect(lineOf(user)).to.equal(
      `{"email":{"tokenTime":1,"mailTime":2,"address":"jane@example.com","verified":true,"verificationToken":"${token}"},` +
        '"password":"a stored password","creationTime":1700000000000,"lastUpdateTime":1700000000000,"a":1}',
    );
  });

  it('may lack the verification and the times', () => {
    expect(rightOf(read(JSON.stringify(jane)))).to.deep.equal({
      email: { address: 'jane@example.com', verified: false, verificationToken: null },
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

  it('is refused with every error and without values', () => {
    const wrong = {
      email: { address: 'not an address', verified: 'no', verificationToken: 1, tokenTime: -1 },
      password: '',
      creationTime: 1.5,
      lastUpdateTime: '2020-01-01',
    };
    expect(leftOf(read(JSON.stringify(wrong)))).to.deep.equal({
      code: 'invalid_body',
      errors: [
        { path: 'email.address', message: 'must be a valid email address' },
        { path: 'email.verified', message: 'must be true or false' },
        { path: 'email.verificationToken', message: 'must be a string or null' },
        { path: 'email.tokenTime', message: 'must be whole milliseconds since the epoch' },
        { path: 'password', message: 'must be a non-empty string' },
        { path: 'creationTime', message: 'must be whole milliseconds since the epoch' },
        { path: 'lastUpdateTime', message: 'must be whole milliseconds since the epoch' },
      ],
    });
    expect(leftOf(read('{}')).errors.map(({ path }) => path)).to.have.members(['email', 'password']);
  });

  it('is refused with unknown members of email', () => {
    const misspelt = { ...jane, email: { ...jane.email, Verified: true, verificationTime: 1 } };
    expect(leftOf(read(JSON.stringify(misspelt)))).to.deep.equal({
      code: 'invalid_body',
      errors: [
        { path: 'email.Verified', message: 'is not a member of email' },
        { path: 'email.verificationTime', message: 'is not a member of email' },
      ],
    });
  });

  it('is refused if it is no JSON object that can be kept exactly', () => {
    for (const line of ['', 'a', '[]', '{"a":1,"a":2}', `{"n":${2 ** 60}}`, '{"__proto__":1}', `${'['.repeat(99)}`])
      expect(leftOf(read(line)).code, line).to.equal('invalid_json');
    expect(leftOf(userIn(Buffer.from([0x7b, 0xff, 0x7d]), 0)).code).to.equal('invalid_json');
  });
});
