import { connect as dial, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const headerBytes = 16;
const opcodes = { reply: 1, query: 2004, message: 2013 };
/** The bytes before the only document of a message. */
const messageHeadBytes = 21;
const replyHeadBytes = 36;

const decode = (bytes: Buffer): Document => BSON.deserialize(bytes, { promoteLongs: false });

/** The bytes of a message that ends with one document. */
const encode = (head: Buffer, document: Document): Buffer => {
  const message = Buffer.concat([head, BSON.serialize(document)]);
  message.writeInt32LE(message.length, 0);
  return message;
};

/** Whether a message is the first one of a connection of the driver, the legacy hello. */
export const isLegacyHello = (message: Buffer): boolean => message.readInt32LE(12) === opcodes.query;

/** The document in an OP_MSG, its sequences of documents included. */
export const documentIn = (message: Buffer): Document => {
  let document: Document = {};
  const sequences: Record<string, Document[]> = {};
  for (let at = headerBytes + 4; at < message.length; ) {
    const section = message.subarray(at + 1, at + 1 + message.readInt32LE(at + 1));
    if (message[at] === 0) document = decode(section);
    else {
      const nameEnd = section.indexOf(0, 4);
      const documents: Document[] = [];
      for (let from = nameEnd + 1; from < section.length; from += section.readInt32LE(from))
        documents.push(decode(section.subarray(from, from + section.readInt32LE(from))));
      sequences[section.toString('utf8', 4, nameEnd)] = documents;
    }
    at += 1 + section.length;
  }
  return { ...document, ...sequences };
};

/** An OP_MSG with a document; `request` is the message that it answers. */
export const messageOf = (document: Document, request?: Buffer): Buffer => {
  const head = Buffer.alloc(messageHeadBytes);
  head.writeInt32LE(request?.readInt32LE(4) ?? 0, 8);
  head.writeInt32LE(opcodes.message, 12);
  return encode(head, document);
};

/** Changes the document in an OP_REPLY, the answer to a legacy hello. */
export const editReply = (reply: Buffer, edit: (document: Document) => Document): Buffer =>
  encode(Buffer.from(reply.subarray(0, replyHeadBytes)), edit(decode(reply.subarray(replyHeadBytes))));

/** The messages that arrive on a socket. */
export async function* messagesOn(socket: Socket): AsyncGenerator<Buffer, undefined> {
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

/** A connection to a server, for one request at a time. Unlike the driver, it sends a command as it is. */
export class RawConnection {
  private readonly socket: Socket;
  private readonly replies: AsyncGenerator<Buffer, undefined>;

  constructor(address: { readonly host: string; readonly port: number }) {
    this.socket = dial(address).on('error', () => undefined);
    this.replies = messagesOn(this.socket);
  }

  async send(message: Buffer): Promise<Buffer> {
    this.socket.write(message);
    const { value } = await this.replies.next();
    if (value === undefined) throw new Error('the server ended the connection');
    return value;
  }

  async run(command: Document): Promise<Document> {
    return documentIn(await this.send(messageOf(command)));
  }

  close(): void {
    this.socket.destroy();
  }
}
