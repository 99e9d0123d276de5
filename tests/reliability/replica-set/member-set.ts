import { type Document, MongoClient } from 'mongodb';
import { freePort } from '../../../benchmarks/free-port.ts';
import { startContainer } from '../../support/engines/containers.ts';
import { engines } from '../../support/engines/engines.ts';
import { skipSuite } from '../../support/engines/skipped-suites.ts';
import { eventually } from '../../support/eventually.ts';
import { addressesFor, Links, lookupFor, memberAddress, memberCount, memberName, type Peer } from './links.ts';

/** How long members may take to start, to elect a primary, or to catch up. */
const settleTimeoutMs = 90_000;

/** The replication lag up to which a handover is tried. MongoDB reports times in whole seconds. */
const maxHandoverLagMs = 1_000;

/** Timeout for starting the members, which may include downloading their image. */
const startTimeoutMs = 300_000;

const members = Array.from({ length: memberCount }, (_, member) => member);

const expectPrimary = ({ isWritablePrimary }: Document): void => {
  if (isWritablePrimary !== true) throw new Error('no primary is elected yet');
};

/** A container of a member. */
interface Container {
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a member in the host's network, where each loopback address can be bound. */
const startMember = async (member: number, port: number): Promise<Container> => {
  const library = await import('testcontainers');
  const hosts = Object.entries(addressesFor({ member })).map(([host, ipAddress]) => ({ host, ipAddress }));
  const small = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '64'];
  const started = await startContainer(
    engines.mongodb
      .container(library)
      .withNetworkMode('host')
      .withExtraHosts(hosts)
      .withCommand(['--replSet', 'rs0', '--port', `${port}`, '--bind_ip', memberAddress(member), ...small]),
  );
  const container = (await library.getContainerRuntimeClient()).container.getById(started.getId());
  return {
    kill: () => container.kill(),
    stop: () => container.stop({ t: 30 }),
    start: () => container.start(),
    // Freezing a busy process can fail at the first attempt.
    pause: () => eventually(() => container.pause(), 5_000),
    resume: () => container.unpause(),
    remove: () => container.remove({ force: true, v: true }),
  };
};

/** A replica set with three members, with a proxy on every link. */
export class MemberSet {
  private constructor(
    readonly port: number,
    readonly links: Links,
    readonly containers: readonly Container[],
  ) {}

  /** Starts it. Resolves when it has a primary and two secondaries. */
  static async start(): Promise<MemberSet> {
    const port = await freePort();
    const links = await Links.create(port);
    const containers = await Promise.all(members.map((member) => startMember(member, port)));
    const set = new MemberSet(port, links, containers);
    try {
      const config = { _id: 'rs0', members: members.map((_id) => ({ _id, host: `${memberName(_id)}:${port}` })) };
      await set.command(0, { replSetInitiate: config });
      // Without this, the first election waits for its timeout of 10 s.
      await set.stepUp(0);
      await set.settled();
      return set;
    } catch (error) {
      await set.remove();
      throw error;
    }
  }

  /** The connection string. Its host names work only for nodes that resolve them with `addressesFor`. */
  get connectionString(): string {
    return `mongodb://${members.map((member) => `${memberName(member)}:${this.port}`).join(',')}/?replicaSet=rs0`;
  }

  /** A client that uses the links of a node. */
  client(from: Peer, options: ConstructorParameters<typeof MongoClient>[1] = {}): MongoClient {
    return new MongoClient(this.connectionString, { ...options, lookup: lookupFor(from) });
  }

  /** Runs a command on one member directly, not through the proxies. */
  async command(member: number, command: Document, timeoutMs = 3_000): Promise<Document> {
    const client = new MongoClient(`mongodb://${memberAddress(member)}:${this.port}/?directConnection=true`, {
      serverSelectionTimeoutMS: timeoutMs,
      socketTimeoutMS: Math.max(timeoutMs, 20_000),
    });
    try {
      return await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  }

  /**
   * Makes the primary step down in favour of another member, as before maintenance. Checks the replication lag first,
   * because a primary without a member that catches up refuses, and blocks writes until then.
   */
  async stepDown(primary: number): Promise<void> {
    await eventually(async () => {
      const { members: states } = await this.command(primary, { replSetGetStatus: 1 });
      const lagsMs = states.map(({ optimeDate }: Document) => states[primary].optimeDate - optimeDate);
      if (Math.max(...lagsMs) > maxHandoverLagMs) throw new Error(`the members lag behind: ${lagsMs.join(', ')} ms`);
    }, settleTimeoutMs);
    await this.command(primary, { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
  }

  /** Makes a member call an election, and waits until it is elected. */
  async stepUp(member: number): Promise<void> {
    await eventually(() => this.command(member, { replSetStepUp: 1 }), settleTimeoutMs);
  }

  /** Waits until one of some members is the primary. */
  async elected(among: readonly number[]): Promise<void> {
    await eventually(
      () => Promise.any(among.map((member) => this.command(member, { hello: 1 }).then(expectPrimary))),
      settleTimeoutMs,
    );
  }

  /** Waits until all members are healthy and know each other. Resolves with the primary. */
  settled(): Promise<number> {
    return eventually(async () => {
      const states = await Promise.all(members.map((member) => this.statesSeenBy(member)));
      const [first = []] = states;
      if (new Set(states.map((seen) => seen.join())).size > 1) throw new Error('the members do not agree yet');
      if ([...first].sort().join() !== 'PRIMARY,SECONDARY,SECONDARY') throw new Error(`members: ${first.join()}`);
      return first.indexOf('PRIMARY');
    }, settleTimeoutMs);
  }

  async remove(): Promise<void> {
    await Promise.all(this.containers.map((container) => container.remove()));
    await this.links.close();
  }

  /** The state of each member, as one of them sees it. */
  private async statesSeenBy(member: number): Promise<readonly string[]> {
    const { members: seen } = await this.command(member, { replSetGetStatus: 1 });
    return seen.map(({ stateStr, health }: Document) => (health === 1 ? stateStr : 'unreachable'));
  }
}

/** Requests a replica set for a suite. The returned function gives it in tests. */
export const memberSet = (): (() => MemberSet) => {
  let started: MemberSet | undefined;
  before('start three members of MongoDB', async function () {
    this.timeout(startTimeoutMs);
    try {
      started = await MemberSet.start();
    } catch (error) {
      skipSuite(
        this,
        `three members of MongoDB need Docker on Linux (${error instanceof Error ? error.message : error})`,
      );
    }
  });
  after('remove the members', async function () {
    this.timeout(startTimeoutMs);
    await started?.remove();
  });
  return () => {
    if (started === undefined) throw new Error('the members are only available in tests');
    return started;
  };
};
