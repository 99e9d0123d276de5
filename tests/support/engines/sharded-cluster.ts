import { createHash } from 'node:crypto';
import { type Document, MaxKey, MinKey, MongoClient, type ObjectId, type Timestamp, type UUID } from 'mongodb';
import { startContainer } from './containers.ts';
import { engines } from './engines.ts';
import { connectionStringOf, initiate } from './replica-set.ts';

/** The version of a collection on a shard, which every command on a sharded collection names (`shardVersion`). */
interface ShardVersion {
  readonly t: Timestamp;
  readonly e: ObjectId;
  readonly v: Timestamp;
}

/** A sharded collection. */
export interface ShardedCollection {
  /** The shard key, of one field. */
  readonly key: Readonly<Record<string, unknown>>;
  /** For each shard; undefined for one without a chunk. */
  readonly versions: readonly (ShardVersion | undefined)[];
  /** The number of the shard of a value of the shard key. */
  shardOf(value: string): number;
}

/** A collection in the database `config`; its chunks have the same `uuid`. */
interface Metadata {
  readonly _id: string;
  readonly uuid: UUID;
  readonly lastmodEpoch: ObjectId;
  readonly timestamp: Timestamp;
  readonly key: ShardedCollection['key'];
}

const configPort = 27019;
const shardPorts = [27017, 27018];
const nameOf = (shard: number): string => `shard${shard}`;
const majority = { writeConcern: { w: 'majority' } } as const;

/** The hash of a text in a hashed index (`BSONElementHasher::hash64` in `src/mongo/db/hasher.cpp`). */
const hashOf = (value: string): bigint => {
  const text = Buffer.from(`${value}\0`);
  const [seed, typeOfTexts] = [0, 15];
  const head = Buffer.alloc(12);
  for (const [index, number] of [seed, typeOfTexts, text.length].entries()) head.writeInt32LE(number, 4 * index);
  return createHash('md5').update(head).update(text).digest().readBigInt64LE();
};

/** Whether a chunk that starts at a bound, or one before it, has a value. */
const startsAtOrBelow = (bound: unknown, value: string): boolean => {
  if (bound instanceof MinKey) return true;
  return typeof bound === 'string'
    ? Buffer.compare(Buffer.from(bound), Buffer.from(value)) <= 0
    : BigInt(String(bound)) <= hashOf(value);
};

/** All servers run in one container, where they reach each other by the same addresses. */
const command = [
  'mkdir /data/config /data/0 /data/1',
  `mongod --configsvr --replSet config --port ${configPort} --dbpath /data/config --bind_ip_all &`,
  ...shardPorts.map(
    (port, shard) =>
      `mongod --shardsvr --replSet ${nameOf(shard)} --port ${port} --dbpath /data/${shard} --bind_ip_all &`,
  ),
  'wait',
].join('\n');

/**
 * The servers of a sharded cluster of MongoDB 6.0, without its routers (mongos): a config server and two shards, each a
 * replica set of one member. Administrators of a cluster work through a router; this class runs the same internal
 * commands of the servers.
 */
export class ShardedCluster {
  private constructor(
    private readonly config: MongoClient,
    private readonly shards: readonly MongoClient[],
    /** The addresses of the shards. */
    readonly addresses: readonly { readonly host: string; readonly port: number }[],
    readonly remove: () => Promise<unknown>,
  ) {}

  static async start(): Promise<ShardedCluster> {
    const container = await startContainer(
      engines.mongodb
        .container(await import('testcontainers'))
        .withCommand(['sh', '-c', command])
        .withExposedPorts(configPort, ...shardPorts),
    );
    const addressOf = (port: number) => ({ host: container.getHost(), port: container.getMappedPort(port) });
    const clientOf = (port: number) =>
      new MongoClient(connectionStringOf(addressOf(port).host, addressOf(port).port), {
        serverSelectionTimeoutMS: 20_000,
      });
    const config = clientOf(configPort);
    const shards = shardPorts.map(clientOf);
    const cluster = new ShardedCluster(config, shards, shardPorts.map(addressOf), async () => {
      await Promise.all([config, ...shards].map((client) => client.close()));
      await container.stop();
    });
    await cluster.initiate();
    return cluster;
  }

  /** Creates a database on the first shard unless it exists; resolves with its version. */
  async database(name: string): Promise<unknown> {
    await this.config.db('admin').command({ _configsvrCreateDatabase: name, primaryShardId: nameOf(0), ...majority });
    const databases = this.config.db('config').collection<{ _id: string; version: unknown }>('databases');
    return (await databases.findOne({ _id: name }))?.version;
  }

  /** Drops a database. */
  async dropDatabase(name: string): Promise<void> {
    const databaseVersion = await this.database(name);
    await this.onPrimary(name, { _shardsvrDropDatabase: 1, databaseVersion });
  }

  /**
   * `sh.shardCollection`. A new collection is split at `bounds`; its chunks are on the first and second shard in turn.
   * One that has users stays in one chunk.
   */
  async shardCollection(
    [database, name]: readonly [database: string, name: string],
    { key, unique, bounds }: { key: ShardedCollection['key']; unique: boolean; bounds: readonly string[] },
  ): Promise<ShardedCollection> {
    const namespace = `${database}.${name}`;
    const databaseVersion = await this.database(database);
    const [field = ''] = Object.keys(key);
    const ends = [new MinKey(), ...bounds, new MaxKey()].map((bound) => ({ [field]: bound }));
    const zones = ends.slice(1).map((max, index) => ({ ns: namespace, min: ends[index], max, tag: nameOf(index % 2) }));
    // Zones decide where the first chunks are (`sh.updateZoneKeyRange`).
    if (bounds.length > 0)
      await this.config
        .db('config')
        .collection<{ _id: unknown }>('tags')
        .insertMany(zones.map((zone) => ({ _id: { ns: namespace, min: zone.min }, ...zone })));
    await this.onPrimary(database, { _shardsvrCreateCollection: name, shardKey: key, unique, databaseVersion });
    return this.collection(namespace);
  }

  /** Moves the chunk that starts at a value of the shard key to another shard, as the balancer does. */
  async moveChunk(namespace: string, min: Readonly<Record<string, unknown>>, to: number): Promise<void> {
    await this.config.db('admin').command({ _configsvrMoveRange: namespace, min, toShard: nameOf(to), ...majority });
  }

  /** Sets how long a shard keeps copies of what it gave away (`orphanCleanupDelaySecs`). */
  async keepCopies(seconds: number): Promise<void> {
    const command = { setParameter: 1, orphanCleanupDelaySecs: seconds };
    await Promise.all(this.shards.map((shard) => shard.db('admin').command(command)));
  }

  /** Reads where the chunks of a sharded collection are. */
  async collection(namespace: string): Promise<ShardedCollection> {
    const metadata = await this.config.db('config').collection<Metadata>('collections').findOne({ _id: namespace });
    if (metadata === null) throw new Error(`${namespace} is not sharded`);
    const [field = ''] = Object.keys(metadata.key);
    const { uuid, lastmodEpoch: e, timestamp: t, key } = metadata;
    const chunks = await this.config.db('config').collection('chunks').find({ uuid }).sort({ min: 1 }).toArray();
    const versions = this.shards.map((_, shard) => {
      const own = chunks.filter((chunk) => chunk.shard === nameOf(shard)).map(({ lastmod }) => lastmod);
      return own.length === 0 ? undefined : { t, e, v: own.reduce((one, other) => (other.gt(one) ? other : one)) };
    });
    const shardOf = (value: string) =>
      Number(chunks.findLast(({ min }) => startsAtOrBelow(min[field], value))?.shard.slice(-1));
    return { key, versions, shardOf };
  }

  private async onPrimary(database: string, command: Document): Promise<void> {
    await this.shards[0]?.db(database).command({ ...command, ...majority });
  }

  private async initiate(): Promise<void> {
    const configuration = (_id: string, port: number) => ({ _id, members: [{ _id: 0, host: `localhost:${port}` }] });
    await initiate(this.config, { ...configuration('config', configPort), configsvr: true });
    const admin = this.config.db('admin');
    for (const [shard, port] of shardPorts.entries()) {
      const [client, name] = [this.shards[shard], nameOf(shard)];
      if (client !== undefined) await initiate(client, configuration(name, port));
      await admin.command({ _configsvrAddShard: `${name}/localhost:${port}`, name, ...majority });
      await admin.command({ _configsvrAddShardToZone: name, zone: name, ...majority });
    }
  }
}
