import { expect } from 'chai';
import { FailedLogins } from '../../../../../../adapters/http/admin/administration/failed-logins.ts';

describe('failed logins of administrators', () => {
  it('are counted per /64 network of IPv6', async () => {
    const logins = new FailedLogins();
    const at = (address: string) => ({ address, isCrossSite: false });
    for (let n = 1; n <= 10; n++) await logins.add(at(`2001:db8:0:1::${n}`));
    expect((await logins.statusOf(at('2001:db8:0:1:ffff::'))).wasBlocked).to.equal(true);
    expect((await logins.statusOf(at('2001:db8:0:2::1'))).wasBlocked).to.equal(false);
    expect(await logins.statusOf(at('::ffff:192.0.2.1'))).to.deep.equal({ wasBlocked: false, blockedForSeconds: 0 });
  });

  it('are answered late, unless too many responses are delayed already', async () => {
    const logins = new FailedLogins();
    const waiting = Array.from({ length: 32 }, () => logins.delay().then(() => 'late'));
    const further = logins.delay().then(() => 'at once');
    expect(await Promise.race([...waiting, further])).to.equal('at once');
    await Promise.all(waiting);
    // Further responses can be delayed again.
    const soon = new Promise((resolve) => setImmediate(() => resolve('at once')));
    expect(await Promise.race([logins.delay().then(() => 'late'), soon])).to.equal('at once');
  });
});
