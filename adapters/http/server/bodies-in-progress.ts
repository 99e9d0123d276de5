import type { IncomingMessage } from 'node:http';

/** How much memory the bodies that are being read may hold together. */
const maxHeldBytes = 32 * 1024 * 1024;

/** What a chunk takes besides its bytes: a client can send each byte in a chunk of its own. */
const chunkOverheadBytes = 256;

/** The error with which the reader of a body ends, because the body holds more than any other when memory runs out. */
export class EvictedBody extends Error {
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

export const bodiesInProgress = new BodiesInProgress();
