import { isIP } from 'node:net';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Request } from 'koa';
import { subscriberOf } from '../server/ip-address.ts';
import type { Parameter } from './route-description.ts';

const ofConnection = ({ ip }: Request): Either<string, string> => {
  const subscriber = subscriberOf(ip);
  // Nobody reads the answer then. Without an address the attempt would not be counted for one.
  return subscriber === undefined ? left('is unknown, because the connection was closed') : right(subscriber);
};

/** The address of the connection, or the one that trusted proxies tell (`server.trustProxy`). */
export const connectionAddress: Parameter<string | undefined> = {
  name: 'address',
  in: 'connection',
  required: false,
  description: 'The IP address of the client.',
  schema: { type: 'string' },
  example: '192.0.2.1',
  read: ofConnection,
};

/** The address that the client tells in a header, for one of its own users; without it that of the connection. */
export const namedAddress = (name: string): Parameter<string | undefined> => ({
  name,
  in: 'header',
  required: false,
  description: 'The IP address of the end user who entered the password. Wrong passwords are counted for it.',
  schema: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
  example: '192.0.2.1',
  read: (request) => {
    const value = request.req.headers[name.toLowerCase()];
    if (value === undefined) return ofConnection(request);
    // Node.js joins the values of a repeated header, which are no address together.
    return typeof value === 'string' && isIP(value) !== 0
      ? right(subscriberOf(value))
      : left('must be one IPv4 or IPv6 address');
  },
});
