import { expect } from 'chai';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { codeTokens } from '../../../../application/mailed-tokens.ts';
import { PasswordUpdate } from '../../../../application/passwords/password-update.ts';
import { type AttemptThrottle, unlimited } from '../../../../application/ports/attempt-counter.ts';
import { ConfirmRecoveryHandler } from '../../../../application/recovery/confirm-recovery.ts';
import { IssueRecoveryHandler } from '../../../../application/recovery/issue-recovery.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { uniqueProperty } from '../../../../domain/property-folding.ts';
import { nameOfProperty, type UserKey } from '../../../../domain/user-name.ts';
import { leftOf, rightOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService } from '../wired-service.ts';

const username = uniqueProperty('username', 'string', 'username');
const named = (value: string): UserKey => nameOfProperty(username, value) ?? janeKey;

describe('a recovery of a user who is found by a name', () => {
  const opened = async () => {
    const service = await openService({ unique: [username] });
    const attempts: string[] = [];
    const throttle: AttemptThrottle = {
      run: (attempt, check) => {
        attempts.push(attempt.user);
        return unlimited.run(attempt, check);
      },
    };
    const limits = { ...userLimits(), lifetimeMs: 60_000, resendIntervalMs: 60_000 };
    const tokens = codeTokens([{ secret: 'a key', expires: null }], service.clock);
    const updates = service.get(OptimisticUpdate);
    const issue = new IssueRecoveryHandler(updates, service.clock, tokens, limits, []);
    const reset: string[] = [];
    const counter = (kind: string) => ({ reset: async (user: string) => void reset.push(`${kind} ${user}`) });
    const confirm = new ConfirmRecoveryHandler(
      updates,
      service.get(PasswordUpdate),
      tokens,
      service.clock,
      limits,
      throttle,
      { passwords: counter('passwords'), tokens: counter('tokens') },
    );
    userIn(
      await service.commands.dispatch({
        type: 'CreateUser',
        address: jane,
        password: 'secret',
        properties: asProperties('{"username":"jane"}'),
      }),
    );
    const issueTo = (key: UserKey) => issue.handle({ type: 'IssueRecovery', key, languages: [] }, performance.now());
    const confirmAs = (key: UserKey, token: string) =>
      confirm.handle({ type: 'ConfirmRecovery', key, token, password: 'another' }, performance.now());
    return { issueTo, confirmAs, attempts, reset };
  };

  it('works with the code, by whichever key it was requested and is confirmed, and ends the counts under all keys', async () => {
    for (const [requested, confirmed] of [
      [named('JANE'), janeKey],
      [janeKey, named('Jane')],
      [named('jane'), named('JANE')],
    ] as const) {
      const { issueTo, confirmAs, attempts, reset } = await opened();
      const { token, address } = rightOf(await issueTo(requested));
      expect(address).to.equal(jane);
      expect(userIn(await confirmAs(confirmed, token)).email.address).to.equal(jane);
      expect(attempts).to.eql([confirmed]);
      const keys = [janeKey, named('jane')];
      expect(reset).to.eql(['passwords', 'tokens'].flatMap((kind) => keys.map((key) => `${kind} ${key}`)));
    }
  });

  it('counts wrong codes under the given key, which tells nothing of other keys, and refuses an unknown name like a wrong code', async () => {
    const { issueTo, confirmAs, attempts } = await opened();
    const { token } = rightOf(await issueTo(named('jane')));
    const wrong = token === '000000' ? '000001' : '000000';
    expect(leftOf(await confirmAs(named('jane'), wrong)).code).to.equal('token_mismatch');
    expect(leftOf(await confirmAs(named('nobody'), token)).code).to.equal('token_mismatch');
    expect(attempts).to.eql([named('jane'), named('nobody')]);
  });
});
