import { expect } from 'chai';
import * as fc from 'fast-check';
import { asProperties } from '../../domain/properties.ts';
import type { User } from '../../domain/user.ts';
import { confirm, issueToken, reset } from '../../domain/verification.ts';
import { addressOf, userOf, users } from '../arbitraries.ts';

const jane = addressOf('jane@example.com');
const token = '0b8f3c55-6b43-4d5a-9d1e-0f6f7a3c2b11';
const now = 1_800_000_000_000;

const verified: User = {
  ...userOf('jane@example.com', { properties: asProperties('{"a":1}') }),
  email: { address: jane, verified: true, verificationToken: token },
};
const unverified: User = { ...verified, email: { ...verified.email, verified: false } };
const fresh: User = { ...verified, email: { address: jane, verified: false, verificationToken: null } };

describe('a verification', () => {
  for (const [state, user] of Object.entries({ fresh, unverified, verified })) {
    it(`begins for a ${state} user: unverified, with the token`, () => {
      const next = issueToken(user, 'another token', now);
      expect(next.email).to.deep.equal({
        address: jane,
        verified: false,
        verificationToken: 'another token',
        tokenTime: now,
        mailTime: now,
      });
      expect(next.lastUpdateTime).to.equal(now);
    });

    it(`is reset for a ${state} user: unverified, without a token`, () => {
      expect(reset(user, now).email).to.deep.equal({ address: jane, verified: false, verificationToken: null });
    });
  }

  it('is confirmed: verified, and the token stays', () => {
    const next = confirm(unverified, now);
    expect(next.email).to.deep.equal({ address: jane, verified: true, verificationToken: token });
    expect(next.lastUpdateTime).to.equal(now);
  });

  it('keeps its times when it is confirmed, and forgets that of the token when it is reset', () => {
    const timed: User = { ...unverified, email: { ...unverified.email, tokenTime: 1, mailTime: 2 } };
    expect(confirm(timed, now).email).to.deep.equal({ ...timed.email, verified: true });
    expect(reset(timed, now).email).to.deep.equal({ ...fresh.email, mailTime: 2 });
  });

  it('changes nothing the second time', () => {
    expect(confirm(verified, now)).to.equal(verified);
    expect(reset(fresh, now)).to.equal(fresh);
    expect(issueToken(unverified, token, now)).to.equal(unverified);
  });

  it('touches nothing else', () =>
    fc.assert(
      fc.property(users, fc.uuid(), (user, issued) => {
        for (const next of [issueToken(user, issued, now), confirm(user, now), reset(user, now)]) {
          const { email, lastUpdateTime: _, ...rest } = next;
          const { email: before, lastUpdateTime: __, ...restBefore } = user;
          expect(rest).to.deep.equal(restBefore);
          expect(email.address).to.equal(before.address);
        }
      }),
    ));
});
