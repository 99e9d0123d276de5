import { expect } from 'chai';
import {
  disableUser,
  enableUser,
  isDisabled,
  requirePasswordChange,
  stateFailure,
  withdrawPasswordChange,
} from '../../../domain/user-state.ts';
import { updateUser } from '../../../domain/user-update.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';

const now = 1_800_000_000_000;
const jane = userOf('jane@example.com');
const forGood = { reason: 'ticket 4711', until: undefined };

describe('a disabled user', () => {
  it('is disabled until the time, and not from then on', () => {
    const disabled = disableUser(jane, { reason: 'ticket 4711', until: now + 1_500 }, now);
    expect([now, now + 1_499, now + 1_500].map((time) => isDisabled(disabled, time))).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(stateFailure(disabled, now + 1, false)).to.deep.equal({ code: 'user_disabled', retryAfterSeconds: 2 });
    expect(stateFailure(disabled, now + 1_500, false)).to.equal(null);
  });

  it('stays disabled for good without a time, also if a new password is set', () => {
    const disabled = disableUser(jane, forGood, now);
    expect(stateFailure(disabled, Number.MAX_SAFE_INTEGER, true)).to.deep.equal({ code: 'user_disabled' });
  });

  it('keeps the time of the first command while disabled, and gets a new one after the end', () => {
    const first = disableUser(jane, { reason: 'one', until: now + 1_000 }, now);
    const second = disableUser(first, forGood, now + 10);
    expect(second.email).to.deep.equal(jane.email);
    expect(second.disablement).to.deep.equal({ since: now, reason: 'ticket 4711' });
    expect(disableUser(second, forGood, now + 20)).to.equal(second);
    expect(disableUser(first, forGood, now + 1_000).disablement?.since).to.equal(now + 1_000);
  });

  it('is as before when enabled', () => {
    const enabled = enableUser(disableUser(jane, { reason: 'one', until: now + 1 }, now), now + 5);
    expect(enabled).to.deep.equal({ ...jane, lastUpdateTime: now + 5 });
    expect(enableUser(jane, now)).to.equal(jane);
  });

  it('gets no link back when enabled that another version or an import left outstanding', () => {
    const linked = {
      ...jane,
      email: { ...jane.email, verification: { verified: false, token: 'sent', tokenTime: now - 4 } },
      recovery: { digest: 'lost', time: now - 3 },
      addressMove: { to: addressOf('joe@example.com'), since: now - 2, confirmDigest: 'new', cancelDigest: 'old' },
    };
    const lastUpdateTime = now + 5;
    const enabled = enableUser({ ...linked, disablement: { since: now } }, now + 5);
    expect(enabled).to.deep.equal({ ...jane, recovery: { time: now - 3 }, lastUpdateTime });
    const ended = { ...linked, disablement: { since: now, until: now + 1 } };
    expect(enableUser(ended, now + 5), 'links from after the end').to.deep.equal({ ...linked, lastUpdateTime });
  });

  it('stays disabled under a new address', () => {
    const update = { address: addressOf('joe@example.com'), properties: jane.properties };
    expect(isDisabled(updateUser(disableUser(jane, forGood, now), update, 'another', now), now)).to.equal(true);
  });
});

describe('a user who has to set a new password', () => {
  const update = { address: jane.email.address, properties: jane.properties };
  const required = requirePasswordChange(jane, now);

  it('may do so, and nothing else', () => {
    expect(stateFailure(required, now, false)).to.deep.equal({ code: 'password_change_required' });
    expect(stateFailure(required, now, true)).to.equal(null);
    expect(requirePasswordChange(required, now + 1)).to.equal(required);
  });

  it('is as before when that is withdrawn', () => {
    expect(withdrawPasswordChange(required, now + 5)).to.deep.equal({ ...jane, lastUpdateTime: now + 5 });
    expect(withdrawPasswordChange(jane, now)).to.equal(jane);
  });

  it('has done so with another stored hash only', () => {
    expect(updateUser(required, update, jane.password, now)).to.have.property('requiredChangeTime', now);
    expect(updateUser(required, update, 'another', now + 1)).to.deep.equal({
      ...jane,
      password: 'another',
      passwordTime: now + 1,
      lastUpdateTime: now + 1,
    });
  });
});
