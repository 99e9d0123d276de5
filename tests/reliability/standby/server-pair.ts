import { skipSuite } from '../../support/engines/skipped-suites.ts';
import { eventually } from '../../support/eventually.ts';
import { TcpProxy } from '../../support/fault-proxy.ts';
import { PostgresServer } from '../../support/postgresql/server.ts';

/** The number of services that use the servers. */
export const serviceCount = 2;

/** How long a standby may take to follow its primary. */
const settleTimeoutMs = 60_000;

/** Notices a cut link soon, and needs little memory. */
const settings = {
  shared_buffers: '16MB',
  wal_receiver_timeout: '2s',
  wal_sender_timeout: '2s',
  wal_retrieve_retry_interval: '200ms',
};

/**
 * A primary and its synchronous standby, and what an operator, or a program such as Patroni, does with them. Each service
 * reaches each server through a proxy, and each server the other.
 */
export class ServerPair {
  /** When the last primary began to take writes. */
  primarySince = 0;

  private constructor(
    readonly servers: readonly PostgresServer[],
    /** The proxies of each service, by server, and those that lead from the other server. */
    readonly links: readonly (readonly TcpProxy[])[],
    readonly replication: readonly TcpProxy[],
  ) {}

  /** Starts it. Resolves when the standby is synchronous. */
  static async start(): Promise<ServerPair> {
    const primary = await PostgresServer.create();
    const servers = [primary, await PostgresServer.createEmpty()];
    const proxies = () => Promise.all(servers.map(({ port }) => TcpProxy.to('127.0.0.1', port)));
    const links = await Promise.all(Array.from({ length: serviceCount }, proxies));
    const pair = new ServerPair(servers, links, await proxies());
    try {
      for (const [name, value] of Object.entries(settings))
        await primary.query(`ALTER SYSTEM SET ${name} = '${value}'`);
      await primary.stop('SIGINT');
      await primary.start();
      await pair.rebuild(1);
      return pair;
    } catch (error) {
      await pair.dispose();
      throw error;
    }
  }

  /** The connection string of a service. */
  connectionString(service: number): string {
    const hosts = this.links[service]!.map(({ host, port }) => `${host}:${port}`);
    return `postgresql://latchkey@${hosts.join(',')}/postgres?target_session_attrs=read-write`;
  }

  /** Lets a standby take writes: at first without a standby of its own, so that they do not wait for one. */
  async promote(server: number): Promise<void> {
    await this.servers[server]!.query('SELECT pg_promote(true, 30)', 30_000);
    this.primarySince = performance.now();
  }

  /** Starts a server again as what it was. */
  async start(server: number): Promise<void> {
    await this.servers[server]!.start();
    this.primarySince = performance.now();
  }

  /** Makes a server that does not run a standby of the other one. */
  async rebuild(server: number): Promise<void> {
    const { host, port } = this.replication[1 - server]!;
    await this.servers[server]!.follow(host, port);
    await this.makeSynchronous(1 - server);
  }

  /** Makes the writes of a primary wait for its standby. */
  async makeSynchronous(primary: number): Promise<void> {
    const server = this.servers[primary]!;
    await eventually(async () => {
      if ((await server.query('SELECT state FROM pg_stat_replication')) !== 'streaming')
        throw new Error('the standby does not follow yet');
    }, settleTimeoutMs);
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await server.query('SELECT pg_reload_conf()');
  }

  /** Lets the writes of the primary no longer wait for its standby. Resolves with the primary. */
  async makeAsynchronous(): Promise<number> {
    const primary = await this.settled();
    await this.servers[primary]!.query('ALTER SYSTEM RESET synchronous_standby_names');
    await this.servers[primary]!.query('SELECT pg_reload_conf()');
    return primary;
  }

  /** Waits until a primary has its synchronous standby. Resolves with the primary. */
  settled(): Promise<number> {
    const state =
      'SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE (SELECT sync_state FROM pg_stat_replication) END';
    return eventually(async () => {
      const states = await Promise.all(this.servers.map((server) => server.query(state)));
      if (!states.includes('sync')) throw new Error(`the servers are not ready: ${states.join()}`);
      return states.indexOf('sync');
    }, settleTimeoutMs);
  }

  /** Ends all cuts. The connections that lost data are reset. */
  async restore(): Promise<void> {
    for (const proxy of [...this.links.flat(), ...this.replication]) await proxy.restore();
  }

  async dispose(): Promise<void> {
    for (const proxy of [...this.links.flat(), ...this.replication]) await proxy.close();
    for (const server of this.servers) await server.dispose();
  }
}

/** Requests two servers for a suite. The returned function gives them in tests. */
export const serverPair = (): (() => ServerPair) => {
  let started: ServerPair | undefined;
  before('start a primary and its standby', async function () {
    this.timeout(settleTimeoutMs * 2);
    try {
      started = await ServerPair.start();
    } catch (error) {
      skipSuite(this, `a primary and a standby need Debian's package of PostgreSQL (${error})`);
    }
  });
  after('remove them', async function () {
    this.timeout(settleTimeoutMs);
    await started?.dispose();
  });
  return () => {
    if (started === undefined) throw new Error('the servers are only available in tests');
    return started;
  };
};
