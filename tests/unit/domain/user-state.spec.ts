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
    expect(second.email).to.deep.equal({ ...jane.email, disabledTime: now, disabledReason: 'ticket 4711' });
    expect(disableUser(second, forGood, now + 20)).to.equal(second);
    expect(disableUser(first, forGood, now + 1_000).email.disabledTime).to.equal(now + 1_000);
  });

  it('is as before when enabled', () => {
    const enabled = enableUser(disableUser(jane, { reason: 'one', until: now + 1 }, now), now + 5);
    expect(enabled).to.deep.equal({ ...jane, lastUpdateTime: now + 5 });
    expect(enableUser(jane, now)).to.equal(jane);
  });

  it('gets no link back when enabled that another version or an import left outstanding', () => {
    const email = {
      ...jane.email,
      ...{ verificationToken: 'sent', tokenTime: now - 4, recoveryDigest: 'lost', recoveryTime: now - 3 },
      ...{ pending: addressOf('joe@example.com'), pendingTime: now - 2, pendingDigest: 'new', cancelDigest: 'old' },
    };
    const enabled = enableUser({ ...jane, email: { ...email, disabledTime: now } }, now + 5);
    expect(enabled.email).to.deep.equal({ ...jane.email, recoveryTime: now - 3 });
    const ended = { ...email, disabledTime: now, disabledUntil: now + 1 };
    expect(enableUser({ ...jane, email: ended }, now + 5).email, 'links from after the end').to.deep.equal(email);
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
    expect(updateUser(required, update, jane.password, now).email).to.have.property('changeRequiredTime', now);
    expect(updateUser(required, update, 'another', now + 1).email).to.deep.equal({
      ...jane.email,
      passwordTime: now + 1,
    });
  });
});
