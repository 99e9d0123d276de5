import { isIP } from 'node:net';
import { left, right } from 'fp-ts/lib/Either.js';
import type { Parameter } from './route.ts';

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const parts = (text = ''): readonly string[] => (text === '' ? [] : text.split(':'));

/** The first four of the eight groups of an IPv6 address. */
const networkOf = (address: string): string => {
  // The URL standard writes every address in one way only (WHATWG URL, section 3.5).
  const [head, tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [parts(head), parts(tail)];
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
};

/**
 * What is counted as one client: an address of IPv4, or the first 64 bits of one of IPv6, which is the least that one
 * subscriber gets (RFC 6177). What is no address stays as it is.
 */
export const subscriberOf = (address: string): string => {
  const [plain = ''] = address.split('%');
  const embedded = mapped.exec(plain)?.[1];
  if (embedded !== undefined) return embedded;
  return isIP(plain) === 6 ? `${networkOf(plain)}::/64` : plain;
};

/** The address of the connection, or that which a trusted proxy tells (`server.trustProxy`). */
export const connectionAddress: Parameter<string | undefined> = {
  name: 'address',
  in: 'connection',
  required: false,
  description: 'The address from which the client calls.',
  schema: { type: 'string' },
  example: '192.0.2.1',
  read: ({ ip }) => right(subscriberOf(ip)),
};

/** The address that the client tells in a header, for one of its own users; without it that of the connection. */
export const namedAddress = (name: string): Parameter<string | undefined> => ({
  name,
  in: 'header',
  required: false,
  description: 'The address of the person who gave the password. Wrong passwords are counted for it.',
  schema: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
  example: '192.0.2.1',
  read: ({ req, ip }) => {
    const value = req.headers[name.toLowerCase()];
    if (value === undefined) return right(subscriberOf(ip));
    // Node.js joins the values of a repeated header, which are no address together.
    return typeof value === 'string' && isIP(value) !== 0
      ? right(subscriberOf(value))
      : left('must be one IPv4 or IPv6 address');
  },
});
