import { mock } from 'node:test';
import { expect } from 'chai';
import { mergeValues } from '../../sdk/contract/merge-patches.ts';
import type { Caller, HttpResponse } from './caller.ts';
import { Writer, writesOf } from './crash-recovery.ts';
import { kill, killDuringChanges } from './kill.ts';
import { expectLinearizable, operate } from './linearizability.ts';
import { RandomStream } from './random.ts';

interface StoredUser {
  readonly properties: object;
  readonly version: number;
}

/** A service that keeps its users in memory. */
abstract class FakeService implements Pick<Caller, 'call'> {
  /** What it was sent, in order. */
  readonly sent: string[] = [];
  protected users = new Map<string, StoredUser>();
  private versions = 0;

  /** Waits between the read and the write of a change. */
  protected abstract pause(): Promise<void>;
  protected abstract isCurrent(read: StoredUser | undefined, now: StoredUser | undefined): boolean;

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse | undefined> {
    const { email, password: _, ...properties } = Object(body);
    const address = String(email?.address ?? new URLSearchParams(path.split('?')[1]).get('email'));
    this.sent.push(`${method} ${address} ${JSON.stringify(body)} ${headers['If-Match']}`);
    for (;;) {
      const read = this.users.get(address);
      await this.pause();
      if (method === 'POST' ? read !== undefined : read === undefined)
        return this.answer(method === 'POST' ? 409 : 404);
      if (headers['If-Match'] !== undefined && headers['If-Match'] !== `${read?.version}`) return this.answer(412);
      if (method === 'GET') return this.answer(200, read);
      if (!this.isCurrent(read, this.users.get(address))) continue;
      if (method === 'DELETE') {
        this.users.delete(address);
        return this.answer(200, read);
      }
      const next = method === 'PATCH' ? Object(mergeValues(read?.properties, properties)) : properties;
      const isSame = method === 'PATCH' && JSON.stringify(next) === JSON.stringify(read?.properties);
      const written = isSame && read !== undefined ? read : { properties: next, version: ++this.versions };
      this.users.set(address, written);
      return this.answer(method === 'POST' ? 201 : 200, written);
    }
  }

  private answer(status: number, user?: StoredUser): HttpResponse {
    const body = user === undefined ? '' : JSON.stringify({ ...user.properties, lastUpdateTime: user.version });
    return { status, body, headers: { etag: user && `${user.version}` } };
  }
}

/** Loses the condition on the version once. */
class RacyService extends FakeService {
  private races = 0;

  /** `maxTurns` bounds how long an answer takes. */
  constructor(private readonly maxTurns: number) {
    super();
  }

  protected async pause(): Promise<void> {
    for (let turn = this.sent.length % this.maxTurns; turn >= 0; turn--) await Promise.resolve();
  }

  protected isCurrent(read: StoredUser | undefined, now: StoredUser | undefined): boolean {
    return read === now || ++this.races === 20;
  }
}

/** Acknowledges what a kill loses: it stores changes every few milliseconds only. */
class LateService extends FakeService {
  private durable = new Map<string, StoredUser>();
  private isKilled = false;
  private storing = setInterval(() => {
    this.durable = new Map(this.users);
  }, 5);

  kill(): boolean {
    this.isKilled = true;
    clearInterval(this.storing);
    return true;
  }

  restart(): void {
    this.isKilled = false;
    this.users = this.durable;
  }

  protected pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 1));
  }

  protected isCurrent(): boolean {
    return true;
  }

  override async call(...request: Parameters<Caller['call']>): Promise<HttpResponse | undefined> {
    const response = await super.call(...request);
    return this.isKilled ? undefined : response;
  }
}

const findingOf = async (check: () => unknown): Promise<unknown> => {
  try {
    await check();
    return undefined;
  } catch (error) {
    return { message: Object(error).message, actual: Object(error).actual };
  }
};

const history = async (seed: string, maxTurns = 5) => {
  const service = new RacyService(maxTurns);
  const histories = await operate(service, 300, new RandomStream(seed));
  return { sent: service.sent, histories };
};

const race = async (seed: string) => {
  const { sent, histories } = await history(seed);
  return { sent, finding: await findingOf(() => expectLinearizable(histories)) };
};

/** Lets a simulated millisecond pass, again and again, until the work is done. */
const simulated = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  try {
    let isOver = false;
    const result = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(1);
    }
    return await result;
  } finally {
    mock.timers.reset();
  }
};

const crash = (seed: string) =>
  simulated(async () => {
    const service = new LateService();
    const writers = Array.from({ length: 16 }, (_, index) => new Writer(`writer-${index}`));
    const chosen = kill(new RandomStream(seed), 30, 130);
    const killing = killDuringChanges(service, () => writesOf(writers), chosen);
    await Promise.all([killing, ...writers.map((writer) => writer.write(service))]);
    const sent = [...service.sent];
    service.restart();
    const finding = await findingOf(() => Promise.all(writers.map((writer) => writer.verify(service))));
    return { chosen, sent, finding };
  });

describe('a seed', () => {
  it('repeats the operations of concurrent clients, and with them what they find', async () => {
    const first = await race('1');
    expect(first.finding).to.have.property('message').that.includes('no order of the operations explains');
    expect(await race('1')).to.deep.equal(first);
    expect((await history('2')).sent).to.not.deep.equal(first.sent);
  });

  it('repeats the operations also when they are answered in another order', async () => {
    const withoutTags = (sent: readonly string[]) => sent.map((request) => request.replace(/ \S+$/, ''));
    const [one, other] = [withoutTags((await history('1')).sent), withoutTags((await history('1', 7)).sent)];
    expect(other).to.not.deep.equal(one);
    expect(other.toSorted()).to.deep.equal(one.toSorted());
  });

  it('repeats the kill of a service, and with it what it loses', async () => {
    const first = await crash('1');
    expect(first.finding).to.have.property('message').that.includes('neither in the acknowledged nor');
    expect(await crash('1')).to.deep.equal(first);
    expect((await crash('2')).chosen).to.not.deep.equal(first.chosen);
  });
});
