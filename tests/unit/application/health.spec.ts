import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';
import { CheckOrSuccess, type Component, HealthMonitor, healthOf, isHealthy } from '../../../application/health.ts';

const component = (check: () => Promise<string>): Component => ({ name: 'database', check });

describe('healthOf', () => {
  it('returns the line of a healthy component', async () => {
    expect(await healthOf(component(async () => 'works'))).to.deep.equal({ healthy: true, message: 'works' });
  });

  it('returns the message of a Fault', async () => {
    const failing = component(() => Promise.reject(new Fault('store_unavailable', 'no connection')));
    expect(await healthOf(failing)).to.deep.equal({ healthy: false, message: 'no connection' });
  });

  it('returns the kind and the place of any other error, without its message', async () => {
    const failing = component(() => Promise.reject(new TypeError('password=secret')));
    const { healthy, message } = await healthOf(failing);
    expect(healthy).to.equal(false);
    expect(message).to.match(/^unexpected TypeError at .*health\.spec\.ts:\d+:\d+\)?$/);
  });
});

describe('the check of a component that serves requests', () => {
  const hanging = new Promise<string>(() => {});
  const unavailable = new Fault('store_unavailable', 'no answer');
  const failAfter = (ms: number) => () => new Promise<string>((_, reject) => setTimeout(() => reject(unavailable), ms));

  /** The outcome of a second check that gets no answer, while a request succeeds. */
  const secondCheck = async (first: () => Promise<string>): Promise<string> => {
    let check = first;
    let lastSuccessMs = Number.NEGATIVE_INFINITY;
    const component = new CheckOrSuccess(
      () => check(),
      () => lastSuccessMs,
    );
    await component.run().catch(() => undefined);
    check = () => hanging;
    const outcome = component.run();
    setTimeout(() => {
      lastSuccessMs = performance.now();
    }, 10);
    return Promise.race([outcome, new Promise<string>((resolve) => setTimeout(resolve, 1_000, 'waits'))]);
  };

  it('ends with the first success of a request, after a check that timed out', async () => {
    expect(await secondCheck(failAfter(1_100))).to.match(/answers requests/);
  });

  it('waits for its answer when requests have succeeded for the limited time without it', async () => {
    let check = failAfter(1_100);
    const component = new CheckOrSuccess(
      () => check(),
      () => performance.now(),
      1,
    );
    await component.run().catch(() => undefined);
    check = () => hanging;
    expect(await component.run()).to.match(/answers requests/);
    const next = component.run();
    expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))])).to.equal('waits');
  });

  it('waits for its answer after a check that was refused at once, or succeeded', async () => {
    expect(await secondCheck(failAfter(0))).to.equal('waits');
    expect(await secondCheck(async () => 'works')).to.equal('waits');
  });
});

describe('HealthMonitor', () => {
  it('checks once for concurrent callers', async () => {
    let checks = 0;
    const monitor = new HealthMonitor(() => [component(async () => `check ${++checks}`)]);
    const reports = await Promise.all([monitor.report(), monitor.report(), monitor.report()]);
    expect(checks).to.equal(1);
    for (const report of reports) expect(report.get('database')).to.deep.equal({ healthy: true, message: 'check 1' });
  });

  it('returns a fresh report again while all components are healthy', async () => {
    let checks = 0;
    const monitor = new HealthMonitor(() => [component(async () => `check ${++checks}`)]);
    await monitor.report();
    expect(isHealthy(await monitor.report())).to.equal(true);
    expect(checks).to.equal(1);
  });

  it('checks again for every caller while a component is not healthy', async () => {
    let checks = 0;
    const monitor = new HealthMonitor(() => [
      component(async () => {
        if (++checks === 1) throw new Fault('store_unavailable', 'no connection');
        return 'works';
      }),
    ]);
    expect(isHealthy(await monitor.report())).to.equal(false);
    expect(isHealthy(await monitor.report())).to.equal(true);
    expect(checks).to.equal(2);
  });
});
