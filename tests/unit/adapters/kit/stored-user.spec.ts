import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  assembleUser,
  CustomProperties,
  changedProperties,
  hasFormat,
  UnreadableUser,
} from '../../../../adapters/kit/stored-user.ts';
import { asProperties } from '../../../../adapters/kit/user-json.ts';
import { fieldOf, type User, userFields } from '../../../../domain/user.ts';
import { userOf, usersOfEveryField } from '../../../../sdk/contract/arbitraries.ts';

const valuesOf = (user: User): unknown[] => userFields.map((field) => fieldOf(user, field) ?? null);

describe('a user that is assembled from stored values', () => {
  it('is the user whose values they are', () => {
    fc.assert(fc.property(usersOfEveryField, (user) => void expect(assembleUser(valuesOf(user))).to.deep.equal(user)));
  });

  it('has every optional field that has a value', () => {
    const { email, ...user } = userOf('jane@example.com');
    const complete = { ...user, email: { ...email, verificationToken: 'token', tokenTime: 1, mailTime: 2 } };
    expect(assembleUser(valuesOf(complete))).to.deep.equal(complete);
  });

  it('is refused with the names of the fields that have another type, and without their values', () => {
    const values = valuesOf(userOf('jane@example.com'));
    const changes: Readonly<Record<string, unknown>> = { verified: 'canary', password: null, creationTime: undefined };
    const changed = values.map((value, position) => {
      const name = userFields[position]?.name ?? '';
      return name in changes ? changes[name] : value;
    });
    expect(() => assembleUser(changed)).to.throw(
      UnreadableUser,
      'a stored user has no readable verified, password, creationTime',
    );
  });
});

describe('changed custom properties', () => {
  const changed = (previous: string, next: string) => changedProperties(asProperties(previous), asProperties(next));

  it('are those that were added, removed or written differently', () => {
    expect(changed('{}', '{"a":1}')).to.deep.equal(['a']);
    expect(changed('{"a":1,"b":{"c":[1]}}', '{"b":{"c":[1]}}')).to.deep.equal(['a']);
    expect(changed('{"a":1,"b":{"c":[1]}}', '{"a":1,"b":{"c":[2]}}')).to.deep.equal(['b']);
    expect(changed('{"a":1}', '{"a":1.0}')).to.deep.equal(['a']);
    expect(changed('{"a":null}', '{}')).to.deep.equal(['a']);
    expect(changed('{"a \\" b":1}', '{"a \\" b":2}')).to.deep.equal(['a " b']);
    expect(changed('{"constructor":1}', '{}')).to.deep.equal(['constructor']);
  });

  it('are none if only their order differs', () => {
    expect(changed('{"a":1,"b":2}', '{"b":2,"a":1}')).to.deep.equal([]);
    expect(changed('{"a":1}', '{"a":1}')).to.deep.equal([]);
  });

  it('are all of them if the other text can no longer be read', () => {
    expect(changed('{"a":}', '{"b":2}')).to.deep.equal(['b']);
  });
});

describe('stored custom properties', () => {
  it('are the text of an object', () => {
    expect(CustomProperties.is('{"a":1}')).to.equal(true);
    expect(CustomProperties.decode('{"a":1}')).to.have.property('right', '{"a":1}');
    for (const other of ['[]', '"{}"', 'null', '', 1, {}]) {
      expect(CustomProperties.is(other)).to.equal(false);
      expect(CustomProperties.decode(other)).to.have.property('_tag', 'Left');
    }
  });
});

describe('the format of a stored value', () => {
  it('is checked for addresses and properties only', () => {
    expect(hasFormat('address', 'jane@example.com')).to.equal(true);
    expect(hasFormat('address', 'jane')).to.equal(false);
    expect(hasFormat('properties', '{}')).to.equal(true);
    expect(hasFormat('properties', '[]')).to.equal(false);
    expect(hasFormat('text', '')).to.equal(true);
  });
});
