// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import type { Collection, MongoClient, ServerDescription, TopologyDescription } from 'mongodb';
import { isRepeatableRead } from './errors.ts';
import { UnreachableDatabase } from './reachability.ts';
import type { UserRecord } from './user-record.ts';

/**
 * How long a response to a heartbeat is trusted to identify the primary. The driver sends a heartbeat every 2 s
 * (heartbeatFrequencyMS). After the loss of the primary, no other member becomes primary sooner (electionTimeoutMillis,
 * 10 s by default), unless an operator or a priority causes it.
 */
const heartbeatValidMs = 3_000;

/** Attempts of a read while the primary keeps changing. */
const maxAttempts = 3;

/** Identifies a primary and its term (`electionId`) under a configuration of the replica set (`setVersion`). */
const termOf = ({ address, electionId, setVersion }: ServerDescription): string =>
  [address, electionId?.toHexString(), setVersion].join(' ');

/**
 * Keeps reads of a replica set from returning the state before an acknowledged write. Read concern `majority` alone
 * does not: a new primary may not yet have computed which writes a majority has (SERVER-53813), and a former primary
 * may not yet have detected that it was replaced.
 *
 * After every change of the primary, reads wait for one linearizable read, in which the server writes an entry into its
 * log and waits until a majority has confirmed it. After that a read only compares two times, as long as a majority of
 * the members responds to heartbeats and none of them names another primary. Otherwise every read waits for a
 * linearizable read that started after it; reads that wait at the same time share one.
 */
export class PrimaryConfirmation {
  /** The time (`performance.now()`) until which reads may be sent at once. 0 until the primary is confirmed. */
  private trustedUntilMs = 0;
  private term: string | undefined;
  /** Counts the changes of the term, and every time the primary was lost. */
  private changes = 0;
  private confirmedChanges: number | undefined;
  private round: Promise<void> | undefined;
  private deployment: TopologyDescription | undefined;
  private readonly heartbeatsMs = new Map<string, number>();

  /** `timeoutMs` limits one linearizable read. */
  constructor(
    client: MongoClient,
    private readonly documents: Collection<UserRecord>,
    private readonly timeoutMs: number,
  ) {
    client.on('topologyDescriptionChanged', ({ newDescription }) => this.onTopology(newDescription));
    client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
      this.heartbeatsMs.set(connectionId, performance.now());
      this.updateTrust();
    });
    client.on('serverHeartbeatFailed', ({ connectionId }) => {
      this.heartbeatsMs.delete(connectionId);
      this.updateTrust();
    });
  }

  /**
   * The result of a read from the confirmed primary. Repeats a read that another primary may have answered, and one whose
   * connection broke.
   */
  async read<Result>(run: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      if (performance.now() >= this.trustedUntilMs) await this.confirm();
      const { changes } = this;
      try {
        const result = await run();
        if (changes === this.changes) return result;
      } catch (error) {
        if (attempt === maxAttempts || !isRepeatableRead(error)) throw error;
      }
      if (attempt === maxAttempts) throw new UnreachableDatabase('the primary changed during every attempt to read');
    }
  }

  /**
   * Makes the next read wait until the primary is confirmed again. Called after a write that did not reach a majority.
   */
  invalidate(): void {
    this.confirmedChanges = undefined;
    this.updateTrust();
  }

  /** Resolves after a linearizable read that started after this call, or once the primary is known to be confirmed. */
  async confirm(): Promise<void> {
    if (this.round !== undefined) {
      await this.round.catch(() => undefined);
      if (performance.now() < this.trustedUntilMs) return;
    }
    this.round ??= this.confirmPrimary().finally(() => {
      this.round = undefined;
    });
    await this.round;
  }

  private async confirmPrimary(): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const { changes } = this;
      try {
        await this.documents.findOne(
          { _id: '' },
          { readConcern: { level: 'linearizable' }, maxTimeMS: this.timeoutMs, projection: { _id: 1 } },
        );
        if (changes === this.changes) {
          this.confirmedChanges = changes;
          this.updateTrust();
          return;
        }
      } catch (error) {
        if (changes === this.changes) throw error;
        // A single server, which was not known yet, has no linearizable reads.
        if (performance.now() < this.trustedUntilMs) return;
      }
    }
    throw new UnreachableDatabase('the primary changed during every attempt to confirm it');
  }

  private onTopology(deployment: TopologyDescription): void {
    this.deployment = deployment;
    const primary = this.writableServer();
    const term = primary && termOf(primary);
    if (term !== this.term) this.changes++;
    this.term = term;
    this.updateTrust();
  }

  private updateTrust(): void {
    const primary = this.writableServer();
    // A single server has no other primary, and the primaries of a sharded cluster are behind its routers.
    if (primary !== undefined && primary.type !== 'RSPrimary') this.trustedUntilMs = Number.POSITIVE_INFINITY;
    else this.trustedUntilMs = primary === undefined || !this.isConfirmed(primary) ? 0 : this.validUntilMs(primary);
  }

  /** Whether the primary was confirmed, and no member names another one. */
  private isConfirmed({ me, address }: ServerDescription): boolean {
    const name = me ?? address;
    const others = this.servers().filter(({ primary }) => primary !== null && primary.toLowerCase() !== name);
    return this.confirmedChanges === this.changes && others.length === 0;
  }

  /**
   * The time (`performance.now()`) when the last heartbeats of the primary, or of a majority of all members, become too
   * old.
   */
  private validUntilMs({ address, allHosts }: ServerDescription): number {
    const servers = this.servers();
    const heartbeats = servers.map((server) => this.heartbeatsMs.get(server.address) ?? 0).sort((a, b) => b - a);
    const majority = Math.floor(Math.max(allHosts.length, servers.length) / 2) + 1;
    return Math.min(this.heartbeatsMs.get(address) ?? 0, heartbeats[majority - 1] ?? 0) + heartbeatValidMs;
  }

  private writableServer(): ServerDescription | undefined {
    return this.servers().find(({ isWritable }) => isWritable);
  }

  private servers(): readonly ServerDescription[] {
    return [...(this.deployment?.servers.values() ?? [])];
  }
}
