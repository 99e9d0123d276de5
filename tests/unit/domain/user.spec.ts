import { expect } from 'chai';
import { asProperties } from '../../../adapters/kit/user-json/user-writer.ts';
import { createUser } from '../../../domain/user-update.ts';
import { jane, now } from '../../support/users.ts';

describe('a new user', () => {
  it('is unverified, has no token, and was updated when it was created', () => {
    const created = { address: jane, password: 'sent', properties: asProperties('{"a":1}') };
    expect(createUser(created, 'stored', now)).to.deep.equal({
      email: { address: jane, verification: { verified: false, token: null } },
      password: 'stored',
      creationTime: now,
      lastUpdateTime: now,
      properties: '{"a":1}',
    });
  });
});
