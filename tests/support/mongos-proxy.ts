import type { Socket } from 'node:net';
import { type Document, Long, ObjectId, Timestamp } from 'mongodb';
import type { ShardedCluster, ShardedCollection } from './engines/sharded-cluster.ts';
import { codeOf, RouterTransactions } from './router-transactions.ts';
import { statementOf, valueIn, verdictOn, writeErrorReply } from './sharding-rules.ts';
import { startTcpServer, type TestServer } from './tcp-servers.ts';
import { documentIn, editReply, isLegacyHello, messageOf, messagesOn, RawConnection } from './wire-protocol.ts';

/**
 * Where the chunks of a new collection begin: at prefixes of the addresses and counters in the contract suites, so that
 * both shards have some.
 */
const bounds = ['told-', 'user-', 'walk-']
  .flatMap((prefix) => [...'13579'].map((digit) => `${prefix}${digit}`))
  .concat('a', 'b', 'c', 'user:A', 'user:a')
  .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** Codes of MongoDB: https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml */
const codes = { unauthorized: 13, noSuchTransaction: 251, wouldChangeOwningShard: 283, staleConfig: 13388 };
const maxAttempts = 5;

/** The version of collections that are not sharded. */
const unsharded = {
  t: new Timestamp({ t: 0, i: 0 }),
  e: new ObjectId('0'.repeat(24)),
  v: new Timestamp({ t: 0, i: 0 }),
};

/** The members of a `hello` that describe a replica set; without a topologyVersion the driver polls. */
const replicaSetMembers = new Set(
  'setName setVersion secondary hosts primary me electionId lastWrite topologyVersion'.split(' '),
);

const asRouter = (hello: Document): Document => ({
  ...Object.fromEntries(Object.entries(hello).filter(([name]) => !replicaSetMembers.has(name))),
  msg: 'isdbgrid',
});

const namespaceOf = (command: Document): string => `${command.$db}.${Object.values(command)[0]}`;

const sum = (replies: readonly Document[], field: string): number =>
  replies.reduce((total, reply) => total + (reply[field] ?? 0), 0);

/** The groups or the count that an aggregation has found on several shards. */
const aggregated = (found: readonly Document[]): readonly Document[] => {
  const [first] = found;
  if (first === undefined) return [];
  if (Object.keys(first).join() === '_id') return [...new Map(found.map((group) => [group._id, group])).values()];
  return [{ ...first, n: sum(found, 'n'), count: sum(found, 'count') }];
};

/** What a command that all shards ran replies; results of a query are in the order of its `sort`. */
const merged = (command: Document, replies: readonly Document[]): Document => {
  const failed = replies.find((reply) => reply.ok !== 1 || reply.writeErrors !== undefined);
  const [first = {}] = replies;
  if (failed !== undefined || replies.length === 1) return failed ?? first;
  if (first.cursor === undefined) return { ...first, n: sum(replies, 'n'), nModified: sum(replies, 'nModified') };
  const found: Document[] = replies.flatMap((reply) => reply.cursor.firstBatch);
  const { aggregate, sort = {}, skip = 0, limit = 0 } = command;
  const [field] = Object.keys(sort);
  if (field !== undefined)
    found.sort((one, other) => Buffer.compare(Buffer.from(one[field]), Buffer.from(other[field])));
  const all = aggregate === undefined ? found.slice(skip, limit === 0 ? undefined : skip + limit) : aggregated(found);
  return { ...first, cursor: { ...first.cursor, firstBatch: all } };
};

/** A client of the router, with a connection to each shard. */
class Session {
  private readonly shards: readonly RawConnection[];

  constructor(
    private readonly proxy: MongosProxy,
    cluster: ShardedCluster,
  ) {
    this.shards = cluster.addresses.map((address) => new RawConnection(address));
  }

  async answer(message: Buffer): Promise<Buffer> {
    if (isLegacyHello(message)) return editReply(await this.shard(0).send(message), asRouter);
    return messageOf(await this.reply(documentIn(message)), message);
  }

  close(): void {
    for (const shard of this.shards) shard.close();
  }

  private shard(number: number): RawConnection {
    const shard = this.shards[number];
    if (shard === undefined) throw new Error(`there is no shard ${number}`);
    return shard;
  }

  private async reply(command: Document): Promise<Document> {
    const { $db } = command;
    const [name = ''] = Object.keys(command);
    if (name === 'find') this.proxy.reads++;
    if (this.proxy.forbidden.has(name)) return { ok: 0, code: codes.unauthorized, codeName: 'Unauthorized' };
    if (name === 'hello' || name === 'ismaster' || name === 'isMaster')
      return asRouter(await this.shard(0).run(command));
    if (name === 'shardCollection') return this.proxy.shardCollection(command);
    if (name === 'dropDatabase') return this.proxy.dropDatabase($db);
    if (command.autocommit === false) return this.inTransaction(command);
    for (let attempt = 1; ; attempt++) {
      const collection = this.proxy.collections.get(namespaceOf(command));
      if (collection === undefined) break;
      const reply = await this.onSharded(command, collection);
      if (codeOf(reply) !== codes.staleConfig || attempt === maxAttempts) return reply;
      // A chunk has moved.
      await this.proxy.refresh(namespaceOf(command));
    }
    if ($db === 'admin' || name === 'getMore') return this.shard(0).run(command);
    const databaseVersion = await this.proxy.databaseVersion($db);
    const reply = await this.shard(0).run({ ...command, shardVersion: unsharded, databaseVersion });
    return name === 'collStats' ? { ...reply, sharded: false } : reply;
  }

  private async inTransaction(command: Document): Promise<Document> {
    const { $db } = command;
    const collection = this.proxy.collections.get(namespaceOf(command));
    const versions =
      $db === 'admin' ? {} : { shardVersion: unsharded, databaseVersion: await this.proxy.databaseVersion($db) };
    const run = (shard: number, part: Document) => this.shard(shard).run(part);
    const reply = await this.proxy.transactions.run(command, { collection, versions }, run);
    // The next transaction starts with the chunk where it is now.
    if (codeOf(reply) === codes.staleConfig) await this.proxy.refresh(namespaceOf(command));
    return reply;
  }

  private async onSharded(command: Document, collection: ShardedCollection): Promise<Document> {
    const [field = ''] = Object.keys(collection.key);
    const verdict = verdictOn(command, field);
    if (verdict !== undefined && 'refusal' in verdict) return verdict.refusal;
    const statement = statementOf(command);
    const filter = command.filter ?? command.query ?? statement?.q;
    if (verdict !== undefined) this.proxy.broadcasts.push(Object.keys(filter).join(' '));
    const value = valueIn(filter, field);
    if (value !== undefined) {
      const reply = await this.run(command, collection, collection.shardOf(value));
      return codeOf(reply) === codes.wouldChangeOwningShard ? this.move(command, collection) : reply;
    }
    const owners = collection.versions.flatMap((version, shard) => (version === undefined ? [] : [shard]));
    if ('collStats' in command || 'listIndexes' in command) {
      const reply = await this.run(command, collection, owners[0] ?? 0);
      return 'collStats' in command ? { ...reply, sharded: true } : reply;
    }
    const { skip = 0, limit = 0, ...rest } = command;
    const toShards = limit === 0 ? rest : { ...rest, limit: skip + limit };
    return merged(command, await Promise.all(owners.map((shard) => this.run(toShards, collection, shard))));
  }

  /** Runs a command on one shard, and reads all results of a query. */
  private async run(command: Document, { versions }: ShardedCollection, shard: number): Promise<Document> {
    const reply = await this.shard(shard).run({ ...command, shardVersion: versions[shard] });
    const { cursor } = reply;
    if (cursor === undefined || 'listIndexes' in command) return reply;
    for (let { id } = cursor; !id.isZero(); ) {
      const next = await this.shard(shard).run({
        getMore: id,
        collection: Object.values(command)[0],
        $db: command.$db,
        lsid: command.lsid,
      });
      if (next.cursor === undefined) return next;
      cursor.firstBatch.push(...next.cursor.nextBatch);
      id = next.cursor.id;
    }
    return { ...reply, cursor: { ...cursor, id: Long.ZERO } };
  }

  /** Moves a document to another shard as mongos 6.0 does: the retryable write becomes a transaction of both shards. */
  private async move(command: Document, collection: ShardedCollection): Promise<Document> {
    const { writeConcern, lsid, txnNumber, maxTimeMS: _, ...original } = command;
    const [field = ''] = Object.keys(collection.key);
    const from = collection.shardOf(statementOf(command)?.q[field]);
    const transaction = { lsid, txnNumber, autocommit: false };
    const start = { startTransaction: true, readConcern: { level: 'local' } };
    const first = await this.run({ ...original, ...transaction, ...start, coordinator: true }, collection, from);
    const admin = { $db: 'admin', ...transaction, writeConcern };
    const aborted = async (reply: Document, participants: readonly number[]) => {
      await Promise.all(participants.map((shard) => this.shard(shard).run({ abortTransaction: 1, ...admin })));
      return failedMove(reply);
    };
    const code = codeOf(first);
    if (code === undefined) {
      // The address and the user were on one shard after all.
      const committed = await this.shard(from).run({ commitTransaction: 1, ...admin });
      return committed.ok === 1 ? first : failedMove(committed);
    }
    if (code !== codes.wouldChangeOwningShard) return aborted(first, [from]);
    const { preImage, postImage } = first.writeErrors?.[0] ?? first;
    const to = collection.shardOf(postImage[field]);
    const name = Object.values(command)[0];
    const within = { $db: command.$db, ...transaction };
    const deleted = await this.run({ delete: name, deletes: [{ q: preImage, limit: 1 }], ...within }, collection, from);
    if (codeOf(deleted) !== undefined) return aborted(deleted, [from]);
    const inserted = await this.run({ insert: name, documents: [postImage], ...within, ...start }, collection, to);
    if (codeOf(inserted) !== undefined) return aborted(inserted, [from, to]);
    const participants = [from, to].map((shard) => ({ shardId: `shard${shard}` }));
    const committed = await this.shard(from).run({ coordinateCommitTransaction: 1, participants, ...admin });
    if (committed.ok !== 1) return failedMove(committed);
    this.proxy.moves++;
    return { ok: 1, n: 1, nModified: 1 };
  }
}

const failedMove = (reply: Document): Document => {
  const { code, errmsg, keyPattern, keyValue } = reply.writeErrors?.[0] ?? reply;
  const text =
    'Update operation was converted into a distributed transaction because the document being updated would move shards and that transaction failed.';
  return writeErrorReply({
    // A transaction does not survive that a chunk moves.
    code: code === codes.staleConfig ? codes.noSuchTransaction : code,
    errmsg: `${text} :: caused by :: ${errmsg}`,
    ...(keyPattern !== undefined && { keyPattern, keyValue }),
  });
};

/**
 * A stand-in for mongos, the router of a sharded cluster, in front of real shards: it refuses what mongos 6.0 refuses
 * (sharding-rules.ts), sends commands with the version of the collection to the shard of their shard key or to all,
 * merges results, and moves documents between shards by transactions. It supports the commands of the store only.
 */
export class MongosProxy {
  readonly collections = new Map<string, ShardedCollection>();
  readonly transactions = new RouterTransactions();
  private readonly databaseVersions = new Map<string, Promise<unknown>>();
  private listener: TestServer | undefined;
  /** How many queries came. */
  reads = 0;
  /** The fields of each filter with which a change of one document went to all shards. */
  readonly broadcasts: string[] = [];
  /** Commands that the user may not run. */
  readonly forbidden = new Set<string>();
  /** The number of documents that moved to another shard. */
  moves = 0;

  private constructor(private readonly cluster: ShardedCluster) {}

  static async to(cluster: ShardedCluster): Promise<MongosProxy> {
    const proxy = new MongosProxy(cluster);
    proxy.listener = await startTcpServer((socket) => {
      proxy.serve(socket).catch(() => socket.destroy());
    });
    return proxy;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.listener?.port}/`;
  }

  close(): Promise<void> | undefined {
    return this.listener?.close();
  }

  databaseVersion(name: string): Promise<unknown> {
    const known = this.databaseVersions.get(name) ?? this.cluster.database(name);
    this.databaseVersions.set(name, known);
    return known;
  }

  async shardCollection({ shardCollection, key, unique = false }: Document): Promise<Document> {
    const [database = '', ...rest] = String(shardCollection).split('.');
    const [field = ''] = Object.keys(key);
    const isRanged = field !== '_id' && key[field] === 1;
    const options = { key, unique, bounds: isRanged ? bounds : [] };
    this.collections.set(shardCollection, await this.cluster.shardCollection([database, rest.join('.')], options));
    return { ok: 1, collectionsharded: shardCollection };
  }

  async refresh(namespace: string): Promise<void> {
    this.collections.set(namespace, await this.cluster.collection(namespace));
  }

  async dropDatabase(name: string): Promise<Document> {
    await this.cluster.dropDatabase(name);
    for (const namespace of this.collections.keys())
      if (namespace.startsWith(`${name}.`)) this.collections.delete(namespace);
    this.databaseVersions.delete(name);
    return { ok: 1, dropped: name };
  }

  private async serve(client: Socket): Promise<void> {
    const session = new Session(this, this.cluster);
    try {
      for await (const message of messagesOn(client)) client.write(await session.answer(message));
    } finally {
      session.close();
    }
  }
}
