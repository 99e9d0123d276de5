import { type ClientConfig, Pool } from 'pg';
import { withTimeout } from '../../../application/interceptor.ts';
import { singleFlight } from '../../concurrency/shared-call.ts';

const intervalMs = 1_000;
/** How long a server may take to say what it is. Longer before the first primary is found: all have to be connected then. */
const answerTimeoutMs = 1_000;
const firstAnswerTimeoutMs = 3_000;
/** The age after which answers no longer count: the process stood still meanwhile. */
const maxAgeMs = 4_000;

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

  constructor(readonly server: ClientConfig) {
    this.pool = new Pool({ ...server, max: 1 });
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
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

  close(): Promise<void> {
    return this.pool.end();
  }
}

/**
 * Finds the primary among several servers. It asks the others every second, because a former primary does not know that
 * another server was promoted: the highest timeline that was seen is the valid one, and a lower one is never used again.
 */
export class PrimarySearch {
  private readonly probes: readonly Probe[];
  private readonly timer: NodeJS.Timeout;
  /** The highest timeline of each cluster. */
  private readonly highest = new Map<string, number>();
  private current: Primary | undefined;
  private isInDoubt = false;
  private askedMs = 0;
  private readonly ask = singleFlight(() => this.askServers());

  constructor(
    servers: readonly ClientConfig[],
    /** Called when another server is the primary, or the same one in another timeline. */
    private readonly onPrimary: (server: ClientConfig) => void,
  ) {
    this.probes = servers.map((server) => new Probe(server));
    this.timer = setInterval(() => void this.ask(), intervalMs).unref();
  }

  /** Resolves when the last primary is recent enough to be used, or none was found. */
  async ready(): Promise<void> {
    if (this.current === undefined || performance.now() - this.askedMs > maxAgeMs) await this.ask();
  }

  /** The server of the primary failed, or is a standby: asks all servers at once. */
  doubt(): void {
    if (this.isInDoubt) return;
    this.isInDoubt = true;
    void this.ask();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.probes.map((probe) => probe.close()));
  }

  private async askServers(): Promise<void> {
    const { current, isInDoubt } = this;
    const startedMs = performance.now();
    const timeoutMs = current === undefined ? firstAnswerTimeoutMs : answerTimeoutMs;
    const asked = isInDoubt ? this.probes : this.probes.filter(({ server }) => server !== current?.server);
    let best: Primary | undefined;
    const answers = asked.map(async (probe) => {
      const primary = await probe.ask(timeoutMs);
      if (primary === undefined) return;
      const highest = this.highest.get(primary.system);
      // Does not wait for servers that do not answer.
      if (highest !== undefined && primary.timeline > highest) this.use(primary);
      if (primary.timeline >= (highest ?? 0) && primary.timeline > (best?.timeline ?? 0)) best = primary;
    });
    await Promise.all(answers);
    this.askedMs = startedMs;
    if (best !== undefined && (this.current === undefined || this.isInDoubt)) this.use(best);
  }

  private use(primary: Primary): void {
    const { current } = this;
    this.highest.set(primary.system, Math.max(primary.timeline, this.highest.get(primary.system) ?? 0));
    this.isInDoubt = false;
    this.current = primary;
    const isSame = current?.server === primary.server && current.system === primary.system;
    if (!isSame || current.timeline !== primary.timeline) this.onPrimary(primary.server);
  }
}
