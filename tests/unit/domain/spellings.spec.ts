import { expect } from 'chai';
import * as fc from 'fast-check';
import { isLeft } from 'fp-ts/lib/Either.js';
import { confirmMove, requestMove, waitsFor } from '../../../domain/address-move.ts';
import { checkSpelling, EmailAddress, keyOf } from '../../../domain/email-address.ts';
import { issueRecovery } from '../../../domain/recovery.ts';
import type { User } from '../../../domain/user.ts';
import { isSameMailbox, updateUser } from '../../../domain/user-update.ts';
import { addresses, addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { invalidSpellings, spellings } from '../../../sdk/contract/spellings.ts';
import { now, token } from '../../support/users.ts';

/** A verified user with every link outstanding. */
const linked = (address: string): User => {
  const user = userOf(address);
  const email = { ...user.email, verification: { verified: true, token, tokenTime: now }, mailTime: now };
  const move = { to: addressOf('new@example.com'), confirmDigest: 'new', cancelDigest: 'old' };
  return issueRecovery(requestMove({ ...user, email }, move, now), 'lost', now);
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
        const next = updateUser(user, { address: to, properties: user.properties }, user.password, now + 5);
        const { mailTime } = user.email;
        expect(next.email).to.deep.equal(
          isSame
            ? { ...user.email, address: to }
            : { address: to, verification: { verified: false, token: null }, mailTime },
        );
        const { recovery, addressMove } = user;
        const links = isSame ? { recovery, addressMove } : { recovery: { time: now }, addressMove: undefined };
        expect({ recovery: next.recovery, addressMove: next.addressMove }).to.deep.equal(links);
      });

      it(`take the verification from the body of an update, where it is supplied (${title})`, () => {
        const user = linked(from);
        const update = { address: to, verified: true, verificationToken: 'mine', properties: user.properties };
        const { email, recovery } = updateUser(user, update, user.password, now + 5);
        expect(email).to.deep.include({
          address: to,
          verification: { verified: true, token: 'mine', tokenTime: now + 5 },
        });
        expect(recovery?.digest).to.equal(isSame ? 'lost' : undefined);
      });

      it(`are ${isSame ? 'one change' : 'two changes'} that waits for its confirmation (${title})`, () => {
        const move = { to: from, confirmDigest: 'new', cancelDigest: 'old' };
        expect(waitsFor(requestMove(linked('jane@example.com'), move, now), to, 1, now)).to.equal(isSame);
      });

      it(`end every link when the new mailbox confirms it (${title})`, () => {
        const move = { to, confirmDigest: 'new', cancelDigest: 'old' };
        const moved = confirmMove(requestMove(linked(from), move, now), now + 5);
        const { email, recovery, addressMove } = moved;
        expect(email).to.deep.include({ address: to, verification: { verified: true, token: null } });
        expect(recovery).to.deep.equal({ time: now });
        expect(addressMove).to.deep.equal({ since: now, confirmDigest: 'new' });
      });
    }
});

/** The message of a refusal; undefined for an address that is accepted. */
const refusalOf = (address: string): string | undefined => {
  const checked = checkSpelling(addressOf(address));
  if (!isLeft(checked)) return undefined;
  const { code, errors = [] } = checked.left;
  expect([code, errors.length, errors[0]?.path]).to.deep.equal(['unsuitable_address', 1, 'email.address']);
  return errors[0]?.message;
};

describe('the spelling of a new address', () => {
  for (const { why, one, other, accepted } of spellings)
    it(`is accepted for ${accepted}: ${why}`, () =>
      expect([one, other].map((address) => refusalOf(address) === undefined)).to.deep.equal([
        accepted !== 'none',
        accepted === 'both',
      ]));

  for (const address of invalidSpellings)
    it(`is invalid: ${JSON.stringify(address)}`, () => expect(EmailAddress.is(address)).to.equal(false));

  for (const [address, message] of [
    ['jane@bücher.example', 'must be written with the domain xn--bcher-kva.example'],
    ['jäne@BÜCHER.example', 'must be written with the domain xn--bcher-kva.example'],
    ['jane@ｅxample.com', 'must be written with the domain example.com'],
    ['jane@straße.example', 'must be written with the domain xn--strae-oqa.example'],
    ['jane@σίσυφος.example', 'must be written with the domain xn--kxa6ajbbmh.example'],
    ['jane@１２７.0.0.1', 'must be written with the domain 127.0.0.1'],
    ['jane@xn--zzzzzz99999.com', undefined],
    [`jane@${'漢'.repeat(60)}.example`, 'must have a valid domain'],
    ['"jane.doe"@example.com', 'must be written without quotes'],
    ['"<boss>"@example.com', 'must have no < and >, and backslashes only before " and \\'],
    ['"jane\\ doe"@example.com', 'must have no < and >, and backslashes only before " and \\'],
    ['"jane doe"@example.com', undefined],
    ['"a \\"b\\" \\\\, @ c"@example.com', undefined],
    ['""@example.com', undefined],
    ['"jane doe"@bücher.example', 'must be written with the domain xn--bcher-kva.example'],
    ['jörg@example.com', undefined],
    ['jörg@127.1', undefined],
    ['jane@XN--BCHER-KVA.example', undefined],
    ['JANE@Example.COM', undefined],
    ['axn--x@example.com', undefined],
    ['jane@axn--x.example', undefined],
  ] as const)
    it(`${message ?? 'is accepted'}: ${address.slice(0, 40)}`, () => expect(refusalOf(address)).to.equal(message));

  it('has a domain in ASCII, and what a refusal says is accepted', () =>
    fc.assert(
      fc.property(addresses, (address) => {
        const message = refusalOf(address);
        const [, domain] = /^must be written with the domain (\S+)$/.exec(message ?? '') ?? [];
        const at = address.lastIndexOf('@');
        if (message === undefined) expect(address.slice(at)).to.match(/^@[!-~]+$/);
        if (domain !== undefined) expect(refusalOf(`${address.slice(0, at)}@${domain}`)).to.equal(undefined);
      }),
    ));

  it('is decided without IDN processing for an ASCII address', () => {
    const { canParse } = URL;
    URL.canParse = () => {
      throw new Error('called');
    };
    try {
      for (const address of ['jane@example.com', 'JANE@Example.COM', 'a+b@1.2']) refusalOf(address);
      expect(() => refusalOf('jane@bücher.test')).to.throw('called');
    } finally {
      URL.canParse = canParse;
    }
  });
});
