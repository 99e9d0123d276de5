import { expect } from 'chai';
import { confirmChange, isPending, requestChange } from '../../../domain/address-change.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { issueRecovery } from '../../../domain/recovery.ts';
import type { User } from '../../../domain/user.ts';
import { isSameMailbox, updateUser } from '../../../domain/user-update.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { spellings } from '../../../sdk/contract/spellings.ts';
import { now, token } from '../../support/users.ts';

/** A verified user with every link outstanding. */
const linked = (address: string): User => {
  const user = userOf(address);
  const email = { ...user.email, verified: true, verificationToken: token, tokenTime: now, mailTime: now };
  const change = { pending: addressOf('new@example.com'), pendingDigest: 'new', cancelDigest: 'old' };
  return issueRecovery(requestChange({ ...user, email }, change, now), 'lost', now);
};

describe('two spellings of an address', () => {
  for (const { why, one, other, isSameUser, isSame } of spellings)
    for (const [from, to] of [
      [addressOf(one), addressOf(other)],
      [addressOf(other), addressOf(one)],
    ] as const) {
      const title = `${why}: ${from} and ${to}`;

      it(`${isSameUser ? 'find one user' : 'find two users'} (${title})`, () =>
        expect(keyOf(from) === keyOf(to)).to.equal(isSameUser));

      it(`are ${isSame ? 'one mailbox' : 'two mailboxes'} (${title})`, () =>
        expect(isSameMailbox(from, to)).to.equal(isSame));

      it(`${isSame ? 'keep' : 'end'} the verification and every link in an update (${title})`, () => {
        const user = linked(from);
        const { email } = updateUser(user, { address: to, properties: user.properties }, user.password, now + 5);
        const { recoveryTime, mailTime } = user.email;
        expect(email).to.deep.equal(
          isSame
            ? { ...user.email, address: to }
            : { address: to, verified: false, verificationToken: null, recoveryTime, mailTime },
        );
      });

      it(`take the verification from the body of an update, where it is supplied (${title})`, () => {
        const user = linked(from);
        const update = { address: to, verified: true, verificationToken: 'mine', properties: user.properties };
        const { email } = updateUser(user, update, user.password, now + 5);
        expect(email).to.include({ address: to, verified: true, verificationToken: 'mine', tokenTime: now + 5 });
        expect(email.recoveryDigest).to.equal(isSame ? 'lost' : undefined);
      });

      it(`are ${isSame ? 'one change' : 'two changes'} that waits for its confirmation (${title})`, () => {
        const change = { pending: from, pendingDigest: 'new', cancelDigest: 'old' };
        expect(isPending(requestChange(linked('jane@example.com'), change, now), to)).to.equal(isSame);
      });

      it(`end every link when the new mailbox confirms it (${title})`, () => {
        const change = { pending: to, pendingDigest: 'new', cancelDigest: 'old' };
        const { email } = confirmChange(requestChange(linked(from), change, now), now + 5);
        expect(email).to.include({ address: to, verified: true, verificationToken: null });
        expect(email).to.not.have.any.keys('recoveryDigest', 'pending', 'cancelDigest');
      });
    }
});
