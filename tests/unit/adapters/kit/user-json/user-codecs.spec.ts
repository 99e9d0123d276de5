import { expect } from 'chai';
import * as fc from 'fast-check';
import { decodeNewUser } from '../../../../../adapters/http/api/accounts/create-user-route.ts';
import { decodeUserUpdate } from '../../../../../adapters/http/api/accounts/user-routes.ts';
import { lineOf } from '../../../../../adapters/json-lines/user-line.ts';
import { readJsonObject } from '../../../../../adapters/kit/exact-json.ts';
import { userLimits } from '../../../../../adapters/kit/user-json/user-codecs.ts';
import {
  asProperties,
  noProperties,
  userJson,
  userJsonWithoutPassword,
} from '../../../../../adapters/kit/user-json/user-writer.ts';
import type { User } from '../../../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../../../domain/user-fields.ts';
import { maxUserBytes } from '../../../../../domain/user-limits.ts';
import { users, usersOfEveryField } from '../../../../../sdk/contract/arbitraries.ts';
import { leftOf, rightOf } from '../../../../../sdk/contract/outcomes.ts';
import { fresh, verified } from '../../../../support/users.ts';

const fields: readonly UserField[] = userFields;

describe('the JSON of a user', () => {
  it('lists the fixed fields, then the properties in the order in which they were sent', () => {
    const user = { ...fresh, properties: asProperties('{"z":1,"a":[1,{"b":null}]}') };
    const timed = { ...user, passwordTime: 1, email: { ...user.email, mailTime: 2 } };
    expect(userJson(timed)).to.equal(userJson(user));
    expect(userJson(user)).to.equal(
      '{"email":{"address":"jane@example.com","verified":false,"verificationToken":null},"password":"a stored password",' +
        '"creationTime":1700000000000,"lastUpdateTime":1700000000000,"z":1,"a":[1,{"b":null}]}',
    );
  });

  it('is JSON of exactly the user', () =>
    fc.assert(
      fc.property(users, (user) => {
        const { properties: own, email: of, ...times } = user;
        const { verified, token: verificationToken } = of.verification;
        const fixed = { ...times, email: { address: of.address, verified, verificationToken } };
        const { password: _, ...others } = fixed;
        expect(JSON.parse(userJson(user))).to.deep.equal({ ...fixed, ...JSON.parse(own) });
        expect(JSON.parse(userJsonWithoutPassword(user))).to.deep.equal({ ...others, ...JSON.parse(own) });
      }),
    ));

  it('has every field of the list that is not internal and has a value', () =>
    fc.assert(
      fc.property(usersOfEveryField, (user) => {
        const json = JSON.parse(userJson({ ...user, properties: noProperties }));
        const complete = JSON.parse(lineOf({ ...user, properties: noProperties }));
        for (const field of fields) {
          if (field.kind === 'properties') continue;
          const at = field.in === 'email' ? ['email', field.name] : [field.name];
          const memberIn = (object: unknown) => at.reduce<unknown>((owner, name) => Object(owner)[name], object);
          expect(memberIn(complete), field.name).to.equal(field.name === 'keptTag' ? undefined : fieldOf(user, field));
          expect(memberIn(json), field.name).to.equal(field.isInternal ? undefined : fieldOf(user, field));
        }
      }),
    ));
});

describe('the limits of a user', () => {
  const filled = (size: number, filler: string): User => {
    const rest = Buffer.byteLength(userJson({ ...verified, properties: asProperties('{"p":""}') }));
    const count = Math.floor((size - rest) / Buffer.byteLength(filler));
    const padding = 'x'.repeat(size - rest - count * Buffer.byteLength(filler));
    return { ...verified, properties: asProperties(`{"p":"${filler.repeat(count)}${padding}"}`) };
  };
  const { checkProperties, checkSize } = userLimits();

  for (const filler of ['x', 'é', '漢', '🔑']) {
    it(`allow at most 350 KiB of UTF-8, here of ${filler}`, () => {
      for (const [size, tag] of [
        [349 * 1024, 'Right'],
        [maxUserBytes, 'Right'],
        [maxUserBytes + 1, 'Left'],
        [351 * 1024, 'Left'],
      ] as const) {
        const user = filled(size, filler);
        expect(Buffer.byteLength(userJson(user))).to.equal(size);
        const checked = checkSize(user);
        expect(checked._tag, `${size}`).to.equal(tag);
        if (checked._tag === 'Left') expect(checked.left).to.deep.equal({ code: 'user_too_large' });
        else expect(checked.right).to.equal(user);
      }
    });
  }

  it('count escaped characters in every text member', () => {
    const escaped = '\0'.repeat(Math.ceil(maxUserBytes / 6));
    for (const user of [
      { ...verified, password: escaped },
      { ...verified, email: { ...verified.email, verification: { verified: true, token: escaped } } },
    ])
      expect(leftOf(checkSize(user))).to.deep.equal({ code: 'user_too_large' });
  });

  it('allow every small user, without a false bound', () =>
    fc.assert(fc.property(users, (user) => rightOf(checkSize(user)) === user)));

  it('refuse properties that are too large by themselves', () => {
    rightOf(checkProperties(asProperties(`{"p":"${'x'.repeat(maxUserBytes - 8)}"}`)));
    expect(leftOf(checkProperties(asProperties(`{"p":"${'x'.repeat(maxUserBytes - 7)}"}`)))).to.deep.equal({
      code: 'user_too_large',
    });
  });

  it('refuse properties that break the configured rules', () => {
    const { checkProperties: check } = userLimits({ allowSubset: true, allowSuperset: false, allowed: [] });
    rightOf(check(noProperties));
    expect(leftOf(check(asProperties('{"a":1}')))).to.deep.equal({
      code: 'invalid_properties',
      errors: [{ path: 'a', message: 'is not an allowed property' }],
    });
  });
});

describe('custom properties', () => {
  it('are the text of an object', () => {
    expect(asProperties('{"a":1}')).to.equal('{"a":1}');
    expect(() => asProperties('[]')).to.throw(TypeError);
  });
});

describe('the body of a request', () => {
  const object = (text: string) => rightOf(readJsonObject(text));

  it('of a create is an address, a password and custom properties; the verification is ignored', () => {
    const body =
      '{ "email": {"address":"Jane@example.com","verified":true}, "n": 1.10, "password":"p", "creationTime":1 }';
    expect(rightOf(decodeNewUser(object(body)))).to.deep.equal({
      address: 'Jane@example.com',
      password: 'p',
      properties: '{"n":1.10}',
    });
  });

  it('of an update may set the verification, and may lack the password', () => {
    const email = { address: 'jane@example.com', verified: true, verificationToken: null };
    expect(rightOf(decodeUserUpdate(object(JSON.stringify({ email }))))).to.deep.equal({
      update: { ...email, properties: noProperties },
      newPassword: undefined,
    });
  });

  it('is refused with an error for each field and without values', () => {
    for (const decode of [decodeNewUser, decodeUserUpdate])
      expect(
        leftOf(decode(object('{"email":{"address":"a secret","verified":"a secret","tokenTime":1},"password":""}'))),
      ).to.deep.equal([
        { path: 'email.address', message: 'must be a valid email address' },
        { path: 'email.verified', message: 'must be true or false' },
        { path: 'password', message: 'must be a non-empty string' },
        { path: 'email.tokenTime', message: 'is not a member of email' },
      ]);
    expect(leftOf(decodeNewUser(object('{"email":"a secret"}')))).to.deep.equal([
      { path: 'email', message: 'must be an object' },
      { path: 'password', message: 'is required' },
    ]);
    expect(leftOf(decodeUserUpdate(object('{}')))).to.deep.equal([{ path: 'email', message: 'is required' }]);
  });
});
