import { expect } from 'chai';
import { asProperties } from '../../../adapters/kit/user-json.ts';
import { createUser, updateTime } from '../../../domain/user.ts';
import { jane, now, verified } from '../../support/users.ts';

describe('a new user', () => {
  it('is unverified, has no token, and was updated when it was created', () => {
    const created = { address: jane, password: 'sent', properties: asProperties('{"a":1}') };
    expect(createUser(created, 'stored', now)).to.deep.equal({
      email: { address: jane, verified: false, verificationToken: null },
      password: 'stored',
      creationTime: now,
      lastUpdateTime: now,
      properties: '{"a":1}',
    });
  });
});

describe('the time of a change', () => {
  it('is that of the clock, or later than the previous one if the clock went back', () => {
    expect(updateTime(verified, verified.lastUpdateTime + 2)).to.equal(verified.lastUpdateTime + 2);
    expect(updateTime(verified, verified.lastUpdateTime)).to.equal(verified.lastUpdateTime + 1);
    expect(updateTime(verified, 0)).to.equal(verified.lastUpdateTime + 1);
  });
});
