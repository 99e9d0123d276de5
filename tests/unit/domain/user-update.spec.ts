import { expect } from 'chai';
import { noProperties } from '../../../adapters/kit/user-json/user-writer.ts';
import type { User } from '../../../domain/user.ts';
import {
  updateTime,
  updateUser,
  withoutMailTime,
  withPassword,
  withRehashedPassword,
  withVerified,
} from '../../../domain/user-update.ts';
import { confirmVerification, issueToken, resetVerification } from '../../../domain/verification.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { fresh, jane, now, token, unverified, verified } from '../../support/users.ts';

const recovering: User = { ...verified, recovery: { digest: 'digest', time: now } };

describe('a user with another stored hash', () => {
  it('changes only the hash, and the digest of the former one', () => {
    const rehashed = { ...recovering, password: 'new' };
    const withDigest = withRehashedPassword(recovering, 'new', 'a digest');
    expect(withDigest).to.deep.equal({ ...rehashed, formerHashDigest: 'a digest' });
    expect(withRehashedPassword(withDigest, 'new')).to.deep.equal(rehashed);
  });
});

describe('a user with another password', () => {
  it('has the time of the change, and no link that is outstanding', () => {
    expect(withPassword(recovering, 'new', now)).to.deep.equal({
      ...verified,
      email: { address: jane, verification: { verified: true, token: null } },
      recovery: { time: now },
      passwordTime: now,
      password: 'new',
      lastUpdateTime: now,
    });
    expect(withPassword(verified, 'new', 0).passwordTime).to.equal(verified.lastUpdateTime + 1);
  });
});

describe('an update', () => {
  const changed = (user: User, email: object, address = jane) =>
    updateUser(user, { address, properties: noProperties, ...email }, user.password, now);

  it('replaces the properties and the password, and keeps the time of creation', () => {
    const update = { address: jane, properties: noProperties };
    expect(updateUser(recovering, update, 'new', now)).to.deep.equal({
      ...verified,
      recovery: { time: now },
      passwordTime: now,
      password: 'new',
      properties: noProperties,
      lastUpdateTime: now,
    });
  });

  it('ends a recovery with another address, and keeps it with another spelling', () => {
    expect(changed(recovering, {}, addressOf('jane.doe@example.com')).recovery).to.deep.equal({ time: now });
    expect(changed(recovering, {}, addressOf('JANE@example.com')).recovery).to.deep.equal(recovering.recovery);
  });

  it('keeps the verification unless it sets it', () => {
    expect(changed(verified, {}).email).to.deep.equal(verified.email);
    expect(changed(unverified, {}).email).to.deep.equal(unverified.email);
    expect(changed(verified, { verified: undefined, verificationToken: undefined }).email).to.deep.equal(
      verified.email,
    );
  });

  it('sets each verification member by itself', () => {
    const verificationAfter = (user: User, email: object) => changed(user, email).email.verification;
    expect(verificationAfter(verified, { verified: false })).to.deep.equal({ verified: false, token });
    expect(verificationAfter(fresh, { verified: true })).to.deep.equal({ verified: true, token: null });
    expect(verificationAfter(verified, { verificationToken: null })).to.deep.equal({ verified: true, token: null });
    expect(verificationAfter(fresh, { verificationToken: 't' })).to.include({ verified: false, token: 't' });
  });

  it('keeps the verification if only the spelling of the address changes', () => {
    const address = addressOf('Jane@Example.COM');
    expect(changed(verified, {}, address).email).to.deep.equal({ ...verified.email, address });
  });

  it('resets the verification with a new address, unless it sets it', () => {
    const address = addressOf('jane.doe@example.com');
    const verificationAfter = (email: object) => changed(verified, email, address).email.verification;
    expect(verificationAfter({})).to.deep.equal({ verified: false, token: null });
    expect(verificationAfter({ verified: true })).to.deep.equal({ verified: true, token: null });
    expect(verificationAfter({ verificationToken: 't' })).to.include({ verified: false });
    expect(changed(verified, {}, address).creationTime).to.equal(verified.creationTime);
  });

  describe('the times of the verification', () => {
    const times = { tokenTime: 1_700_000_000_001, mailTime: 1_700_000_000_002 };
    const { tokenTime, mailTime } = times;
    const timed: User = {
      ...verified,
      email: { address: jane, verification: { verified: true, token, tokenTime }, mailTime },
    };
    const timesAfter = (email: object, address = jane) => {
      const after = changed(timed, email, address).email;
      return { tokenTime: after.verification.tokenTime, mailTime: after.mailTime };
    };

    it('stay with the same token and the same address in any spelling', () => {
      expect(timesAfter({})).to.deep.equal(times);
      expect(timesAfter({ verified: false, verificationToken: token })).to.deep.equal(times);
      expect(timesAfter({}, addressOf('JANE@example.com'))).to.deep.equal(times);
    });

    it('start at the update for a token of the body, which is no mail', () => {
      expect(timesAfter({ verificationToken: 't' })).to.deep.equal({ ...times, tokenTime: now });
      expect(changed(fresh, { verificationToken: 't' }).email).to.deep.equal({
        address: jane,
        verification: { verified: false, token: 't', tokenTime: now },
      });
    });

    it('keep only that of the mail when the token is removed', () => {
      expect(changed(timed, { verificationToken: null }).email).to.deep.equal({
        address: jane,
        verification: { verified: true, token: null },
        mailTime,
      });
    });

    it('keep only that of the mail with a new address', () => {
      const address = addressOf('jane.doe@example.com');
      const begun = { address, verification: { verified: false, token: null }, mailTime };
      expect(changed(timed, {}, address).email).to.deep.equal(begun);
      const given = { address, verification: { verified: true, token, tokenTime: now }, mailTime };
      expect(changed(timed, { verified: true, verificationToken: token }, address).email).to.deep.equal(given);
    });
  });
});

const transitions = (user: User, time: number): readonly User[] => [
  issueToken(user, 'another token', time),
  confirmVerification(withVerified(user, false), time),
  resetVerification(withVerified(user, true), time),
  updateUser(user, { address: user.email.address, properties: user.properties }, user.password, time),
];

describe('a field that a transition does not know', () => {
  it('stays, in the user and in its email record', () => {
    const user = { ...verified, displayName: 'Jane', email: { ...verified.email, hint: 'work', mailTime: 1 } };
    const update = { address: addressOf('jane.doe@example.com'), properties: noProperties };
    const others = [updateUser(user, update, 'new', now), withPassword(user, 'new', now), withoutMailTime(user)];
    for (const next of [...transitions(user, now), ...others]) {
      expect(next).to.include({ displayName: 'Jane' });
      expect(next.email).to.include({ hint: 'work' });
    }
  });
});

describe('the time of the last update', () => {
  it('is later than the previous one after every change, also if the clock went back an hour', () => {
    for (const time of [verified.lastUpdateTime - 3_600_000, verified.lastUpdateTime, 0]) {
      for (const next of transitions(verified, time)) {
        expect(next.lastUpdateTime).to.equal(verified.lastUpdateTime + 1);
      }
    }
    for (const next of transitions(verified, now)) expect(next.lastUpdateTime).to.equal(now);
  });
});

describe('the time of a change', () => {
  it('is that of the clock, or later than the previous one if the clock went back', () => {
    expect(updateTime(verified, verified.lastUpdateTime + 2)).to.equal(verified.lastUpdateTime + 2);
    expect(updateTime(verified, verified.lastUpdateTime)).to.equal(verified.lastUpdateTime + 1);
    expect(updateTime(verified, 0)).to.equal(verified.lastUpdateTime + 1);
    const latest = { ...verified, lastUpdateTime: Number.MAX_SAFE_INTEGER };
    expect(updateTime(latest, 0), 'the last time that stores keep').to.equal(Number.MAX_SAFE_INTEGER);
  });
});
