import { expect } from 'chai';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { Fault } from '../../../../application/fault.ts';
import { type CodeKey, codeTokens, linkTokens, tokenCheck } from '../../../../application/mailed-tokens.ts';
import { PasswordUpdate } from '../../../../application/passwords/password-update.ts';
import { type AttemptThrottle, unlimited } from '../../../../application/ports/attempt-counter.ts';
import { ConfirmRecoveryHandler } from '../../../../application/recovery/confirm-recovery.ts';
import { IssueRecoveryHandler } from '../../../../application/recovery/issue-recovery.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { leftOf, rightOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService } from '../wired-service.ts';

const first: CodeKey = { secret: 'the first key of codes', expires: null };
const next: CodeKey = { secret: 'the next key of codes', expires: null };

describe('the keys of codes', () => {
  const limits = { ...userLimits(), lifetimeMs: 60_000, resendIntervalMs: 1 };

  const opened = async () => {
    const service = await openService();
    userIn(
      await service.commands.dispatch({
        type: 'CreateUser',
        address: jane,
        password: 'secret',
        properties: asProperties('{}'),
      }),
    );
    const { clock } = service;
    const updates = service.get(OptimisticUpdate);
    const issueWith = async (...keys: [CodeKey, ...CodeKey[]]): Promise<string> => {
      const issue = new IssueRecoveryHandler(updates, clock, codeTokens(keys, clock), limits, []);
      return rightOf(await issue.handle({ type: 'IssueRecovery', key: janeKey, languages: [] }, performance.now()))
        .token;
    };
    const confirmWith = (token: string, ...keys: [CodeKey, ...CodeKey[]]) =>
      new ConfirmRecoveryHandler(
        updates,
        service.get(PasswordUpdate),
        codeTokens(keys, clock),
        clock,
        limits,
        unlimited,
      ).handle({ type: 'ConfirmRecovery', key: janeKey, token, password: 'another' }, performance.now());
    return { clock, issueWith, confirmWith };
  };

  it('accept codes of the former key until it expires', async () => {
    const { clock, issueWith, confirmWith } = await opened();
    const code = await issueWith(first);
    const former = { ...first, expires: clock.now() + 1_000 };
    expect(leftOf(await confirmWith(code, next)).code).to.equal('token_mismatch');
    clock.time += 1_000;
    expect(leftOf(await confirmWith(code, next, former)).code).to.equal('token_mismatch');
    clock.time -= 1;
    userIn(await confirmWith(code, next, former));
  });

  it('make codes with the first key', async () => {
    const { issueWith, confirmWith } = await opened();
    const code = await issueWith(next, first);
    expect(leftOf(await confirmWith(code, first)).code).to.equal('token_mismatch');
    userIn(await confirmWith(code, first, next));
  });

  it('make other digests for other purposes, so that a key in two blocks makes no code valid for both', () => {
    const clock = { now: () => 0 };
    const [recovery, verification] = [codeTokens([first], clock), codeTokens([first], clock, 'verification ')];
    expect(verification.digest(janeKey, '123456')).to.not.equal(recovery.digest(janeKey, '123456'));
    expect(verification.digests(janeKey, '123456')).to.eql([verification.digest(janeKey, '123456')]);
  });
});

describe('the check of a token', () => {
  const unavailable: AttemptThrottle = { run: () => Promise.reject(new Fault('store_unavailable', 'no counts')) };

  it('accepts that of a link, which cannot be guessed, also while wrong ones cannot be counted', async () => {
    const token = linkTokens.next();
    const check = (given: string) =>
      tokenCheck(
        linkTokens,
        unavailable,
        { user: janeKey, client: undefined },
        given,
      )(janeKey, linkTokens.digest(janeKey, token));
    expect(rightOf(await check(token))).to.equal(true);
    expect(await check('another').catch((error: unknown) => error)).to.be.instanceOf(Fault);
  });
});
