import { expect } from 'chai';
import { requestMove } from '../../../domain/address-move.ts';
import { inviteUser, issueRecovery, passwordTokenOf, recoverPassword } from '../../../domain/recovery.ts';
import type { User } from '../../../domain/user.ts';
import { disableUser, requirePasswordChange } from '../../../domain/user-state.ts';
import { resetVerification } from '../../../domain/verification.ts';
import { rightOf } from '../../../sdk/contract/outcomes.ts';
import { now, unverified, verified } from '../../support/users.ts';

const issued = issueRecovery(verified, 'digest', now);
const digestIn = (user: User, time = now) => passwordTokenOf(user, 'recovery', time)?.digest;

describe('another invitation', () => {
  it('cancels an address move, as every change by an administrator does', () => {
    const move = { to: verified.email.address, confirmDigest: 'confirm', cancelDigest: 'cancel' };
    const invited = requestMove({ ...unverified, invitation: { time: now - 1 } }, move, now);
    const again = rightOf(inviteUser(invited, { digest: 'invitation', time: now }, null, now));
    expect([again.addressMove, again.invitation?.digest]).to.deep.equal([undefined, 'invitation']);
  });
});

describe('a recovery', () => {
  it('is outstanding once it was issued, which clients do not see', () => {
    expect(digestIn(verified)).to.equal(undefined);
    expect(digestIn(issued)).to.equal('digest');
    expect(issued.lastUpdateTime).to.equal(verified.lastUpdateTime);
    expect(digestIn(issueRecovery(issued, 'next', now + 1), now + 1)).to.equal('next');
  });

  it('ends when the user is disabled or the verification is reset, because another person may have the link', () => {
    const disabled = disableUser(issued, { reason: 'a test', until: now + 10 }, now);
    expect(digestIn(disabled)).to.equal(undefined);
    expect(digestIn(disabled, now + 10)).to.equal(undefined);
    expect(digestIn(resetVerification(issued, now))).to.equal(undefined);
  });

  it('cannot be used while the user is disabled, also if it was issued meanwhile', () => {
    const disabled = issueRecovery(disableUser(verified, { reason: 'a test', until: now + 10 }, now), 'digest', now);
    expect(digestIn(disabled)).to.equal(undefined);
    expect(digestIn(disabled, now + 10)).to.equal('digest');
  });

  it('leaves a verified user with the password, and with neither a token of any mail nor a required change', () => {
    const verification = { verified: false, token: 'link', tokenTime: now };
    const linked = { ...unverified, email: { ...unverified.email, verification } };
    const required = requirePasswordChange(issueRecovery(linked, 'digest', now), now);
    const recovered = recoverPassword(required, 'new', now + 5);
    expect(recovered).to.deep.equal({
      ...unverified,
      email: { ...unverified.email, verification: { verified: true, token: null } },
      recovery: { time: now },
      passwordTime: now + 5,
      password: 'new',
      lastUpdateTime: now + 5,
    });
  });
});
