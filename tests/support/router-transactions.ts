import type { Document } from 'mongodb';
import type { ShardedCollection } from './engines/sharded-cluster.ts';
import { statementOf, valueIn } from './sharding-rules.ts';

const codes = { wouldChangeOwningShard: 283, staleConfig: 13388 };

/** The code of a command that failed, or of its only write. */
export const codeOf = ({ code, writeErrors }: Document): unknown => code ?? writeErrors?.[0]?.code;

/** Where a command of a transaction goes. */
export interface Target {
  /** Undefined for a collection that is not sharded. */
  readonly collection: ShardedCollection | undefined;
  /** What a command for an unsharded collection names. */
  readonly versions: Document;
}

type Run = (shard: number, command: Document) => Promise<Document>;

/**
 * Runs the transactions of clients as mongos 6.0 does: each shard starts its part with its first statement, and the first
 * shard coordinates the commit. Statements may come over several connections.
 */
export class RouterTransactions {
  /** The shards of open transactions, the coordinator first. */
  private readonly participants = new Map<string, number[]>();

  /** Runs a statement, or ends a transaction. `run` sends a command to a shard. */
  async run(command: Document, { collection, versions }: Target, run: Run): Promise<Document> {
    const { lsid, txnNumber } = command;
    const id = `${lsid.id} ${txnNumber}`;
    const shards = this.participants.get(id) ?? [];
    if ('commitTransaction' in command || 'abortTransaction' in command) {
      this.participants.delete(id);
      return endOf(command, shards, run);
    }
    this.participants.set(id, shards);
    const { startTransaction: _, readConcern: __, ...statement } = command;
    const on = (shard: number, part: Document): Promise<Document> => {
      const start = {
        startTransaction: true,
        readConcern: { level: 'local' },
        ...(shards.length === 0 && { coordinator: true }),
      };
      const isFirst = !shards.includes(shard);
      if (isFirst) shards.push(shard);
      const version = collection === undefined ? versions : { shardVersion: collection.versions[shard] };
      return run(shard, { ...part, ...version, ...(isFirst && start) });
    };
    const [field = ''] = Object.keys(collection?.key ?? {});
    const value = valueIn(statement.filter ?? statement.query ?? statementOf(statement)?.q, field);
    if (collection !== undefined && value === undefined) throw new Error('a statement of a transaction names no shard');
    const from = collection === undefined || value === undefined ? 0 : collection.shardOf(value);
    const reply = await on(from, statement);
    if (codeOf(reply) === codes.staleConfig)
      return { ...reply, ok: 0, code: codes.staleConfig, errorLabels: ['TransientTransactionError'] };
    if (collection === undefined || codeOf(reply) !== codes.wouldChangeOwningShard) return reply;
    const { preImage, postImage } = reply.writeErrors?.[0] ?? reply;
    const name = Object.values(command)[0];
    const within = { $db: command.$db, lsid, txnNumber, autocommit: false };
    const deleted = await on(from, { delete: name, deletes: [{ q: preImage, limit: 1 }], ...within });
    if (codeOf(deleted) !== undefined) return deleted;
    const inserted = await on(collection.shardOf(postImage[field]), {
      insert: name,
      documents: [postImage],
      ...within,
    });
    return codeOf(inserted) === undefined ? { ok: 1, n: 1, nModified: 1 } : inserted;
  }
}

const endOf = async (command: Document, shards: readonly number[], run: Run): Promise<Document> => {
  const { lsid, txnNumber, writeConcern } = command;
  const end = { $db: 'admin', lsid, txnNumber, autocommit: false, ...(writeConcern !== undefined && { writeConcern }) };
  const [coordinator] = shards;
  if (coordinator === undefined) return { ok: 1 };
  if ('abortTransaction' in command) {
    await Promise.all(shards.map((shard) => run(shard, { abortTransaction: 1, ...end })));
    return { ok: 1 };
  }
  if (shards.length === 1) return run(coordinator, { commitTransaction: 1, ...end });
  const participants = shards.map((shard) => ({ shardId: `shard${shard}` }));
  return run(coordinator, { coordinateCommitTransaction: 1, participants, ...end });
};
