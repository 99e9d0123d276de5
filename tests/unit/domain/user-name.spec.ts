import { expect } from 'chai';
import { asProperties } from '../../../adapters/kit/user-json/user-writer.ts';
import { uniqueProperty } from '../../../domain/property-folding.ts';
import { type User, UserId } from '../../../domain/user.ts';
import {
  idIn,
  nameOfMailbox,
  namesAfter,
  namesOf,
  presentId,
  propertyIn,
  uniqueErrors,
} from '../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { leftOf, rightOf } from '../../../sdk/contract/outcomes.ts';

const idOf = (id: string): UserId => {
  if (!UserId.is(id)) throw new TypeError(id);
  return id;
};

const unique = [uniqueProperty('username', 'string', 'username'), uniqueProperty('number', 'integer', 'exact')];
const withProperties = (properties: object, id?: string): User => ({
  ...userOf('jane@example.com', {}),
  properties: asProperties(JSON.stringify(properties)),
  ...(id !== undefined && { id: idOf(id) }),
});

describe('the names of a user', () => {
  it('are those of the id and of the unique properties with a value that can be compared', () => {
    const user = withProperties({ username: 'Jane', number: 7, other: 'x' }, 'u1');
    expect(namesOf(user, unique)).to.eql(['id u1', 'property username jane', 'property number 7']);
    expect(namesOf(user, [])).to.eql(['id u1']);
    expect(namesOf(withProperties({ username: 'a b', number: 'x' }), unique)).to.eql([]);
  });

  it('encode the name of the property, so that no two properties share one', () => {
    const [name] = namesOf(withProperties({ 'a b': 'c' }), [uniqueProperty('a b', 'string', 'exact')]);
    expect(name).to.equal('property a%20b c');
    expect(name && propertyIn(name)).to.equal('a b');
  });

  it('change with their values only, and not because the configuration asks for more', () => {
    const before = withProperties({ username: 'jane', number: 7 });
    const change = (properties: object) =>
      namesAfter(namesOf(before, [unique[0]!]), before, withProperties(properties), unique);
    expect(change({ username: 'jane', number: 7, other: 1 })).to.eql(['property username jane']);
    expect(change({ username: 'joe', number: 7 })).to.eql(['property username joe']);
    expect(change({ username: 'jane', number: 8 })).to.have.members(['property username jane', 'property number 8']);
    expect(change({ number: 7 })).to.eql([]);
  });

  it('stay where another process has a property that is unique there, unless its value changes', () => {
    const before = withProperties({ username: 'Jane', number: 7 });
    const held = namesOf(before, unique);
    const change = (properties: object) => namesAfter(held, before, withProperties(properties), [unique[1]!]);
    expect(change({ username: 'Jane', number: 8 })).to.have.members(['property username jane', 'property number 8']);
    expect(change({ username: 'jane', number: 7 })).to.eql(['property number 7']);
    expect(change({ number: 7 })).to.eql(['property number 7']);
  });

  it('have the mailbox of a new user until the address moves to another one, whatever else changes', () => {
    const mailbox = nameOfMailbox(addressOf('Jane+news@example.com'));
    expect(mailbox).to.equal('property /mailbox jane@example.com');
    expect([idIn(mailbox), propertyIn(mailbox)]).to.eql([undefined, undefined]);
    const before = withProperties({ username: 'jane' });
    const held = [...namesOf(before, unique), mailbox];
    const moved = (address: string, properties = before.properties): User => {
      const { email } = userOf(address, {});
      return { ...before, email, properties };
    };
    const { properties } = withProperties({ username: 'joe', '/mailbox': 'x' });
    expect(namesAfter(held, before, moved('JANE+other@example.com'), unique)).to.equal(held);
    expect(namesAfter(held, before, moved('jane@example.com', properties), [])).to.eql([mailbox]);
    expect(namesAfter(held, before, moved('joe@example.com'), unique)).to.eql(['property username jane']);
    expect(namesAfter(held, before, moved('joe@example.com', properties), unique)).to.eql(['property username joe']);
  });

  it('stay if neither the id nor a property changes', () => {
    const before = withProperties({ username: 'jane' });
    const held = namesOf(withProperties({ username: 'former' }), unique);
    expect(namesAfter(held, before, { ...before, lastUpdateTime: 9 }, unique)).to.equal(held);
  });
});

describe('the errors of unique properties', () => {
  const pathsOf = (user: User, previous?: User) => uniqueErrors(user, unique, previous).map(({ path }) => path);

  it('name each property with a value that no user can have', () => {
    expect(pathsOf(withProperties({ username: 'a b', number: 'x' }))).to.eql(['username', 'number']);
    expect(pathsOf(withProperties({ username: 'ab' }))).to.eql([]);
    expect(uniqueErrors(withProperties({ username: 'a b' }), unique)[0]?.message).to.contain('RFC 8265');
  });

  it('leave out values that the user has already', () => {
    const before = withProperties({ username: 'a b', number: 7 });
    expect(pathsOf(withProperties({ username: 'a b', number: 8 }), before)).to.eql([]);
    expect(pathsOf(withProperties({ username: 'a c', number: 7 }), before)).to.eql(['username']);
  });
});

describe('the id of a user', () => {
  it('is the stored one, or that of a custom property from before', () => {
    expect(rightOf(presentId(withProperties({})))).to.equal(undefined);
    expect(rightOf(presentId(withProperties({ id: null })))).to.equal(undefined);
    expect(rightOf(presentId(withProperties({}, 'u1')))).to.equal('u1');
    expect(rightOf(presentId(withProperties({ id: 'a:1' })))).to.equal('a:1');
    expect(rightOf(presentId(withProperties({ id: -17 })))).to.equal('-17');
    expect(rightOf(presentId(withProperties({ id: 'u1' }, 'u1')))).to.equal('u1');
  });

  it('is no property with another kind of value, or with another one than the id', () => {
    for (const id of ['', 'a b', 'x'.repeat(65), '..', 1.5, 2 ** 60, true, {}, ['a']])
      expect(leftOf(presentId(withProperties({ id }))).errors?.[0]?.path, JSON.stringify(id)).to.equal('id');
    expect(leftOf(presentId(withProperties({ id: 'u2' }, 'u1'))).errors).to.eql([
      { path: 'id', message: 'differs from the id that the user has' },
    ]);
  });
});
