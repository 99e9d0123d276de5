import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { at, Caller, type HttpResponse } from './caller.ts';
import { type Guarantee, isSoakRun } from './guarantee.ts';

const address = 'overload@example.com';
const password = 'a password of the overload';

const check = (caller: Caller): Promise<HttpResponse | undefined> =>
  caller.call('GET', at(address), undefined, { password });

/** Password checks per second of a saturated service. */
const capacityOf = async (caller: Caller): Promise<number> => {
  const until = performance.now() + 1_000;
  let done = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < until) if ((await check(caller))?.status === 200) done += 1;
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return done;
};

interface Tally {
  served: number;
  refused: number;
}

/** Calls at a constant rate (per second), independent of the responses. */
const sendAtRate = async (caller: Caller, rate: number, seconds: number, tally: Tally): Promise<void> => {
  const calls: Promise<void>[] = [];
  const call = async (): Promise<void> => {
    const response = await check(caller);
    expect(response?.status, response?.body).to.be.oneOf([200, 503]);
    if (response?.status === 503) {
      expect(response.headers['retry-after'], 'Retry-After of a refusal').to.equal('2');
      tally.refused += 1;
    } else tally.served += 1;
  };
  const started = performance.now();
  while (performance.now() < started + seconds * 1_000) {
    const due = ((performance.now() - started) / 1_000) * rate;
    while (calls.length < due) calls.push(call());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(calls);
};

/** Requests a path repeatedly. Resolves with the response times in milliseconds. */
export const measureResponseTimes = async (
  url: string,
  path: string,
  isOver: () => boolean,
): Promise<readonly number[]> => {
  const caller = new Caller(url);
  const times: number[] = [];
  while (!isOver()) {
    const asked = performance.now();
    expect((await caller.call('GET', path))?.status).to.equal(200);
    times.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  caller.close();
  return times;
};

/** Starts a process that responds without any work: its response times show how busy the machine is. */
export const startIdleServer = async (installation: Installation): Promise<string> => {
  const script = `require('node:http').createServer((_, answer) => answer.end())
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;
  const run = installation.node(['-e', script]);
  await run.until(() => /^\d+\n/.test(run.stdout));
  return `http://127.0.0.1:${run.stdout.trim()}`;
};

export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;

interface Measurement extends Tally {
  /** Password checks per second before the overload. */
  readonly capacity: number;
  /** Response time of the health endpoint in milliseconds. */
  readonly p99: number;
  /** The same of an idle process. */
  readonly idle: number;
}

const measure = async (adminUrl: string, idleServer: string, caller: Caller, seconds: number): Promise<Measurement> => {
  const capacity = await capacityOf(caller);
  const tally: Tally = { served: 0, refused: 0 };
  let isOver = false;
  const watching = Promise.all([
    measureResponseTimes(adminUrl, '/healthcheck', () => isOver),
    measureResponseTimes(idleServer, '/', () => isOver),
  ]);
  await sendAtRate(caller, capacity * 10, seconds, tally);
  isOver = true;
  const [health, others] = await watching;
  return { ...tally, capacity, p99: percentile(health, 0.99), idle: percentile(others, 0.99) };
};

/**
 * In the short run, other work on the machine may delay responses: subtract the time of an idle process, and repeat a
 * measurement that failed. The soak run measures once, and uses the figure as it is.
 */
const delay = ({ p99, idle }: Measurement): number => (isSoakRun ? p99 : p99 - idle);
const attempts = isSoakRun ? 1 : 3;

const holds = (measurement: Measurement, seconds: number): boolean =>
  delay(measurement) < 100 && measurement.served > (measurement.capacity * seconds) / 2;

/** Sends ten times as many slow password checks as the processors can do. A round is one second. */
export const overload: Guarantee = {
  name: 'at ten times the capacity for slow password checks the health endpoint responds within 100 ms at p99, the excess gets 503 with Retry-After, and the rest is served',
  rounds: { short: 4, long: 20 },
  timeoutMs: 90_000,
  run: async (seconds) => {
    const installation = await Installation.create();
    try {
      await installation.configure({ passwordHash: { algorithm: 'bcrypt', serverSideHash: true } });
      const serving = await installation.serve();
      const idleServer = await startIdleServer(installation);
      const caller = new Caller(serving.url, 30_000);
      await caller.call('POST', '/users', { email: { address }, password });
      let last = await measure(serving.adminUrl, idleServer, caller, seconds);
      for (let attempt = 1; attempt < attempts && !holds(last, seconds); attempt++)
        last = await measure(serving.adminUrl, idleServer, caller, seconds);
      caller.close();
      const { p99, idle, served, refused, capacity } = last;
      expect(refused).to.be.greaterThan(0);
      expect(served, 'checks served').to.be.greaterThan((capacity * seconds) / 2);
      expect(delay(last), `health, p99 in milliseconds (an idle process: ${idle})`).to.be.lessThan(100);
      return `${seconds} s at ${capacity * 10}/s: health p99 ${p99.toFixed(0)} ms (an idle process: ${idle.toFixed(0)} ms), ${served} served (capacity ${capacity}/s), ${refused} refused with 503`;
    } finally {
      await installation.dispose();
    }
  },
};
