import { setTimeout as delay } from 'node:timers/promises';
import { at, type Caller, type HttpResponse } from '../caller.ts';
import type { RandomStream } from '../random.ts';
import type { History, Outcome, UserRequest, UserState } from './history.ts';

/** The pauses between two requests of a writer or a reader, so that the machine is not busy with them alone. */
const writerPauseMs = 5;
const readerPauseMs = 25;

/** Of the users that a reader chooses from, how many were changed last: a failover forgets these first, if any. */
const recentUsers = 3;

/** The statuses of the responses to the requests of the workload. */
const expectedStatuses = [200, 201, 401, 404, 409, 503];

const outcomeOf = (response: HttpResponse | undefined, isCreation: boolean): Outcome => {
  switch (response?.status) {
    case 200:
    case 201:
      return { kind: 'success', state: JSON.parse(response.body).state };
    case 401:
      return { kind: 'wrong password' };
    case 404:
      return { kind: 'not found' };
    case 409:
      return { kind: isCreation ? 'taken' : 'unknown' };
    default:
      return { kind: 'unknown' };
  }
};

/** A user whose requests are recorded. */
class RecordedUser {
  readonly states: UserState[] = [];
  readonly requests: UserRequest[] = [];
  /** Both addresses that the user alternates between. */
  readonly addresses;
  /** The newest state that was acknowledged; -1 before the creation. */
  acknowledged = -1;
  acknowledgedAt = 0;

  constructor(
    private readonly unexpected: HttpResponse[],
    private readonly random: RandomStream,
  ) {
    this.addresses = [random.address(), random.address()] as const;
  }

  create(caller: Caller): Promise<UserRequest> {
    const [first = { address: this.addresses[0], password: this.random.uuid() }] = this.states;
    this.states[0] ??= first;
    const body = { email: { address: first.address }, password: first.password, state: 0 };
    return this.record(caller, 'POST', undefined, 0, body);
  }

  /** Writes the next state with the credentials of an earlier one: another property, password or address. */
  change(caller: Caller, credentials: number): Promise<UserRequest> {
    const { address, password } = this.states[credentials]!;
    const other = this.addresses.find((each) => each !== address)!;
    const random = this.random.stream(this.states.length);
    const next = random.pick<UserState>([
      { address, password },
      { address, password: random.uuid() },
      { address, password: random.uuid() },
      { address: other, password },
    ]);
    const state = this.states.push(next) - 1;
    const body = { email: { address: next.address }, password: next.password, state };
    return this.record(caller, 'PUT', credentials, state, body);
  }

  read(caller: Caller, credentials: number): Promise<UserRequest> {
    return this.record(caller, 'GET', credentials, undefined);
  }

  /** Reads, and asks that no earlier write of the user is applied after the response. */
  readSettled(caller: Caller, credentials: number): Promise<UserRequest> {
    return this.record(caller, 'GET', credentials, undefined, undefined, true);
  }

  private async record(
    caller: Caller,
    method: string,
    credentials: number | undefined,
    writes: number | undefined,
    body?: unknown,
    settles = false,
  ): Promise<UserRequest> {
    const sent = credentials === undefined ? undefined : this.states[credentials]!;
    const called = performance.now();
    const response = await caller.call(method, sent === undefined ? '/users' : at(sent.address), body, {
      ...(sent && { password: sent.password }),
      ...(settles && { Prefer: 'settled' }),
    });
    const answered = performance.now();
    if (response !== undefined && !expectedStatuses.includes(response.status)) this.unexpected.push(response);
    const request = { called, answered, credentials, writes, settles, outcome: outcomeOf(response, method === 'POST') };
    this.requests.push(request);
    if (writes !== undefined && request.outcome.kind === 'success') {
      this.acknowledged = writes;
      this.acknowledgedAt = answered;
    }
    return request;
  }
}

/** When writes of one client succeeded, and when any of its requests failed. */
export interface ClientRecord {
  readonly successes: number[];
  readonly failures: number[];
}

/**
 * Load on several services: each user has one writer on one service, and is read through all of them, with the password
 * of the acknowledged state and with older ones. New users are created through one service, read through the next, and
 * created once more there, which has to fail.
 */
export class Workload {
  readonly clients: readonly ClientRecord[];
  /** Responses with another status than expected. */
  readonly unexpected: HttpResponse[] = [];
  private readonly users: RecordedUser[] = [];
  /** Those of the writers. */
  private readonly changing: RecordedUser[] = [];
  private readonly running: Promise<void>[] = [];
  private stopping = false;

  constructor(
    private readonly callers: readonly Caller[],
    private readonly random: RandomStream,
  ) {
    this.clients = callers.map(() => ({ successes: [], failures: [] }));
  }

  /** Starts writers, readers and creators for each service. */
  start({ writers, readers }: { readonly writers: number; readonly readers: number }): void {
    this.callers.forEach((_, service) => {
      const run = (name: string, count: number, work: (random: RandomStream) => Promise<void>) =>
        this.running.push(
          ...Array.from({ length: count }, (_, client) => work(this.random.stream(service, name, client))),
        );
      run('writer', writers, (random) => this.write(service, random));
      run('reader', readers, (random) => this.readAll(service, random));
      run('creator', 1, (random) => this.createMany(service, random));
    });
  }

  /** Ends all requests. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.running);
  }

  /** The histories, with what is stored: the numbers of the states of the documents with an address. */
  async histories(stored: (address: string) => Promise<readonly number[]>): Promise<readonly History[]> {
    return Promise.all(
      this.users.map(async ({ states, requests, addresses }) => {
        const documents = await Promise.all(addresses.map(stored));
        return { states, requests, stored: documents.flat() };
      }),
    );
  }

  private recentlyChanged(): readonly RecordedUser[] {
    return this.changing.toSorted((one, other) => other.acknowledgedAt - one.acknowledgedAt).slice(0, recentUsers);
  }

  /** Awaits a request on a service, and notes whether it succeeded. */
  private async noted(service: number, request: Promise<UserRequest>): Promise<Outcome> {
    const { outcome, answered, writes } = await request;
    const { successes, failures } = this.clients[service]!;
    if (outcome.kind === 'unknown') failures.push(answered);
    else if (outcome.kind === 'success' && writes !== undefined) successes.push(answered);
    return outcome;
  }

  private async createdUser(service: number, random: RandomStream): Promise<RecordedUser> {
    const user = new RecordedUser(this.unexpected, random);
    this.users.push(user);
    while (!this.stopping) {
      const { kind } = await this.noted(service, user.create(this.callers[service]!));
      // An earlier attempt without an outcome may have created the user.
      if (kind === 'taken') user.acknowledged = 0;
      if (kind !== 'unknown') break;
      await delay(writerPauseMs);
    }
    return user;
  }

  private async write(service: number, random: RandomStream): Promise<void> {
    const caller = this.callers[service]!;
    const user = await this.createdUser(service, random.stream('user'));
    this.changing.push(user);
    /** The states that the user may be in, the most probable first. */
    let possible = [0];
    while (!this.stopping) {
      const [credentials = 0, ...others] = possible;
      const { kind } = await this.noted(service, user.change(caller, credentials));
      const state = user.states.length - 1;
      if (kind === 'success') {
        possible = [state];
        // At once through another service, where the acknowledged state must be visible too.
        const other = (service + 1) % this.callers.length;
        await this.noted(other, user.read(this.callers[other]!, state));
      } else if (kind === 'unknown') {
        possible = [...possible, state];
        if (random.chance(0.5)) possible = await this.settle(service, user, possible);
      }
      // The state is another possible one. Without any, the checker will report the refusal.
      else possible = [...others, credentials];
      await delay(writerPauseMs);
    }
  }

  /** Asks which of the possible states of a user is the final one, with the credentials of each. */
  private async settle(service: number, user: RecordedUser, possible: readonly number[]): Promise<number[]> {
    for (let attempt = 0; !this.stopping; attempt++) {
      const credentials = possible[attempt % possible.length] ?? 0;
      const outcome = await this.noted(service, user.readSettled(this.callers[service]!, credentials));
      if (outcome.kind === 'success') return [outcome.state];
      await delay(writerPauseMs);
    }
    return [...possible];
  }

  private async readAll(service: number, random: RandomStream): Promise<void> {
    const caller = this.callers[service]!;
    while (!this.stopping) {
      if (this.changing.length === 0) await delay(readerPauseMs);
      else {
        const user = random.pick(random.chance(0.5) ? this.recentlyChanged() : this.changing);
        const old = Math.max(0, user.acknowledged - 1 - random.below(3));
        const credentials = random.chance(0.3) ? old : user.acknowledged;
        await this.noted(service, user.read(caller, credentials));
        await delay(readerPauseMs);
      }
    }
  }

  private async createMany(service: number, random: RandomStream): Promise<void> {
    const next = (service + 1) % this.callers.length;
    for (let created = 0; !this.stopping; created++) {
      const user = await this.createdUser(service, random.stream(created));
      if (user.acknowledged < 0) continue;
      await this.noted(next, user.read(this.callers[next]!, 0));
      await this.noted(next, user.create(this.callers[next]!));
      await delay(100);
    }
  }
}
