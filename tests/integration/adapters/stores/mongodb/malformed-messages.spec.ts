import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { startTcpServer } from '../../../../support/tcp-servers.ts';
import { messageOf, messagesOn } from '../../../../support/wire-protocol.ts';

/** The answer of a single server to the first command of a connection. */
const hello = { ok: 1, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 17, maxBsonObjectSize: 16_777_216 };

const opcodes = { reply: 1, compressed: 2012, message: 2013 };

/** A message with this opcode and body that answers a request. */
const answerTo = (request: Buffer, opcode: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(16);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(opcode, 12);
  return Buffer.concat([head, body]);
};

/** A message whose first bytes say that it has this length. */
const ofLength = (length: number): Buffer => {
  const message = Buffer.alloc(64);
  message.writeInt32LE(length, 0);
  return message;
};

/** The body of an OP_MSG that begins with these bytes, and says that its document has this size. */
const bodyWith = (size: number, ...before: number[]): Buffer => {
  const body = Buffer.from([0, 0, 0, 0, ...before, 0, 0, 0, 0, 0]);
  body.writeInt32LE(size, body.length - 4);
  return body;
};

/** The body of an OP_REPLY that says that it has so many documents. */
const replyWith = (documents: number): Buffer => {
  const body = Buffer.alloc(25);
  body.writeInt32LE(documents, 16);
  body.writeInt32LE(5, 20);
  return body;
};

/** The original opcode, the length and the compressor, which compresses nothing. */
const uncompressed = (body: Buffer): Buffer => {
  const head = Buffer.alloc(9);
  head.writeInt32LE(opcodes.message, 0);
  head.writeInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
};

const malformed: Readonly<Record<string, (request: Buffer) => Buffer>> = {
  'a length of 0': () => ofLength(0),
  'a length below that of a header': () => ofLength(15),
  'a negative length': () => ofLength(-1),
  'a document of 0 bytes': (request) => answerTo(request, opcodes.message, bodyWith(0)),
  'a document of a negative size': (request) => answerTo(request, opcodes.message, bodyWith(-1)),
  'a document of a negative size after an unknown section': (request) =>
    answerTo(request, opcodes.message, bodyWith(-1, 7)),
  'a document whose size is cut off': (request) => answerTo(request, opcodes.message, Buffer.from([0, 0, 0, 0, 0, 9])),
  'a document of a negative size behind a compressor': (request) =>
    answerTo(request, opcodes.compressed, uncompressed(bodyWith(-1))),
  'a billion documents': (request) => answerTo(request, opcodes.reply, replyWith(2 ** 30)),
  'no document': (request) => answerTo(request, opcodes.reply, replyWith(0)),
};

/**
 * The code and the message with which a check fails; none if its process ends without them. It is another process, because
 * a driver that loops without end cannot be stopped otherwise.
 */
const checkError = async (port: number): Promise<readonly unknown[]> => {
  const child = fork(new URL('./checking-process.ts', import.meta.url), [`mongodb://127.0.0.1:${port}/`], {
    execArgv: [
      '--import',
      new URL('../../../../../tools/typescript.js', import.meta.url).href,
      '--max-old-space-size=192',
    ],
    timeout: 15_000,
    killSignal: 'SIGKILL',
  });
  const sent: unknown[] = [];
  child.on('message', (message) => sent.push(message));
  await once(child, 'exit');
  return sent.flat();
};

describe('a malformed message of a server of MongoDB', () => {
  for (const moment of ['the first reply', 'the reply to a command'])
    for (const [what, answer] of Object.entries(malformed))
      it(`with ${what}, as ${moment}, makes the database unavailable, and nothing else`, async () => {
        let broken = 0;
        const server = await startTcpServer(async (socket) => {
          for await (const request of messagesOn(socket)) {
            const isHello = /ismaster|hello/i.test(request.toString('latin1', 16, 64));
            const isBroken = moment === 'the first reply' || !isHello;
            if (isBroken) broken++;
            socket.write(isBroken ? answer(request) : messageOf(hello, request));
          }
        });
        try {
          const [code, message] = await checkError(server.port);
          expect(code).to.equal('store_unavailable');
          expect(message).to.match(/the server cannot be reached \(it sends malformed messages: is it MongoDB\?\)$/);
          expect(broken).to.be.within(1, 20);
        } finally {
          await server.close();
        }
      });
});
