import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, unzipSync, type ZlibOptions } from 'node:zlib';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';

/** What a route accepts as a body. */
interface BodyLimits {
  /** The maximum size, also after decompression. */
  readonly maxBytes: number;
  /** Whether the body may have a content encoding. */
  readonly allowsCompression: boolean;
}

/** Why a body was not read. `overloaded`: the bodies that are being read hold too much memory. */
export type BodyFailure = 'unsupported_encoding' | 'body_too_large' | 'invalid_body' | 'overloaded';

/** Reads the whole body of a request. After a failure the rest of the body is discarded as it arrives. */
export type BodyReader = (ctx: Context) => Promise<Either<BodyFailure, Buffer>>;

/** How much memory the bodies that are being read may hold together. */
const maxHeldBytes = 32 * 1024 * 1024;

/** What a chunk takes besides its bytes: a client can send each byte in a chunk of its own. */
const chunkOverheadBytes = 256;

/** The error with which the reader of a body ends, because the body holds more than any other when memory runs out. */
class EvictedBody extends Error {
  override readonly name = 'EvictedBody';
}

const ignore = (): void => {};

/**
 * The bodies that are being read, on all ports of the process. When they hold too much memory together, the one that holds
 * the most is evicted, so that slow senders of large bodies cannot keep others from sending small ones.
 */
class BodiesInProgress {
  private heldBytes = 0;
  private readonly bodies = new Map<IncomingMessage, number>();

  /**
   * Calls `read`, which collects the body of a request and rejects with an error of the request, such as `EvictedBody`.
   */
  async read<Result>(request: IncomingMessage, read: () => Promise<Result>): Promise<Result> {
    // For the whole life of the request, because an error without a listener would end the process.
    request.on('error', ignore);
    let lastMemory: ArrayBufferLike | undefined;
    const count = ({ buffer }: Buffer): void => {
      // Chunks that arrived in one piece share its memory.
      const bytes = buffer === lastMemory ? 0 : buffer.byteLength;
      lastMemory = buffer;
      this.add(request, bytes + chunkOverheadBytes);
    };
    this.bodies.set(request, 0);
    request.on('data', count);
    try {
      return await read();
    } finally {
      request.off('data', count);
      this.release(request);
    }
  }

  private add(request: IncomingMessage, bytes: number): void {
    this.heldBytes += bytes;
    this.bodies.set(request, (this.bodies.get(request) ?? 0) + bytes);
    if (this.heldBytes > maxHeldBytes) this.evictLargest();
  }

  private evictLargest(): void {
    const [first, ...others] = this.bodies;
    if (first === undefined) return;
    const [largest] = others.reduce((one, other) => (other[1] > one[1] ? other : one), first);
    this.release(largest);
    // Ends the reader without closing the connection, which is needed for the response.
    largest.emit('error', new EvictedBody());
  }

  private release(request: IncomingMessage): void {
    this.heldBytes -= this.bodies.get(request) ?? 0;
    this.bodies.delete(request);
  }
}

const bodiesInProgress = new BodiesInProgress();

type Decompress = (bytes: Buffer, options: ZlibOptions) => Buffer;

const identity: Decompress = (bytes) => bytes;
const decompressors: ReadonlyMap<string, Decompress> = new Map([
  ['identity', identity],
  ['gzip', unzipSync],
  ['deflate', unzipSync],
  ['br', brotliDecompressSync],
]);

const codeIn = (error: unknown): unknown =>
  error instanceof Error && ('type' in error ? error.type : 'code' in error ? error.code : undefined);

const failureOf = (error: unknown): BodyFailure => {
  if (error instanceof EvictedBody) return 'overloaded';
  const code = codeIn(error);
  return code === 'entity.too.large' || code === 'ERR_BUFFER_TOO_LARGE' ? 'body_too_large' : 'invalid_body';
};

const noNext = async (): Promise<void> => {};

/** Returns a reader that reads bodies within these limits. */
export const bodyReader = ({ maxBytes, allowsCompression }: BodyLimits): BodyReader => {
  // Reads the body as bytes, because the JSON parser of the library accepts malformed UTF-8, repeated names and lossy
  // numbers, and overflows its stack on deep nesting; its parser of forms takes seconds for a MiB of empty fields.
  const asBytes = {
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(maxBytes),
    // Missing in the types of the library: without an encoding it returns a buffer.
    encoding: '',
  };
  const readBytes = bodyParser(asBytes);
  return async (ctx) => {
    const { req, request } = ctx;
    const { headers, httpVersion } = req;
    // In any case (RFC 9110, section 8.4.1).
    const decompress = decompressors.get((headers['content-encoding'] ?? 'identity').toLowerCase());
    if (decompress === undefined || (decompress !== identity && !allowsCompression))
      return left('unsupported_encoding');
    // The library decompresses while it reads. Here the complete body is decompressed in one call instead: a stream would
    // hold its tables for as long as the client takes, and could fail when its errors are no longer handled.
    headers['content-encoding'] = 'identity';
    // Keeps the library from parsing a header of the client.
    headers['content-type'] = 'application/json';
    // A client with this header sends the body only after an interim response (RFC 9110, section 10.1.1).
    if (headers.expect !== undefined && httpVersion === '1.1') ctx.res.writeContinue();
    try {
      await bodiesInProgress.read(req, () => readBytes(ctx, noNext));
      const bytes: unknown = request.rawBody;
      return right(decompress(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), { maxOutputLength: maxBytes }));
    } catch (error) {
      discardRest(req);
      return left(failureOf(error));
    }
  };
};

/** Otherwise the unread rest would block the connection until the request times out. */
const discardRest = (request: IncomingMessage): void => void request.resume();

/** How many chunks of a body may have any size. */
const maxTinyChunks = 4_096;
/** The mean size of chunks from then on, in bytes. */
const minMeanBytes = 64;

/**
 * Destroys the connection when the body of a request consists of too many tiny chunks (RFC 9112, section 7.1). A chunk takes
 * about a microsecond, whatever its size, and libuv reads up to 2 MiB of a connection in one turn of the event loop: 350,000
 * chunks of one byte. A few clients, even without credentials, would delay all others by seconds.
 */
export const limitChunks = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.headers['transfer-encoding'] === undefined) return;
  let chunks = 0;
  let bytes = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    bytes += chunk?.length ?? 0;
    if (++chunks <= maxTinyChunks || bytes >= chunks * minMeanBytes) return push(chunk, encoding);
    request.socket.destroy();
    return false;
  };
  // Node.js would parse the rest of an unread body without calling `push`, but not when reading has begun.
  response.once('prefinish', () => {
    if (!request.complete) request.resume().read(0);
  });
};
