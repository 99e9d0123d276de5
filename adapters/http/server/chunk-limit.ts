import type { IncomingMessage, ServerResponse } from 'node:http';

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
