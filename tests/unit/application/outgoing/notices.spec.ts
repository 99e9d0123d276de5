import { expect } from 'chai';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { MailQueue, type NoticeTopic, noticeTopics } from '../../../../application/outgoing/mail-queue.ts';
import { Notices } from '../../../../application/outgoing/notices.ts';
import { recoverPassword } from '../../../../domain/recovery.ts';
import type { User } from '../../../../domain/user.ts';
import { disableUser, enableUser } from '../../../../domain/user-state.ts';
import { withPassword, withRehashedPassword } from '../../../../domain/user-update.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { now, verified } from '../../../support/users.ts';

const german: User = { ...verified, properties: asProperties('{"locale":"de"}') };
const moved: User = { ...german, email: { ...german.email, address: addressOf('new@example.com') } };
const temporary = disableUser(german, { reason: 'a test', until: now + 1_000 }, now);
const recovered = recoverPassword(german, 'another', now);

/** The bodies of the notices of a change. */
const noticesOf = (
  topics: readonly NoticeTopic[],
  previous: User,
  next: User | 'removed',
  circumstances: Parameters<Notices['of']>[2] = {},
  clock = new ManualClock(now),
) => {
  const localeOf = ({ properties }: User, [requested = 'en']: readonly string[]): string =>
    Object(JSON.parse(properties)).locale ?? requested;
  const made = new Notices(topics, new MailQueue(clock, () => 'an id'), localeOf, clock);
  return made.of(previous, next, circumstances).map(({ body }) => JSON.parse(body));
};

const kindsOf = (...input: Parameters<typeof noticesOf>) => noticesOf(...input).map(({ kind }) => kind);

describe('the notices of a change', () => {
  it('go to the address and are in the language from before it, hold no secret, and do not expire', () => {
    const next = { ...withPassword(moved, 'another', now), properties: asProperties('{"locale":"fr"}') };
    expect(noticesOf(noticeTopics, german, next)).to.deep.equal([
      { kind: 'addressNotice', to: german.email.address, locale: 'de', secret: '', expires: null },
    ]);
  });

  it('are about the most serious part of it that users are told of, and never two', () => {
    const next = withPassword(moved, 'another', now);
    expect(kindsOf(['password', 'state', 'address'], german, next)).to.deep.equal(['addressNotice']);
    expect(kindsOf(['password', 'state'], german, next)).to.deep.equal(['passwordNotice']);
    expect(kindsOf(['state'], german, next)).to.deep.equal([]);
  });

  for (const [topics, expected] of [
    [['password', 'recovery'], ['recoveryNotice']],
    [['recovery'], ['recoveryNotice']],
    [['password'], ['passwordNotice']],
    [['address', 'state'], []],
  ] as const)
    it(`of a recovery, with ${topics}: ${expected.join() || 'none'}`, () => {
      expect(kindsOf(topics, german, recovered, { isRecovery: true })).to.deep.equal(expected);
    });

  it('are not about recoveries where an update sets the password', () => {
    expect(kindsOf(['recovery'], german, withPassword(german, 'another', now))).to.deep.equal([]);
  });

  it('are none for another hash of the same password', () => {
    expect(kindsOf(noticeTopics, german, withRehashedPassword(german, 'another hash'))).to.deep.equal([]);
  });

  it('tell of a disablement while it lasts', () => {
    expect(kindsOf(noticeTopics, german, temporary)).to.deep.equal(['disabledNotice']);
    expect(kindsOf(noticeTopics, temporary, enableUser(temporary, now))).to.deep.equal(['enabledNotice']);
    const later = new ManualClock(now + 1_000);
    expect(kindsOf(noticeTopics, temporary, enableUser(temporary, later.now()), {}, later)).to.deep.equal([]);
  });

  for (const [reason, expected] of [
    [undefined, ['deletedNotice']],
    ['inactive', ['deletedNotice']],
    ['unverified', []],
    ['erasure', []],
  ] as const)
    it(`of a deletion for the reason ${reason ?? 'of a request'}: ${expected.join() || 'none'}`, () => {
      expect(kindsOf(noticeTopics, german, 'removed', { reason })).to.deep.equal(expected);
      expect(kindsOf(['password', 'address', 'recovery'], german, 'removed', { reason })).to.deep.equal([]);
    });
});
