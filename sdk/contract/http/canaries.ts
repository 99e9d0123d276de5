import { expect } from 'chai';
import { newPassword } from './client.ts';
import type { Harness } from './harness.ts';

/** Looks through everything that the run said so far to those who may not know its secrets; it belongs at the end. */
export const canaries = (harness: Harness): void => {
  it('no error body, header of it, line of the log or metric holds a password, token, hash or key of the run', async () => {
    const { client, adminUrl, log } = await harness.service();
    const account = await client.create();
    const [query, token] = [{ email: account.address }, await client.token(account)];
    await client.get('/users', { query, password: newPassword() });
    await client.get('/verify', { query: { ...query, token: `${token}!` } });
    harness.witness.overhear(await (await fetch(`${adminUrl}/metrics`)).text());
    await log();
    const { secrets, texts } = harness.witness.seen;
    // The credentials, two passwords and the token; the two errors, and the lines of the log about all of it, and the metrics.
    expect(secrets).to.be.at.least(4);
    expect(texts).to.be.at.least(7);
    expect(harness.witness.leaks()).to.deep.equal([]);
  });
};
