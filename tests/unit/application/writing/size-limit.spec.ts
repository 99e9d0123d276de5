import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Either } from 'fp-ts/lib/Either.js';
import { asProperties, userJson } from '../../../../adapters/kit/user-json/user-writer.ts';
import { ConfirmMoveHandler } from '../../../../application/address-moves/confirm-address-move.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { digestOfLinkToken, linkTokens } from '../../../../application/mailed-tokens.ts';
import { PasswordUpdate } from '../../../../application/passwords/password-update.ts';
import { unlimited } from '../../../../application/ports/attempt-counter.ts';
import { ConfirmRecoveryHandler } from '../../../../application/recovery/confirm-recovery.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import type { Failure } from '../../../../domain/failure.ts';
import { maxUserBytes } from '../../../../domain/user-limits.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, withJane } from '../wired-service.ts';

const filledWith = (length: number) => asProperties(`{"a":"${'x'.repeat(length)}"}`);
/** Verified by the hash `sha256`, whose own hashes are longer. */
const password = createHash('sha256').update('secret').digest('hex');
const properties = filledWith(maxUserBytes - userJson(userOf(jane, { password, properties: filledWith(0) })).length);
const larger = asProperties(properties.replace('"a"', '"aa"'));
const longer = addressOf(`${'j'.repeat(40)}@example.com`);

const caller = { key: janeKey, supplied: 'secret', newPassword: undefined } as const;
const change = { key: janeKey, by: administrator } as const;
const policy = { lifetimeMs: 60_000, resendIntervalMs: 0, moveLifetimeMs: 60_000 };

type Change = (service: Service, token: string) => Promise<Either<Failure, unknown>>;

const changes: Readonly<Record<string, Change>> = {
  UpdateUser: ({ commands }) =>
    commands.dispatch({ type: 'UpdateUser', ...caller, update: { address: jane, properties: larger } }),
  PatchUser: ({ commands }) => {
    const email = { verificationToken: 'abc' };
    return commands.dispatch({ type: 'PatchUser', ...caller, email, changeProperties: () => properties });
  },
  SetPassword: ({ commands }) => commands.dispatch({ type: 'SetPassword', ...change, password: 'another' }),
  ClearPassword: ({ commands }) => commands.dispatch({ type: 'ClearPassword', ...change }),
  EditProperties: ({ commands }) =>
    commands.dispatch({ type: 'EditProperties', ...change, changeProperties: () => larger, hasId: false }),
  ChangeAddress: ({ commands }) => commands.dispatch({ type: 'ChangeAddress', ...change, address: longer }),
  ConfirmRecovery: ({ get, clock }, token) =>
    new ConfirmRecoveryHandler(get(OptimisticUpdate), get(PasswordUpdate), linkTokens, clock, policy, unlimited).handle(
      { type: 'ConfirmRecovery', key: janeKey, token, password: 'another' },
      performance.now(),
    ),
  ConfirmChange: ({ get, clock }, token) =>
    new ConfirmMoveHandler(get(OptimisticUpdate), clock, policy).handle(
      { type: 'ConfirmChange', key: janeKey, token },
      performance.now(),
    ),
};

describe('the limit of the size of a user', () => {
  for (const [name, run] of Object.entries(changes))
    it(`is kept by ${name}`, async () => {
      const service = await openService();
      const [token, time] = ['a token', service.clock.now()];
      const digest = digestOfLinkToken(token);
      const addressMove = { to: longer, since: time, confirmDigest: digest, cancelDigest: 'other' };
      const before = await withJane(service, { password, properties, recovery: { digest, time }, addressMove });
      expect(leftOf(await run(service, token))).to.deep.equal({ code: 'user_too_large' });
      expect((await service.store.now(janeKey))?.user).to.deep.equal(before);
    });
});
