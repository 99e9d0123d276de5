import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, unzipSync, type ZlibOptions } from 'node:zlib';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';

/** What a route accepts as a body. */
export interface BodyLimits {
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

/** The error with which the reader of a body ends that is longer than it may be. */
class LongBody extends Error {
  override readonly name = 'LongBody';
}

const failureOf = (error: unknown): BodyFailure => {
  if (error instanceof EvictedBody) return 'overloaded';
  const isLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
  return isLong || error instanceof LongBody ? 'body_too_large' : 'invalid_body';
};

/** Resolves with the bytes of a body. Rejects if it has more than `maxBytes`, or if the request ends before it. */
const collect = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new LongBody();
    if (!request.readable) throw new Error('the request has ended');
    let chunks: Buffer[] = [];
    let length = 0;
    const add = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) fail(new LongBody());
    };
    const stop = (): void => {
      request.off('data', add).off('end', end).off('error', fail).off('close', fail);
      chunks = [];
    };
    const end = (): void => {
      resolve(Buffer.concat(chunks));
      stop();
    };
    const fail = (error?: Error): void => {
      reject(error ?? new Error('the request has ended'));
      stop();
    };
    request.on('data', add).on('end', end).on('error', fail).on('close', fail);
  });

/** Returns a reader that reads bodies within these limits. */
export const bodyReader =
  ({ maxBytes, allowsCompression }: BodyLimits): BodyReader =>
  async ({ req, res }) => {
    const { headers, httpVersion } = req;
    // In any case (RFC 9110, section 8.4.1).
    const decompress = decompressors.get((headers['content-encoding'] ?? 'identity').toLowerCase());
    if (decompress === undefined || (decompress !== identity && !allowsCompression))
      return left('unsupported_encoding');
    // A client with this header sends the body only after an interim response (RFC 9110, section 10.1.1).
    if (headers.expect !== undefined && httpVersion === '1.1') res.writeContinue();
    try {
      const bytes = await bodiesInProgress.read(req, () => collect(req, maxBytes));
      // In one call for the complete body: a stream would hold its tables for as long as the client takes.
      return right(decompress(bytes, { maxOutputLength: maxBytes }));
    } catch (error) {
      discardRest(req);
      return left(failureOf(error));
    }
  };

/** Without it the connection would be blocked by what nobody reads, until the request times out. */
const discardRest = (request: IncomingMessage): void => void request.resume();
