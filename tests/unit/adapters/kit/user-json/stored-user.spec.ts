import { expect } from 'chai';
import * as fc from 'fast-check';
import { assembleUser, CustomProperties, storedUser } from '../../../../../adapters/kit/user-json/stored-user.ts';
import { asProperties, userJson } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { Fault } from '../../../../../application/fault.ts';
import type { User } from '../../../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../../../domain/user-fields.ts';
import { properties, userOf, usersOfEveryField } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf, nameOf } from '../../../../../sdk/contract/named-users.ts';

const valuesOf = (user: User): unknown[] => userFields.map((field) => fieldOf(user, field) ?? null);

describe('a user that is assembled from stored values', () => {
  it('is the user whose values they are', () => {
    fc.assert(fc.property(usersOfEveryField, (user) => void expect(assembleUser(valuesOf(user))).to.deep.equal(user)));
  });

  it('has every optional field that has a value', () => {
    const { email, ...user } = userOf('jane@example.com');
    const complete = {
      ...user,
      email: { ...email, verification: { verified: true, token: 'token', tokenTime: 1 }, mailTime: 2 },
    };
    expect(assembleUser(valuesOf(complete))).to.deep.equal(complete);
  });

  it('has no time of a token without the token', () => {
    const values = valuesOf(userOf('jane@example.com'));
    const timed = userFields.map(({ name }, position) => (name === 'tokenTime' ? 1 : values[position]));
    expect(assembleUser(timed)).to.deep.equal(userOf('jane@example.com'));
  });

  it('is refused with the names of the fields that have another type, and without their values', () => {
    const values = valuesOf(userOf('jane@example.com'));
    const changes: Readonly<Record<string, unknown>> = { verified: 'canary', password: null, creationTime: undefined };
    const changed = values.map((value, position) => {
      const name = userFields[position]?.name ?? '';
      return name in changes ? changes[name] : value;
    });
    expect(() => assembleUser(changed)).to.throw(
      Fault,
      'a stored user has no readable verified, password, creationTime',
    );
  });

  const key = 'jane@example.com';
  const jane = userOf('Jane@example.com', { properties: asProperties('{"a":[1]}') });
  /** The fields that the Fault of a record with one other value names, after it named the record itself. */
  const unreadable = (field: UserField['name'] | 'version', value: unknown, of = key): string => {
    const values = userFields.map((known) => (known.name === field ? value : (fieldOf(jane, known) ?? null)));
    try {
      storedUser(of, field === 'version' ? value : 'a-version', values);
      return '';
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      expect(error).to.include({ code: 'store_rejected', record: of.slice(0, 254) });
      return error.message.replace('a stored user has no readable ', '');
    }
  };

  const damages: Readonly<Partial<Record<UserField['name'] | 'version', readonly unknown[]>>> = {
    version: [undefined, null, 1, '', 'a version', 'a"version', 'a\nversion', 'ä', 'x'.repeat(201)],
    address: [undefined, null, 1, '', 'jane', 'joan@example.com', 'jane@example.com\0', {}],
    verified: [undefined, null, 0, 'true'],
    verificationToken: [undefined, 1, {}],
    tokenTime: [undefined, '1', -1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, 1n],
    disabledReason: [undefined, 1, []],
    id: [undefined, '', 'a b', 'x'.repeat(65), 1, {}],
    password: [undefined, null, 1, ''],
    lastUpdateTime: [undefined, null, -1, 2 ** 53],
    pending: [undefined, '', 'joan', 1],
    properties: [
      undefined,
      null,
      {},
      '',
      '[]',
      '{',
      '{}}',
      '{"a":}',
      '{"a":1}x}',
      ' {"a":1}',
      '{"a":"\n"}',
      '{"email":1}',
      '{"password":"x"}',
      `{"a":${'['.repeat(32)}${']'.repeat(32)}}`,
      `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `{"a":"${'x'.repeat(350 * 1024)}"}`,
    ],
  };
  for (const [field, values] of Object.entries(damages)) {
    const name = [...userFields.map((known) => known.name), 'version' as const].find((known) => known === field);
    if (name === undefined) throw new Error(`${field} is no field`);
    it(`is refused with a damaged ${field}, and its record is named`, () => {
      for (const value of values) expect(unreadable(name, value), String(value).slice(0, 40)).to.equal(field);
    });
  }

  it('has its names, and is refused with what is no name', () => {
    const names = [nameOf('jane'), idOf('usr_1')];
    expect(storedUser(key, 'a-version', valuesOf(jane), names)).to.deep.equal({
      user: jane,
      version: 'a-version',
      names,
    });
    expect(storedUser(key, 'a-version', valuesOf(jane), [])).to.not.have.property('names');
    for (const damaged of ['jane@example.com', '', 1, null])
      expect(() => storedUser(key, 'a-version', valuesOf(jane), [damaged])).to.throw(Fault, 'no readable names');
  });

  it('is absent if the record only reserves its address, also one of a former version', () => {
    for (const reservation of [
      userOf('jane@example.com', { password: '' }),
      userOf('reservations-3@latchkey.invalid', { password: '', properties: asProperties('{"a@b.cd":"1"}') }),
    ])
      expect(storedUser(reservation.email.address.toLowerCase(), 'a-version', valuesOf(reservation))).to.equal(
        undefined,
      );
  });

  it('is no reservation without a password, but with custom properties or a token', () => {
    const empty = userOf('jane@example.com', { password: '' });
    const verification = { verified: false, token: 'a token' };
    for (const damaged of [
      { ...jane, password: '' },
      { ...empty, email: { ...empty.email, verification } },
      userOf('reservations-16@latchkey.invalid', { password: '', properties: asProperties('{"a@b.cd":"1"}') }),
    ])
      expect(() => storedUser(damaged.email.address.toLowerCase(), 'a-version', valuesOf(damaged))).to.throw(
        Fault,
        'no readable password',
      );
  });

  describe('of whose optional parts values are missing', () => {
    const assembled = (given: Readonly<Partial<Record<UserField['name'], unknown>>>): User =>
      assembleUser(userFields.map((field) => given[field.name] ?? fieldOf(jane, field) ?? null));
    const digests = { pendingDigest: 'new', cancelDigest: 'old' };
    const to = 'New@example.com';

    it('has the parts that still mean something', () => {
      expect(assembled({ disabledTime: 1 }).disablement).to.deep.equal({ since: 1 });
      expect(assembled({ disabledTime: 1, disabledUntil: 2 }).disablement).to.deep.equal({ since: 1, until: 2 });
      expect(assembled({ recoveryTime: 1 }).recovery).to.deep.equal({ time: 1 });
      const waiting = { to, since: 1, confirmDigest: 'new', cancelDigest: 'old' };
      expect(assembled({ pending: to, pendingTime: 1, ...digests }).addressMove).to.deep.equal(waiting);
      const [confirmed, cancelled] = [{ pendingDigest: 'new' }, { cancelDigest: 'old' }];
      expect(assembled({ pendingTime: 1, ...confirmed }).addressMove).to.deep.equal({ since: 1, confirmDigest: 'new' });
      expect(assembled({ pendingTime: 1, ...cancelled }).addressMove).to.deep.equal({ since: 1, cancelDigest: 'old' });
    });

    it('is the user without the others', () => {
      for (const lost of [
        { disabledUntil: 2 ** 52, disabledReason: 'ticket' },
        { recoveryDigest: 'a digest' },
        { pending: to },
        { pending: to, ...digests },
        { pending: to, pendingTime: 1, pendingDigest: 'new' },
        { pendingTime: 1 },
        digests,
      ])
        expect(assembled(lost), JSON.stringify(lost)).to.deep.equal(jane);
    });
  });

  it('is refused under the key of another address, which is cut off in the name of the record', () => {
    expect(unreadable('tokenTime', null)).to.equal('');
    expect(unreadable('tokenTime', null, 'joan@example.com')).to.equal('address');
    expect(unreadable('tokenTime', null, 'x'.repeat(1_000))).to.equal('address');
  });

  it('may have any custom properties that requests may have', () => {
    const accepted = [
      '{}',
      '{ "a" : 1 }',
      '{"a":1.10,"b":-0}',
      '{"a":"\\ud800"}',
      `{"a":"${'{['.repeat(50)}"}`,
      `{"a":${'['.repeat(31)}${']'.repeat(31)}}`,
      `{"a":[${'[],'.repeat(100)}{}]}`,
    ];
    for (const text of accepted) expect(unreadable('properties', text), text).to.equal('');
    fc.assert(fc.property(properties, (text) => void expect(unreadable('properties', text)).to.equal('')));
  });

  it('has no properties if their text is blank, so that its JSON has no comma without a member', () => {
    const values = userFields.map((known) => (known.name === 'properties' ? '{ \n}' : (fieldOf(jane, known) ?? null)));
    expect(JSON.parse(userJson(assembleUser(values)))).to.not.have.property('a');
  });
});

describe('stored custom properties', () => {
  it('are the text of an object', () => {
    expect(CustomProperties.is('{"a":1}')).to.equal(true);
    expect(CustomProperties.decode('{"a":1}')).to.have.property('right', '{"a":1}');
    for (const other of ['[]', '"{}"', 'null', '', 1, {}, '{"a":}']) {
      expect(CustomProperties.is(other)).to.equal(false);
      expect(CustomProperties.decode(other)).to.have.property('_tag', 'Left');
    }
  });
});
