import { type ClientConfig, Pool, type PoolClient } from 'pg';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import { singleFlight } from '../../concurrency/shared-call.ts';

const intervalMs = 1_000;
/** How long a server may take to say what it is. Longer until the first one says so: all have to be connected then. */
const answerTimeoutMs = 1_000;
const firstAnswerTimeoutMs = 3_000;
/**
 * The silence of the primary after which another server may be the primary, in milliseconds: it, or this process, may have
 * stood still meanwhile. Whoever promotes a standby has to wait longer, as Patroni does by `ttl`.
 */
const maxSilenceMs = 3_000;

/** Undefined timelines are those of standbys. Every promotion begins a higher one. No privilege is needed. */
const question = `SELECT system_identifier, CASE WHEN NOT pg_is_in_recovery()
  THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END FROM pg_control_system()`;

interface Primary {
  readonly server: ClientConfig;
  /** Identifies the cluster: it is the same on a primary and its standbys, and another one after a major upgrade. */
  readonly system: string;
  readonly timeline: number;
}

/** Asks one server what it is, on a connection of its own. */
class Probe {
  private readonly pool: Pool;
  private client: PoolClient | undefined;

  constructor(readonly server: ClientConfig) {
    this.pool = new Pool({ ...server, max: 1 });
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => {
      this.client = client;
      client.on('error', () => undefined);
    });
  }

  /** Undefined if it is a standby, or does not answer in time. */
  async ask(timeoutMs: number): Promise<Primary | undefined> {
    const query = { text: question, rowMode: 'array', query_timeout: timeoutMs } as const;
    try {
      const late = () => new Error('no answer in time');
      const { rows } = await withTimeout(timeoutMs, this.pool.query<(string | null)[]>(query), late);
      const [system, timeline] = rows[0] ?? [];
      if (typeof system !== 'string' || typeof timeline !== 'string') return undefined;
      return { server: this.server, system, timeline: Number.parseInt(timeline, 16) };
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
    // A server that does not respond would not close it.
    this.client?.connection.stream.destroy();
  }
}

/**
 * Finds the primary among several servers. It asks them every second, because a former primary does not know that another
 * server was promoted: the highest timeline that was seen is the valid one, and a lower one is never used again. After a
 * silence it asks them before a reply of the primary counts.
 */
export class PrimarySearch {
  private readonly probes: readonly Probe[];
  private readonly timer: NodeJS.Timeout;
  /** The highest timeline of each cluster. */
  private readonly highest = new Map<string, number>();
  private current: Primary | undefined;
  private isInDoubt = false;
  /** When the primary was last known to be valid: since then it was never silent for long, or the others were asked. */
  private validMs = Number.NEGATIVE_INFINITY;
  private readonly ask = singleFlight(() => this.askServers());

  constructor(
    servers: readonly ClientConfig[],
    /** Called when another server is the primary, or the same one in another timeline. */
    private readonly onPrimary: (server: ClientConfig) => void,
  ) {
    this.probes = servers.map((server) => new Probe(server));
    this.timer = setInterval(() => void this.ask(), intervalMs).unref();
  }

  /** Resolves when the last primary is valid, or none was found. */
  async ready(): Promise<void> {
    if (this.isSilent) await this.ask();
  }

  /** Resolves when a reply of the primary to what was sent at a time of `performance.now()` counts; rejects if it does not. */
  async confirm(sentMs: number): Promise<void> {
    await this.ready();
    if (this.isSilent) throw new Fault('store_unavailable', 'PostgreSQL: another server may be the primary');
    this.validMs = Math.max(this.validMs, sentMs);
  }

  /** The server of the primary failed, or is a standby: asks all servers at once. */
  async doubt(): Promise<void> {
    this.isInDoubt = true;
    await this.ask();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.probes.map((probe) => probe.close()));
  }

  private get isSilent(): boolean {
    return performance.now() - this.validMs > maxSilenceMs;
  }

  private async askServers(): Promise<void> {
    const startedMs = performance.now();
    const timeoutMs = this.current === undefined ? firstAnswerTimeoutMs : answerTimeoutMs;
    let best: Primary | undefined;
    const isPromoted = ({ system, timeline }: Primary): boolean => {
      const highest = this.highest.get(system);
      return highest !== undefined && timeline > highest;
    };
    await new Promise<void>((resolve) => {
      const answers = this.probes.map(async (probe) => {
        const primary = await probe.ask(timeoutMs);
        if (primary === undefined || primary.timeline < (this.highest.get(primary.system) ?? 0)) return;
        if (primary.timeline > (best?.timeline ?? 0)) best = primary;
        // Some servers may never answer.
        if (isPromoted(primary)) resolve();
        else setTimeout(resolve, answerTimeoutMs).unref();
      });
      void Promise.all(answers).then(() => resolve());
    });
    const { current } = this;
    if (best === undefined) return;
    if (current === undefined || this.isInDoubt || isPromoted(best)) this.use(best, startedMs);
    else if (best.system === current.system && best.timeline === current.timeline) this.validMs = startedMs;
  }

  private use(primary: Primary, validMs: number): void {
    const { current } = this;
    this.highest.set(primary.system, Math.max(primary.timeline, this.highest.get(primary.system) ?? 0));
    this.isInDoubt = false;
    this.validMs = validMs;
    this.current = primary;
    const isSame =
      current?.server === primary.server && current.system === primary.system && current.timeline === primary.timeline;
    if (!isSame) this.onPrimary(primary.server);
  }
}
