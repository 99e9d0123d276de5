import { expect } from 'chai';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { memory } from '../../../../adapters/stores/memory/index.ts';
import { UserInsertion } from '../../../../application/accounts/create-user.ts';
import { plainTokens } from '../../../../application/mailed-tokens.ts';
import { MailQueue, mailDestination, queuedMailIn, UserMail } from '../../../../application/outgoing/mail-queue.ts';
import { CompleteSignUpHandler } from '../../../../application/sign-up/complete-sign-up.ts';
import { VerificationMailing } from '../../../../application/verification/verification-mailing.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { entityTagOf } from '../../../../domain/entity-tag.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { RecordingMailer } from '../../../support/doubles/recording-mailer.ts';
import { sequentialTokens } from '../../../support/doubles/sequential-tokens.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { jane, now } from '../../../support/users.ts';

const intervalMs = 60_000;

describe('CompleteSignUp', () => {
  const opened = async () => {
    const store = await memory.open({}, silentContext);
    const clock = new ManualClock(now);
    const users = new SettlingStore(store);
    const updates = new OptimisticUpdate(users, userLimits());
    let ids = 0;
    const queue = new MailQueue(clock, () => String(ids++));
    const texts = { compose: () => expect.fail('mails are queued') };
    const tokens = plainTokens(sequentialTokens());
    const mails = { texts, localeOf: () => 'en', secretOf: (base: string) => base, queue, tokens };
    const policy = { tokenLifetimeMs: null, resendIntervalMs: 3_600_000, hideUnknownUsers: false };
    const mailing = new VerificationMailing(updates, clock, mails, new RecordingMailer(), policy);
    const mail = new UserMail(
      queue,
      () => 'en',
      () => 'https://app.example.com/',
      'accountExists',
    );
    const notices = { mail, intervalMs };
    const baseUrl = 'https://users.example.com';
    const handler = new CompleteSignUpHandler(
      new UserInsertion(users, userLimits()),
      updates,
      mailing,
      notices,
      clock,
      baseUrl,
    );
    const signUp = (hash: string, requestedTime = clock.now()) => {
      const stored = { address: jane, hash, properties: asProperties('{"a":1}'), languages: [], requestedTime };
      return handler.handle({ type: 'CompleteSignUp', ...stored }, performance.now());
    };
    const kinds = async () => {
      const { events } = (await store.events?.list(mailDestination, 10)) ?? { events: [] };
      return events.map(({ body }) => queuedMailIn(body)?.kind);
    };
    return { clock, signUp, kinds, read: () => users.find(keyOf(jane)) };
  };

  it('has the same result if it is answered twice, also much later, and if the clock of its process is ahead', async () => {
    const { clock, signUp, kinds, read } = await opened();
    await signUp('a hash', now + 5);
    const before = await read();
    expect(before?.user).to.deep.include({ password: 'a hash', creationTime: now + 5, properties: '{"a":1}' });
    clock.time += 10 * intervalMs;
    await signUp('a hash', now + 5);
    expect(await kinds()).to.deep.equal(['verification']);
    expect(await read()).to.deep.equal(before);
  });

  it('mails one notice per interval after any mail to the user, and none twice for one sign-up', async () => {
    const { clock, signUp, kinds, read } = await opened();
    await signUp('a hash');
    const before = await read();
    clock.time += intervalMs - 1;
    await signUp('of somebody');
    expect(await kinds()).to.deep.equal(['verification']);
    clock.time += 1;
    const requestedTime = clock.now() - 5;
    for (let attempt = 0; attempt < 2; attempt++) {
      await signUp('of somebody', requestedTime);
      clock.time += 2 * intervalMs;
    }
    expect(await kinds()).to.deep.equal(['verification', 'accountExists']);
    await signUp('of somebody');
    expect(await kinds()).to.deep.equal(['verification', 'accountExists', 'accountExists']);
    const after = await read();
    expect(after && entityTagOf(after)).to.equal(before && entityTagOf(before));
    expect(after?.user).to.deep.include({ password: 'a hash', lastUpdateTime: before?.user.lastUpdateTime });
  });
});
