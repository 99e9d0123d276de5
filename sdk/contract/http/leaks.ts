import { expect } from 'chai';
import { newPassword } from './client.ts';
import type { Harness } from './harness.ts';

/** Searches all output of the run so far for its secrets. Must be the last suite. */
export const secretLeaks = (harness: Harness): void => {
  it('no error response, log line or metric of this run contains a password, token, hash or key', async () => {
    const { client, adminUrl, log } = await harness.service();
    const account = await client.create();
    const [query, token] = [{ email: account.address }, await client.token(account)];
    await client.get('/users', { query, password: newPassword() });
    await client.get('/verify', { query: { ...query, token: `${token}!` } });
    harness.leakDetector.addOutput(await (await fetch(`${adminUrl}/metrics`)).text());
    await log();
    const { secrets, outputs } = harness.leakDetector.counts;
    // At least the credentials, two passwords and the token; two error responses, four log lines and the metrics.
    expect(secrets).to.be.at.least(4);
    expect(outputs).to.be.at.least(7);
    expect(harness.leakDetector.leaks()).to.deep.equal([]);
  });
};
