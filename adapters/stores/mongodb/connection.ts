import type { Db, DbOptions, MongoClient, TopologyDescription } from 'mongodb';
import type { Log } from '../../../application/ports/log.ts';
import { connectionReason, Obstacle, obstacleIn, unreadableFile } from './reachability.ts';

/** The connection to a deployment, and what the driver's heartbeats tell about its servers. */
export class Connection {
  private opened: Promise<unknown> | undefined;
  private deployment: TopologyDescription | undefined;
  private answeredFor: string | null | undefined;
  private lastObstacle: Error | undefined;
  private readonly lost = new Set<string>();

  constructor(
    private readonly client: MongoClient,
    private readonly log: Log,
  ) {
    client.on('serverHeartbeatFailed', ({ connectionId, failure }) => this.lose(connectionId, failure));
    client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
      const setName: unknown = reply.setName;
      this.answeredFor = typeof setName === 'string' ? setName : null;
      if (this.lost.delete(connectionId)) this.log.info({ server: connectionId }, 'a database server is back');
    });
    client.on('topologyDescriptionChanged', ({ newDescription }) => this.look(newDescription));
  }

  /**
   * Resolves when the deployment was reached once; from then on the driver finds its servers again by itself.
   * Before that it doesn't: its operations fail for good after a first attempt that failed, so that each one asks here.
   * Throws an Obstacle also while the only server that may be asked is a secondary: it would answer with old states.
   */
  async ready(): Promise<void> {
    this.opened ??= this.client.connect();
    const attempt = this.opened;
    try {
      await attempt;
    } catch (error) {
      if (this.opened === attempt) this.opened = undefined;
      throw unreadableFile(error, this.client.options) ?? error;
    }
    if (this.deployment?.type === 'Single' && this.server()?.type === 'RSSecondary')
      throw this.lastObstacle ?? new Obstacle('the server is not the primary');
  }

  /** Why no server takes writes just now, as an error for `faultOf`; undefined when nothing speaks against it. */
  obstacle(): Error | undefined {
    return this.lastObstacle;
  }

  /** Whether any server has answered yet in the way in which MongoDB does. */
  hasAnswered(): boolean {
    return this.answeredFor !== undefined;
  }

  /** Why the driver doesn't repeat a write whose reply was lost; undefined when it does. */
  whyOnce(): string | undefined {
    if (this.server()?.type === 'Standalone') return 'a single server repeats none';
    return this.client.options.retryWrites ? undefined : 'retryWrites is false';
  }

  /** A database as some of its users need it. */
  database(name: string, options: DbOptions): Db {
    return this.client.db(name, options);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private server() {
    return this.deployment?.servers.values().next().value;
  }

  private look(deployment: TopologyDescription): void {
    this.deployment = deployment;
    const { answeredFor, client } = this;
    const obstacle = obstacleIn({ deployment, answeredFor, options: client.options });
    // A new attempt to connect starts with a view in which nothing is known: the last obstacle holds until one is done.
    const writable = [...deployment.servers.values()].some(({ isWritable }) => isWritable);
    if (obstacle !== undefined || writable) this.lastObstacle = obstacle;
  }

  private lose(server: string, failure: Error): void {
    if (this.lost.has(server)) return;
    this.lost.add(server);
    this.log.warn({ server, reason: `the server ${connectionReason(failure)}` }, 'a database server is lost');
  }
}
