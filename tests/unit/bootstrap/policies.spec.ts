import { expect } from 'chai';
import { policiesOf } from '../../../bootstrap/container.ts';
import { configured, database, withMails } from './configuration/read-configuration.ts';

describe('the policies of the use cases', () => {
  it('are the options of the blocks, under their names', async () => {
    const email = ', verificationOnUpdate: server, tokenLifetime: 1h, resendInterval: 1m';
    const file = `${withMails(email)}\nprivacy: {hideUnknownUsers: true}\npasswordHash: {serverSideHash: true}\noperationTimeout: 5s`;
    expect(policiesOf(await configured(file))).to.include({
      verificationOnUpdate: 'server',
      tokenLifetimeMs: 3_600_000,
      resendIntervalMs: 60_000,
      hideUnknownUsers: true,
      serverSideHash: true,
      headerCheck: true,
      timeoutMs: 5_000,
    });
  });

  it('include the options of updates when no mails are sent', async () => {
    const file = `${database}\nemail: {type: none, verificationOnUpdate: server}`;
    expect(policiesOf(await configured(file))).to.include({ verificationOnUpdate: 'server', tokenLifetimeMs: null });
  });
});
