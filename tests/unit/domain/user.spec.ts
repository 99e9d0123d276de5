import { expect } from 'chai';
import * as fc from 'fast-check';
import { asProperties, noProperties } from '../../../domain/custom-properties.ts';
import {
  create,
  largestUser,
  revise,
  type User,
  userJson,
  userJsonWithoutPassword,
  withPassword,
} from '../../../domain/user.ts';
import { confirm, issueToken, reset } from '../../../domain/verification.ts';
import { addressOf, properties, users } from '../../support/arbitraries.ts';
import { rightOf } from '../../support/outcomes.ts';
import { fresh, jane, now, token, unverified, verified } from '../../support/users.ts';

describe('a new user', () => {
  it('is unverified, has no token, and was updated when it was created', () => {
    expect(create(jane, 'stored', asProperties('{"a":1}'), now)).to.deep.include({
      right: {
        email: { address: jane, verified: false, verificationToken: null },
        password: 'stored',
        creationTime: now,
        lastUpdateTime: now,
        properties: '{"a":1}',
      },
    });
  });
});

describe('the same password in another stored form', () => {
  it('changes the form and the time, and nothing else', () => {
    expect(rightOf(withPassword(verified, 'new', now))).to.deep.equal({
      ...verified,
      password: 'new',
      lastUpdateTime: now,
    });
    expect(rightOf(withPassword(verified, 'new', 0)).lastUpdateTime).to.equal(verified.lastUpdateTime + 1);
  });

  it('is refused where it would make the user too large', () => {
    expect(withPassword(verified, 'x'.repeat(largestUser), now)).to.deep.include({ left: { code: 'user_too_large' } });
  });
});

describe('an update', () => {
  const changed = (user: User, email: object, address = jane) =>
    rightOf(revise(user, { address, properties: noProperties, ...email }, 'new', now));

  it('replaces the properties and the password, and keeps the time of creation', () => {
    expect(changed(verified, {})).to.deep.equal({
      ...verified,
      password: 'new',
      properties: noProperties,
      lastUpdateTime: now,
    });
  });

  it('keeps the verification where it says nothing of it', () => {
    expect(changed(verified, {}).email).to.deep.equal(verified.email);
    expect(changed(unverified, {}).email).to.deep.equal(unverified.email);
    expect(changed(verified, { verified: undefined, verificationToken: undefined }).email).to.deep.equal(
      verified.email,
    );
  });

  it('sets the verification that it gives, each member for itself', () => {
    expect(changed(verified, { verified: false }).email).to.include({ verified: false, verificationToken: token });
    expect(changed(fresh, { verified: true }).email).to.include({ verified: true, verificationToken: null });
    expect(changed(verified, { verificationToken: null }).email).to.include({
      verified: true,
      verificationToken: null,
    });
    expect(changed(fresh, { verificationToken: 't' }).email).to.include({ verified: false, verificationToken: 't' });
  });

  it('respells the address and keeps the verification', () => {
    const address = addressOf('Jane@Example.COM');
    expect(changed(verified, {}, address).email).to.deep.equal({ ...verified.email, address });
  });

  it('resets the verification of a new address, unless it gives one', () => {
    const address = addressOf('jane.doe@example.com');
    expect(changed(verified, {}, address).email).to.deep.equal({ address, verified: false, verificationToken: null });
    expect(changed(verified, { verified: true }, address).email).to.include({
      verified: true,
      verificationToken: null,
    });
    expect(changed(verified, { verificationToken: 't' }, address).email).to.include({ verified: false });
    expect(changed(verified, {}, address).creationTime).to.equal(verified.creationTime);
  });

  describe('the times of the verification', () => {
    const times = { tokenTime: 1_700_000_000_001, mailTime: 1_700_000_000_002 };
    const timed: User = { ...verified, email: { ...verified.email, ...times } };
    const timesAfter = (email: object, address = jane) => {
      const { tokenTime, mailTime } = changed(timed, email, address).email;
      return { tokenTime, mailTime };
    };

    it('stay with the same address, in any spelling, and the same token', () => {
      expect(timesAfter({})).to.deep.equal(times);
      expect(timesAfter({ verified: false, verificationToken: token })).to.deep.equal(times);
      expect(timesAfter({}, addressOf('JANE@example.com'))).to.deep.equal(times);
    });

    it('a token of the body counts from the update, and is no mail', () => {
      expect(timesAfter({ verificationToken: 't' })).to.deep.equal({ ...times, tokenTime: now });
      expect(changed(fresh, { verificationToken: 't' }).email).to.have.all.keys(
        ...['address', 'verified', 'verificationToken', 'tokenTime'],
      );
    });

    it('a token that is taken away leaves none, and the mail stays known', () => {
      expect(changed(timed, { verificationToken: null }).email).to.deep.equal({
        address: jane,
        verified: true,
        verificationToken: null,
        mailTime: times.mailTime,
      });
    });

    it('of the token begins anew with a new address, and the time of the mail stays with the user', () => {
      const address = addressOf('jane.doe@example.com');
      const { mailTime } = times;
      const begun = { address, verified: false, verificationToken: null, mailTime };
      expect(changed(timed, {}, address).email).to.deep.equal(begun);
      const given = { address, verified: true, verificationToken: token, tokenTime: now, mailTime };
      expect(changed(timed, { verified: true, verificationToken: token }, address).email).to.deep.equal(given);
    });
  });
});

describe('the time of the last update', () => {
  const transitions = (user: User, time: number): readonly User[] => [
    issueToken(user, 'another token', time),
    confirm({ ...user, email: { ...user.email, verified: false } }, time),
    reset({ ...user, email: { ...user.email, verified: true } }, time),
    rightOf(revise(user, { address: user.email.address, properties: user.properties }, user.password, time)),
  ];

  it('passes the previous one with every change, also when the clock went back an hour', () => {
    for (const time of [verified.lastUpdateTime - 3_600_000, verified.lastUpdateTime, 0]) {
      for (const next of transitions(verified, time)) {
        expect(next.lastUpdateTime).to.equal(verified.lastUpdateTime + 1);
      }
    }
    for (const next of transitions(verified, now)) expect(next.lastUpdateTime).to.equal(now);
  });
});

describe('the JSON of a user', () => {
  it('lists the fixed fields, then the properties in the order in which they were sent', () => {
    const user = { ...fresh, properties: asProperties('{"z":1,"a":[1,{"b":null}]}') };
    const timed = { ...user, email: { ...user.email, tokenTime: 1, mailTime: 2 } };
    expect(userJson(timed)).to.equal(userJson(user));
    expect(userJson(user)).to.equal(
      '{"email":{"address":"jane@example.com","verified":false,"verificationToken":null},"password":"a stored password",' +
        '"creationTime":1700000000000,"lastUpdateTime":1700000000000,"z":1,"a":[1,{"b":null}]}',
    );
  });

  it('is JSON of exactly the user', () =>
    fc.assert(
      fc.property(users, (user) => {
        const { properties: own, ...fixed } = user;
        const { password: _, ...others } = fixed;
        expect(JSON.parse(userJson(user))).to.deep.equal({ ...fixed, ...JSON.parse(own) });
        expect(JSON.parse(userJsonWithoutPassword(user))).to.deep.equal({ ...others, ...JSON.parse(own) });
      }),
    ));
});

describe('the size of a user', () => {
  const filled = (size: number, filler: string): User => {
    const rest = Buffer.byteLength(userJson({ ...verified, properties: asProperties('{"p":""}') }));
    const count = Math.floor((size - rest) / Buffer.byteLength(filler));
    const padding = 'x'.repeat(size - rest - count * Buffer.byteLength(filler));
    return { ...verified, properties: asProperties(`{"p":"${filler.repeat(count)}${padding}"}`) };
  };

  for (const filler of ['x', 'é', '漢', '🔑']) {
    it(`is at most 350 KiB of UTF-8, here of ${filler}`, () => {
      for (const [size, tag] of [
        [349 * 1024, 'Right'],
        [largestUser, 'Right'],
        [largestUser + 1, 'Left'],
        [351 * 1024, 'Left'],
      ] as const) {
        const user = filled(size, filler);
        expect(Buffer.byteLength(userJson(user))).to.equal(size);
        const revised = revise(
          verified,
          { address: jane, properties: user.properties },
          user.password,
          verified.lastUpdateTime,
        );
        // The time is one millisecond later, and as long.
        expect(revised._tag, `${size}`).to.equal(tag);
        if (revised._tag === 'Left') expect(revised.left).to.deep.equal({ code: 'user_too_large' });
      }
    });
  }

  it('is checked when a user is created', () => {
    expect(create(jane, 'p'.repeat(largestUser), noProperties, now)).to.deep.include({
      left: { code: 'user_too_large' },
    });
    fc.assert(fc.property(properties, (some) => create(jane, 'p', some, now)._tag === 'Right'));
  });
});
