import { expect } from 'chai';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, withJane } from '../wired-service.ts';

const change = { key: janeKey, by: administrator } as const;
const edited = asProperties('{"edited":true}');

const commands = [
  { type: 'DisableUser', ...change, reason: 'a reason', until: undefined },
  { type: 'EnableUser', ...change },
  { type: 'RequirePasswordChange', ...change },
  { type: 'WithdrawPasswordChange', ...change },
  { type: 'SetPassword', ...change, password: 'another' },
  { type: 'ClearPassword', ...change },
  { type: 'EditProperties', ...change, changeProperties: () => edited, hasId: false },
  { type: 'ForceReset', ...change },
  { type: 'MailVerification', ...change, baseUrl: 'https://users.example.com' },
  { type: 'MarkVerified', ...change },
  { type: 'CancelMove', ...change },
  { type: 'RemoveUser', ...change },
] as const;

describe('the commands of administrators', () => {
  for (const command of commands)
    it(`write nothing after the timeout, when a settled read may have answered: ${command.type}`, async () => {
      const service = await openService({ timeoutMs: 1_000 });
      await withJane(service, {
        email: { address: jane, verification: { verified: command.type !== 'MarkVerified', token: null } },
        ...(command.type === 'CancelMove' && {
          addressMove: { to: addressOf('new@example.com'), since: 1, confirmDigest: 'confirm', cancelDigest: 'cancel' },
        }),
      });
      if (command.type === 'EnableUser') await service.commands.dispatch(commands[0]);
      if (command.type === 'WithdrawPasswordChange') await service.commands.dispatch(commands[2]);
      const before = await service.store.now(janeKey);
      const late = service.commands.dispatch(command, performance.now() - 1_000);
      expect(await rejection(late)).to.include({ code: 'timed_out' });
      expect(await service.store.now(janeKey)).to.deep.equal(before);
    });
});
