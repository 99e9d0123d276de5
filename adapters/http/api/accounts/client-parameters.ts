import { isIP } from 'node:net';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { subscriberOf } from '../../server/client-address.ts';
import { connectionInput } from '../parameters.ts';
import type { Parameter } from '../route-types.ts';

const readConnection = ({ ip }: KoaRequest): Either<string, string> => {
  const subscriber = subscriberOf(ip);
  // Without an address the attempt cannot be counted. The connection is closed, so that no client receives the refusal.
  return subscriber === undefined ? left('is unknown, because the connection was closed') : right(subscriber);
};

/** The address of the connection, or the one in the header of a trusted proxy (`server.trustProxy`). */
export const connectionAddress: Parameter<string | undefined> = connectionInput('address', readConnection);

/**
 * The address of the user in a header of the client; without the header, the address of the connection. `purpose` is what the
 * user did, and what is counted.
 */
export const headerAddress = (
  name: string,
  purpose = 'entered the password. Wrong passwords are counted for it',
): Parameter<string | undefined> => ({
  name,
  in: 'header',
  required: false,
  description: `The IP address of the end user who ${purpose}. The zone of an IPv6 address, as in \`fe80::1%eth0\`, is ignored.`,
  // Generators of clients ignore a condition. With `anyOf` they omit operations, or write code that does not compile.
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  schema: { type: 'string', if: { pattern: ':' }, then: { format: 'ipv6' }, else: { format: 'ipv4' } },
  example: '192.0.2.1',
  read: (request) => {
    const value = request.req.headers[name.toLowerCase()];
    if (value === undefined) return readConnection(request);
    // Node.js joins the values of a repeated header; the result is no address.
    return typeof value === 'string' && isIP(value) !== 0
      ? right(subscriberOf(value))
      : left('must be one IPv4 or IPv6 address');
  },
});
