import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../../../application/fault.ts';
import { withTimeout } from '../../../../application/interceptor.ts';
import {
  type StoredUser,
  type StorePorts,
  UserStore,
  type WriteOptions,
} from '../../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import type { UserKey } from '../../../../domain/user-name.ts';
import type { SimulatedFailure, SimulatedFailures } from '../../../../sdk/contract/simulated-failures.ts';
import { roundTrip } from './altered-port.ts';

const systemError = (message: string, code: string): Error => Object.assign(new Error(message), { code });

type State = 'available' | 'outage' | 'hang' | 'standby' | 'reply lost';

/** A server in front of the users, which a test can take away. Its errors are those of a driver. */
export class SimulatedServer {
  private state: State = 'available';
  readonly host = 'db-7.internal';

  readonly failures: SimulatedFailures = {
    operationTimeoutMs: 600,
    outage: this.during('outage'),
    hang: this.during('hang'),
    standby: this.during('standby'),
    lostReply: this.during('reply lost'),
    secrets: [this.host],
  };

  async reply<Result>(isWrite: boolean, run: () => Promise<Result>): Promise<Result> {
    await roundTrip();
    if (this.state === 'outage') throw systemError('connect ECONNREFUSED 10.0.0.7:5432', 'ECONNREFUSED');
    if (isWrite && this.state === 'standby')
      throw systemError(`${this.host} cannot write to a read-only transaction`, '25006');
    while (this.state === 'hang') await setTimeout(10);
    const result = await run();
    if (!isWrite || this.state !== 'reply lost') return result;
    this.state = 'available';
    throw systemError('read ECONNRESET', 'ECONNRESET');
  }

  get isDown(): boolean {
    return this.state === 'outage';
  }

  get isStandby(): boolean {
    return this.state === 'standby';
  }

  private during(state: State): SimulatedFailure {
    return {
      begin: async () => {
        this.state = state;
      },
      end: async () => {
        this.state = 'available';
      },
    };
  }
}

/** The parts of an adapter that authors get wrong, each as it should be. */
export class RemoteAdapter {
  private readonly waiting: (() => void)[] = [];
  private free = 10;

  /** A connection of a pool of ten. */
  async withConnection<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free--;
    try {
      return await run();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }

  limited<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.withTimeout(this.withConnection(run));
  }

  withTimeout<Result>(work: Promise<Result>): Promise<Result> {
    return withTimeout(500, work, () => new Fault('store_unavailable', 'the server is too slow'));
  }

  /** `port` is the port of the call, such as `events`. */
  toFault(cause: unknown, _user: string, _port: keyof StorePorts): unknown {
    return cause instanceof Fault ? cause : new Fault('store_unavailable', 'the server cannot be reached', { cause });
  }

  refuseStandby({ isStandby }: SimulatedServer): void {
    if (isStandby) throw new Fault('store_unavailable', 'the server is a standby');
  }

  /** Opens the store; succeeds also while the database is down. */
  async open(_server: SimulatedServer): Promise<void> {}

  /** The outcome of a write whose reply was lost; undefined if it is unknown. */
  async afterLostReply<Outcome>(
    found: () => Promise<Outcome>,
    _repeat: () => Promise<Outcome>,
  ): Promise<Outcome | undefined> {
    return found();
  }
}

const callRemotely = async <Result>(
  server: SimulatedServer,
  adapter: RemoteAdapter,
  { user, port, isWrite }: { readonly user: string; readonly port: keyof StorePorts; readonly isWrite: boolean },
  run: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await adapter.limited(async () => {
      adapter.refuseStandby(server);
      return server.reply(isWrite, run);
    });
  } catch (error) {
    throw adapter.toFault(error, user, port);
  }
};

/** Puts the server in front of every method of a port. */
const behind = <Port extends object>(port: Port, call: (run: () => Promise<unknown>) => Promise<unknown>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      return typeof member === 'function'
        ? (...input: unknown[]) => call(async () => member.apply(target, input))
        : member;
    },
  });

/** The ports of a store behind the server. */
export const remotePorts = (ports: StorePorts, server: SimulatedServer, adapter: RemoteAdapter): StorePorts => {
  const callOf = (port: keyof StorePorts) => (run: () => Promise<unknown>) =>
    callRemotely(server, adapter, { user: '', port, isWrite: false }, run);
  const { names, listing, events, attempts } = ports;
  return {
    users: new RemoteUserStore(ports.users, server, adapter),
    ...(names && { names: behind(names, callOf('names')) }),
    ...(listing && { listing: behind(listing, callOf('listing')) }),
    ...(events && { events: behind(events, callOf('events')) }),
    ...(attempts && { attempts: async (limits) => behind(await attempts(limits), callOf('attempts')) }),
  };
};

/** A store behind the server, on the users of another one. */
export class RemoteUserStore extends UserStore {
  constructor(
    private readonly users: UserStore,
    private readonly server: SimulatedServer,
    private readonly adapter: RemoteAdapter,
  ) {
    super();
  }

  find(key: EmailKey) {
    return this.call(key, false, () => this.users.find(key));
  }

  insert(user: User, options?: WriteOptions) {
    return this.write(keyOf(user.email.address), () => this.users.insert(user, options));
  }

  replace(previous: StoredUser, next: User, options?: WriteOptions) {
    return this.write(keyOf(next.email.address), () => this.users.replace(previous, next, options));
  }

  remove(previous: StoredUser, options?: Pick<WriteOptions, 'events'>) {
    return this.write(keyOf(previous.user.email.address), () => this.users.remove(previous, options));
  }

  reserve(key: UserKey) {
    return this.write(key, () => this.users.reserve(key));
  }

  check() {
    return this.call('', false, () => this.users.check());
  }

  close() {
    return this.users.close();
  }

  private async write<Outcome>(key: UserKey, run: () => Promise<Outcome>): Promise<Outcome> {
    let applied: Outcome | undefined;
    const attempt = () =>
      this.call(key, true, async () => {
        const outcome = await run();
        applied ??= outcome;
        return outcome;
      });
    try {
      return await attempt();
    } catch (error) {
      if (applied === undefined || !(error instanceof Error)) throw error;
      const written = applied;
      const outcome = await this.adapter.afterLostReply(async () => written, attempt);
      if (outcome === undefined) throw error;
      return outcome;
    }
  }

  private call<Result>(user: string, isWrite: boolean, run: () => Promise<Result>): Promise<Result> {
    return callRemotely(this.server, this.adapter, { user, port: 'users', isWrite }, run);
  }
}
