import { connect as dial, type Socket } from 'node:net';
import { BSON, type Document, MongoClient, MongoServerError } from 'mongodb';
import { decide, keepsUnique, type ShardKey, writeErrorReply } from './sharding-rules.ts';
import { startTcpServer, type TestServer } from './tcp-servers.ts';

const headerBytes = 16;
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const opcodes = { reply: 1, query: 2004, message: 2013 };
/** The bytes before the document of an OP_REPLY, and of an OP_MSG without sequences. */
const documentOffset = { [opcodes.reply]: 36, [opcodes.message]: 21 };

/** The members of a `hello` that tell of a replica set; without a topologyVersion the driver polls. */
const replicaSetMembers = new Set(
  'setName setVersion secondary hosts primary me electionId lastWrite topologyVersion tags'.split(' '),
);

const opcodeOf = (message: Buffer): number => message.readInt32LE(12);
const decode = (bytes: Buffer): Document => BSON.deserialize(bytes, { promoteLongs: false });

/** The command in an OP_MSG, its document sequences included. */
const commandIn = (message: Buffer): Document => {
  let command: Document = {};
  const sequences: Record<string, Document[]> = {};
  for (let at = headerBytes + 4; at < message.length; ) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    if (kind === 0) command = decode(section);
    else {
      const nameEnd = section.indexOf(0, 4);
      const documents: Document[] = [];
      for (let from = nameEnd + 1; from < size; from += section.readInt32LE(from))
        documents.push(decode(section.subarray(from, from + section.readInt32LE(from))));
      sequences[section.toString('utf8', 4, nameEnd)] = documents;
    }
    at += 1 + size;
  }
  return { ...command, ...sequences };
};

/** An OP_MSG with one document, in reply to a message. */
const replyTo = (message: Buffer, document: Document): Buffer => {
  const head = Buffer.alloc(documentOffset[opcodes.message] ?? 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(opcodes.message, 12);
  return framed(head, document);
};

/** A message that ends with one document, with the right length. */
const framed = (head: Buffer, document: Document): Buffer => {
  const message = Buffer.concat([head, BSON.serialize(document)]);
  message.writeInt32LE(message.length, 0);
  return message;
};

/** Another document in a reply. */
const edited = (reply: Buffer, edit: (document: Document) => Document): Buffer => {
  const offset = documentOffset[opcodeOf(reply)];
  if (offset === undefined) throw new Error(`an unexpected opcode ${opcodeOf(reply)}`);
  return framed(Buffer.from(reply.subarray(0, offset)), edit(decode(reply.subarray(offset))));
};

const asRouter = (hello: Document): Document => ({
  ...Object.fromEntries(Object.entries(hello).filter(([name]) => !replicaSetMembers.has(name))),
  msg: 'isdbgrid',
});

/** The whole messages that arrive on a socket. */
async function* messagesOn(socket: Socket): AsyncGenerator<Buffer> {
  let received: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= headerBytes && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0);
      yield received.subarray(0, length);
      received = received.subarray(length);
    }
  }
}

/**
 * A stand-in for mongos, the router of a sharded cluster, in front of a replica set. It enforces the rules of mongos 6.0
 * for commands on sharded collections (sharding-rules.ts), as if every value of a shard key were on a shard of its own: an
 * update that changes the value runs in a transaction, as mongos does it. All data is in the one replica set, so that it
 * says nothing of what several shards do: merged results, migrations, the failure of one of them.
 */
export class MongosProxy {
  private readonly shardKeys = new Map<string, ShardKey>();
  private readonly moved = new Set<string>();
  private listener: TestServer | undefined;
  /** The fields of each filter without the shard key, with which a change of one document went to all shards. */
  readonly broadcasts: string[] = [];
  /** The number of documents that moved to another shard. */
  moves = 0;

  private constructor(
    private readonly client: MongoClient,
    private readonly host: string,
    private readonly port: number,
  ) {}

  /** Starts one in front of the server of a connection string. */
  static async to(connectionString: string): Promise<MongosProxy> {
    const { hostname, port } = new URL(connectionString);
    const proxy = new MongosProxy(new MongoClient(connectionString), hostname, Number(port));
    proxy.listener = await startTcpServer((socket) => {
      proxy.serve(socket).catch(() => socket.destroy());
    });
    return proxy;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.listener?.port}/`;
  }

  async close(): Promise<void> {
    await this.listener?.close();
    await this.client.close();
  }

  private async serve(client: Socket): Promise<void> {
    const server = dial({ host: this.host, port: this.port }).on('error', () => client.destroy());
    client.once('close', () => server.destroy());
    const replies = messagesOn(server);
    for await (const message of messagesOn(client)) {
      const command = opcodeOf(message) === opcodes.message ? commandIn(message) : { hello: 1 };
      const reply = await this.answer(command);
      if (reply !== undefined) {
        client.write(replyTo(message, reply));
        continue;
      }
      server.write(message);
      const { value } = await replies.next();
      if (value === undefined) return;
      client.write(this.afterwards(command, value));
    }
  }

  /** The reply of the router itself; undefined if the command goes to the server. */
  private async answer(command: Document): Promise<Document | undefined> {
    if (typeof command.shardCollection === 'string') return this.shard(command);
    const key = this.shardKeys.get(namespaceOf(command));
    const decision = key === undefined ? undefined : decide(command, key);
    if (decision === undefined) return undefined;
    if ('reply' in decision) return decision.reply;
    if ('move' in decision) return this.move(command, decision.move);
    const { updates, deletes } = command;
    this.broadcasts.push(Object.keys([...(updates ?? deletes)][0].q).join(' '));
    return undefined;
  }

  /** The reply of the server as the router returns it. */
  private afterwards(command: Document, reply: Buffer): Buffer {
    if ('hello' in command || 'ismaster' in command || 'isMaster' in command) return edited(reply, asRouter);
    if ('dropDatabase' in command)
      for (const name of this.shardKeys.keys()) if (name.startsWith(`${command.$db}.`)) this.shardKeys.delete(name);
    if ('drop' in command) this.shardKeys.delete(namespaceOf(command));
    if (!('collStats' in command)) return reply;
    const sharded = this.shardKeys.has(namespaceOf(command));
    return edited(reply, (document) => ({ ...document, sharded }));
  }

  /** `sh.shardCollection(namespace, key, unique)` */
  private async shard({ shardCollection: name, key, unique = false }: Document): Promise<Document> {
    const [database, ...rest] = String(name).split('.');
    const collection = this.client.db(database).collection(rest.join('.'));
    const refused = (errmsg: string) => ({ ok: 0, code: 72, codeName: 'InvalidOptions', errmsg });
    const indexes = await collection.indexes().catch(() => []);
    const broken = indexes.find((index) => index.unique && !keepsUnique(index.key, key));
    if (broken !== undefined)
      return refused(
        `can't shard collection '${name}' with unique index on ${JSON.stringify(broken.key)} and proposed shard key ${JSON.stringify(key)}. Uniqueness can't be maintained unless shard key is a prefix`,
      );
    if (!('_id' in key) && !indexes.some((index) => keepsUnique(index.key, key))) {
      if ((await collection.findOne()) !== null)
        return refused('Please create an index that starts with the proposed shard key before sharding the collection');
      await collection.createIndex(key, { unique });
    }
    this.shardKeys.set(String(name), key);
    return { ok: 1, collectionsharded: name };
  }

  /** Changes the value of a shard key as mongos does: a retryable write becomes a transaction. */
  private async move(command: Document, { q, u }: Document): Promise<Document> {
    const { update, $db, lsid, txnNumber, writeConcern } = command;
    const collection = this.client.db($db).collection(update);
    if (txnNumber === undefined)
      return (await collection.findOne(q)) === null
        ? { ok: 1, n: 0, nModified: 0 }
        : writeErrorReply({
            code: 20,
            errmsg: 'Must run update to shard key field in a multi-statement transaction or with retryWrites: true.',
          });
    const attempt = `${lsid.id.toString('hex')} ${txnNumber}`;
    if (this.moved.has(attempt))
      return writeErrorReply({
        code: 217,
        errmsg: 'Cannot retry a retryable write that has been converted into a transaction',
      });
    this.moved.add(attempt);
    const session = this.client.startSession();
    try {
      session.startTransaction({ readConcern: { level: 'local' }, writeConcern });
      const { matchedCount } = await collection.updateOne(q, u, { session, hint: command.updates[0].hint });
      await session.commitTransaction();
      this.moves += matchedCount;
      return { ok: 1, n: matchedCount, nModified: matchedCount };
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error;
      const { code, message, keyPattern, keyValue } = error;
      const errmsg = `Update operation was converted into a distributed transaction because the document being updated would move shards and that transaction failed. :: caused by :: ${message}`;
      return writeErrorReply({ code, errmsg, ...(keyPattern !== undefined && { keyPattern, keyValue }) });
    } finally {
      await session.endSession();
    }
  }
}

const namespaceOf = (command: Document): string => `${command.$db}.${Object.values(command)[0]}`;
