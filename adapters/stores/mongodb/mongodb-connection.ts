import {
  type ClientSession,
  type CollectionOptions,
  type Db,
  type DbOptions,
  type MongoClient,
  type MongoClientOptions,
  ReadConcern,
  type TopologyDescription,
} from 'mongodb';
import type { Log } from '../../../application/ports/log.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { connectionReason, findUnreachable, UnreachableDatabase, unreadableFile } from './reachability.ts';

/**
 * Closes connections that were unused for a minute, unless the connection string sets that time. By default the driver
 * would keep every connection of a burst.
 */
export const idleOptions = (connectionString: string): MongoClientOptions =>
  /[?&]maxIdleTimeMS=/i.test(connectionString) ? {} : { maxIdleTimeMS: 60_000 };

/**
 * The timeouts of the driver, and how it decodes regular expressions. They override the connection string, which decides
 * everything else.
 */
export const driverOptions = (timeoutMs: number): MongoClientOptions => ({
  serverSelectionTimeoutMS: Math.min(5_000, timeoutMs),
  connectTimeoutMS: Math.min(3_000, timeoutMs),
  socketTimeoutMS: Math.min(20_000, timeoutMs),
  waitQueueTimeoutMS: Math.min(2_000, timeoutMs),
  // The interval of heartbeats, which detect that a server stopped responding, or responds again.
  heartbeatFrequencyMS: 2_000,
  // One regular expression that JavaScript does not know would fail the command for all documents.
  bsonRegExp: true,
  // Otherwise the counts of written documents would be no numbers.
  promoteValues: true,
  raw: false,
});

/**
 * The write concern of a durable write. The server stops waiting for a majority a little before the timeout, because its
 * error tells the reason.
 */
export const durableWrite = (timeoutMs: number) =>
  ({ w: 'majority', journal: true, wtimeoutMS: Math.ceil(timeoutMs * 0.8) }) as const;

/** Reads see every acknowledged write once the primary is confirmed. */
export const consistentReads: CollectionOptions = { readPreference: 'primary', readConcern: { level: 'majority' } };

/**
 * Consistent reads and durable writes. These are options of the collection, because the connection string overrides some
 * options of the client.
 */
export const collectionOptions = (timeoutMs: number): CollectionOptions => ({
  ...consistentReads,
  writeConcern: durableWrite(timeoutMs),
  // One text with bytes that are no UTF-8 would fail the command for all documents; reads of users check each alone.
  enableUtf8Validation: false,
});

/** For counts of wrong passwords: they wait for the primary only, and a failover may lose the last ones. */
export const attemptCounterOptions: DbOptions = {
  readPreference: 'primary',
  readConcern: new ReadConcern('local'),
  writeConcern: { w: 1 },
  enableUtf8Validation: false,
};

/** The connection to a deployment, and the state of its servers according to the heartbeats of the driver. */
export class MongoConnection {
  private readonly opened: Once<MongoClient>;
  private deployment: TopologyDescription | undefined;
  private lastReplicaSet: string | null | undefined;
  private unreachable: Error | undefined;
  private readonly lostServers = new Set<string>();
  private brokenConnections = 0;

  constructor(
    private readonly client: MongoClient,
    private readonly log: Log,
  ) {
    this.opened = new Once(() => client.connect());
    client.on('serverHeartbeatFailed', ({ connectionId, failure }) => this.onLostServer(connectionId, failure));
    client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
      const setName: unknown = reply.setName;
      this.lastReplicaSet = typeof setName === 'string' ? setName : null;
      if (this.lostServers.delete(connectionId)) this.log.info({ server: connectionId }, 'a database server is back');
    });
    client.on('connectionClosed', ({ reason }) => {
      if (reason === 'error' || reason === 'stale') this.brokenConnections++;
    });
    client.on('topologyDescriptionChanged', ({ newDescription }) => this.onTopology(newDescription));
  }

  /**
   * Connects. Every operation calls it, because the driver does not try again after a failed first attempt; after a
   * successful one it finds its servers again. Also throws UnreachableDatabase while the only server of the connection
   * string is a secondary, which would return old states.
   */
  async ready(): Promise<void> {
    try {
      await this.opened.get();
    } catch (error) {
      throw unreadableFile(error, this.client.options) ?? error;
    }
    if (this.deployment?.type === 'Single' && this.server()?.type === 'RSSecondary')
      throw this.unreachable ?? new UnreachableDatabase('the server is not the primary');
  }

  /** The reason why no server accepts writes now; undefined if one does, or if no reason is known. */
  whyUnreachable(): Error | undefined {
    return this.unreachable;
  }

  /** Whether any server has sent a response of MongoDB. */
  hasAnswered(): boolean {
    return this.lastReplicaSet !== undefined;
  }

  /** The reason why the driver does not repeat a write whose reply was lost; undefined if it does. */
  whyWritesAreNotRetried(): string | undefined {
    if (this.server()?.type === 'Standalone') return 'a single server repeats none';
    return this.client.options.retryWrites ? undefined : 'retryWrites is false';
  }

  /** Whether the servers are routers of a sharded cluster, perhaps behind a load balancer. */
  isShardedCluster(): boolean {
    return [...(this.deployment?.servers.values() ?? [])].some(
      ({ type }) => type === 'Mongos' || type === 'LoadBalancer',
    );
  }

  /** How many connections broke. The driver may have repeated a command during which the number changed. */
  get breaks(): number {
    return this.brokenConnections;
  }

  /** A session for one write. The driver would otherwise make one itself. */
  startSession(): ClientSession {
    return this.client.startSession({ causalConsistency: false });
  }

  database(name: string, options: DbOptions): Db {
    return this.client.db(name, options);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private server() {
    return this.deployment?.servers.values().next().value;
  }

  private onTopology(deployment: TopologyDescription): void {
    this.deployment = deployment;
    const { lastReplicaSet, client } = this;
    const unreachable = findUnreachable({ deployment, lastReplicaSet, options: client.options });
    // Each attempt to connect starts with unknown servers, so the last reason stays valid until the attempt ends.
    const writable = [...deployment.servers.values()].some(({ isWritable }) => isWritable);
    if (unreachable !== undefined || writable) this.unreachable = unreachable;
  }

  private onLostServer(server: string, failure: Error): void {
    if (this.lostServers.has(server)) return;
    this.lostServers.add(server);
    this.log.warn({ server, reason: `the server ${connectionReason(failure)}` }, 'a database server is lost');
  }
}
