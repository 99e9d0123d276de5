import { expect } from 'chai';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { AddressMoves } from '../../../../application/address-moves/address-moves.ts';
import { authorizeByMoveToken } from '../../../../application/address-moves/confirm-address-move.ts';
import { digestOfLinkToken } from '../../../../application/mailed-tokens.ts';
import { MailQueue } from '../../../../application/outgoing/mail-queue.ts';
import { disableUser } from '../../../../domain/user-state.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { now, verified } from '../../../support/users.ts';

const policy = { lifetimeMs: 1_000, resendIntervalMs: null };
const to = addressOf('new@example.com');

/** A request for a new address by a client that prefers these languages. */
const requested = async (languages: readonly string[]) => {
  const clock = new ManualClock(now);
  const queue = new MailQueue(clock, () => 'an id');
  const linkOf = (kind: string) => (address: string, token: string) => `${kind} ${address} ${token}`;
  const mails = {
    queue,
    localeOf: (_: unknown, [language = 'en']: readonly string[]) => language,
    confirmLinkOf: linkOf('confirm'),
    cancelLinkOf: linkOf('cancel'),
  };
  const change = new AddressMoves({ find: async () => undefined }, clock, mails, policy).request(languages);
  const outcome = await change.apply(verified, to);
  if (isLeft(outcome)) throw new Error(outcome.left.code);
  return { change, user: outcome.right, clock };
};

describe('a request for a new address', () => {
  it('makes a mail to each address, in the language of the request, which expires with the change', async () => {
    const { change, user } = await requested(['de']);
    const [confirm, cancel] = change.mails(user).map(({ body }) => JSON.parse(body));
    const common = { locale: 'de', expires: now + policy.lifetimeMs };
    const { address } = verified.email;
    expect(confirm).to.deep.equal({ ...common, kind: 'change', to, secret: confirm.secret });
    expect(cancel).to.deep.equal({ ...common, kind: 'changeNotice', to: address, about: to, secret: cancel.secret });
    for (const [mail, kind, digest] of [
      [confirm, 'confirm', user.addressMove?.confirmDigest],
      [cancel, 'cancel', user.addressMove?.cancelDigest],
    ]) {
      const [given, email, token] = mail.secret.split(' ');
      expect([given, email, digestOfLinkToken(token)]).to.deep.equal([kind, address, digest]);
      expect(token).to.match(/^[\w-]{43}$/);
    }
  });

  it('makes no mails where the user has not got its change', async () => {
    const { change, user } = await requested([]);
    expect(change.mails(verified)).to.deep.equal([]);
    expect(change.mails(user)).to.have.lengthOf(2);
  });

  it('authorizes the holder of the token, unless the user is disabled', async () => {
    const { change, user, clock } = await requested([]);
    const secret: string = JSON.parse(change.mails(user)[0]?.body ?? '').secret;
    const authorize = authorizeByMoveToken('confirmDigest', secret.split(' ')[2] ?? '', policy, clock);
    const stored = { user, version: 'a version' };
    expect(isRight(await authorize(stored))).to.equal(true);
    const disabled = disableUser(user, { reason: 'a test', until: undefined }, now);
    expect(await authorize({ ...stored, user: disabled })).to.have.nested.property('left.code', 'token_mismatch');
    expect(await authorize(undefined)).to.have.nested.property('left.code', 'token_mismatch');
  });
});
