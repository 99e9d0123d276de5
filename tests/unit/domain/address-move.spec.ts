import { expect } from 'chai';
import {
  cancelChange,
  confirmChange,
  isChangeExpired,
  isPending,
  requestChange,
} from '../../../domain/address-move.ts';
import { recoverPassword } from '../../../domain/recovery.ts';
import { updateUser, withPassword, withRehashedPassword } from '../../../domain/user-update.ts';
import { issueToken, resetVerification } from '../../../domain/verification.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { now, verified } from '../../support/users.ts';

const change = { pending: addressOf('New@example.com'), pendingDigest: 'new', cancelDigest: 'old' };
const requested = requestChange(verified, change, now);
const { address } = verified.email;
const { properties } = verified;

describe('a change of address that has to be confirmed', () => {
  it('keeps the address and its verification', () => {
    expect(requested.email).to.include({ ...change, address, verified: true, pendingTime: now });
    expect(requested.lastUpdateTime).to.equal(now);
    expect(isPending(requested, addressOf('new@EXAMPLE.com'))).to.equal(true);
    expect(isPending(requested, address)).to.equal(false);
    expect(isPending(verified, address)).to.equal(false);
  });

  it('is confirmed with the verification of the new address, and without links to the former one', () => {
    const issued = { ...requested, email: { ...requested.email, verificationToken: 'a token', tokenTime: now } };
    const confirmed = confirmChange({ ...issued, email: { ...issued.email, recoveryDigest: 'lost' } }, now + 5);
    expect(confirmed).to.deep.equal({
      ...verified,
      email: {
        ...verified.email,
        address: change.pending,
        verified: true,
        verificationToken: null,
        mailTime: now,
        // Of the link that was used, for a second press of its button.
        pendingDigest: 'new',
        pendingTime: now,
      },
      lastUpdateTime: now + 5,
    });
    expect(confirmChange(confirmed, now + 6)).to.equal(confirmed);
  });

  it('is cancelled without a trace, but for the time of the mail and the link that was used', () => {
    const cancelled = cancelChange(requested, now + 5);
    expect(cancelled.email).to.deep.equal({ ...verified.email, mailTime: now, cancelDigest: 'old', pendingTime: now });
    expect(cancelled.lastUpdateTime).to.equal(now + 5);
    expect(cancelChange(cancelled, now + 6)).to.equal(cancelled);
  });

  it('expires at the end of its lifetime', () => {
    expect(isChangeExpired(requested, 10, now + 9)).to.equal(false);
    expect(isChangeExpired(requested, 10, now + 10)).to.equal(true);
    expect(isChangeExpired(verified, 10, now)).to.equal(true);
  });

  it('ends with a new password, a reset and another address, and survives other changes', () => {
    const ended = [
      updateUser(requested, { address, properties }, 'another hash', now),
      updateUser(requested, { address: addressOf('other@example.com'), properties }, requested.password, now),
      withPassword(requested, 'another hash', now),
      recoverPassword(requested, 'another hash', now),
      resetVerification(requested, now),
    ];
    for (const { email } of ended) expect(email).to.not.have.any.keys('pending', 'pendingTime', ...Object.keys(change));
    const kept = [
      updateUser(requested, { address: addressOf(address.toUpperCase()), properties }, requested.password, now),
      withRehashedPassword(requested, 'another hash'),
      issueToken(requested, 'a token', now),
    ];
    for (const { email } of kept) expect(email).to.include(change);
  });
});
