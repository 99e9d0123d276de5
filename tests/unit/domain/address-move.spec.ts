import { expect } from 'chai';
import {
  cancelMove,
  confirmMove,
  moveLifetimeOf,
  requestMove,
  waitingMove,
  waitsFor,
  withoutMove,
} from '../../../domain/address-move.ts';
import { recoverPassword } from '../../../domain/recovery.ts';
import { updateUser, withPassword, withRehashedPassword } from '../../../domain/user-update.ts';
import { issueToken, resetVerification } from '../../../domain/verification.ts';
import { addressOf } from '../../../sdk/contract/arbitraries.ts';
import { now, verified } from '../../support/users.ts';

const move = { to: addressOf('New@example.com'), confirmDigest: 'new', cancelDigest: 'old' };
const waiting = { ...move, since: now };
const lifetimeMs = 10;
const requested = requestMove(verified, move, now);
const { address } = verified.email;
const { properties } = verified;

describe('a change of address that has to be confirmed', () => {
  it('keeps the address and its verification', () => {
    expect(requested.email).to.deep.equal({ ...verified.email, mailTime: now });
    expect(requested.addressMove).to.deep.equal(waiting);
    expect(requested.lastUpdateTime).to.equal(now);
    expect(waitsFor(requested, addressOf('new@EXAMPLE.com'), lifetimeMs, now)).to.equal(true);
    expect(waitsFor(requested, address, lifetimeMs, now)).to.equal(false);
    expect(waitsFor(verified, address, lifetimeMs, now)).to.equal(false);
  });

  it('is confirmed with the verification of the new address, and without links to the former one', () => {
    const verification = { verified: true, token: 'a token', tokenTime: now };
    const issued = { ...requested, email: { ...requested.email, verification } };
    const confirmed = confirmMove({ ...issued, recovery: { digest: 'lost', time: now } }, now + 5);
    expect(confirmed).to.deep.equal({
      ...verified,
      email: {
        address: move.to,
        verification: { verified: true, token: null },
        mailTime: now,
      },
      recovery: { time: now },
      // Of the link that was used, for a second press of its button.
      addressMove: { since: now, confirmDigest: 'new' },
      lastUpdateTime: now + 5,
    });
    expect(confirmMove(confirmed, now + 6)).to.equal(confirmed);
  });

  it('is cancelled without a trace, but for the time of the mail and the link that was used', () => {
    const cancelled = cancelMove(requested, now + 5);
    expect(cancelled.email).to.deep.equal({ ...verified.email, mailTime: now });
    expect(cancelled.addressMove).to.deep.equal({ since: now, cancelDigest: 'old' });
    expect(cancelled.lastUpdateTime).to.equal(now + 5);
    expect(cancelMove(cancelled, now + 6)).to.equal(cancelled);
  });

  it('expires at the end of its lifetime', () => {
    expect(waitingMove(requested, lifetimeMs, now + 9)).to.deep.equal(waiting);
    expect(waitingMove(requested, lifetimeMs, now + 10)).to.equal(undefined);
    expect(waitsFor(requested, move.to, lifetimeMs, now + 10)).to.equal(false);
    expect(waitingMove(requested, null, now)).to.equal(undefined);
  });

  it('waits as long as a verification link is valid, or a day if that never expires', () => {
    expect([moveLifetimeOf(5_000), moveLifetimeOf(null)]).to.deep.equal([5_000, 86_400_000]);
  });

  it('ends with a new password, a reset and another address, and survives other changes', () => {
    const ended = [
      updateUser(requested, { address, properties }, 'another hash', now),
      updateUser(requested, { address: addressOf('other@example.com'), properties }, requested.password, now),
      withPassword(requested, 'another hash', now),
      recoverPassword(requested, 'another hash', now),
      resetVerification(requested, now),
      withoutMove(requested),
    ];
    for (const user of ended) expect(user).to.not.have.property('addressMove');
    const kept = [
      updateUser(requested, { address: addressOf(address.toUpperCase()), properties }, requested.password, now),
      withRehashedPassword(requested, 'another hash'),
      issueToken(requested, 'a token', now),
    ];
    for (const { addressMove } of kept) expect(addressMove).to.deep.equal(waiting);
  });
});
