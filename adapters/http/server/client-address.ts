import { isIP } from 'node:net';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import ipaddr from 'ipaddr.js';
import type { Request as KoaRequest } from 'koa';
import type { Parameter } from '../api/route-types.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

// Node.js validates the text, because the package also accepts 127.1 and 0x7f000001 as IPv4.
const parse = (text: string): Address | undefined => {
  if (isIP(text) === 0) return undefined;
  // The zone of a link-local address (RFC 4007) has a meaning only on the machine that wrote it.
  const [plain = ''] = text.split('%');
  // The package treats ::192.0.2.1 as IPv4-mapped, but not its other spelling ::c000:201. With the zero, both are the
  // same IPv6 address (RFC 4291, section 2.5.5.1).
  return ipaddr.process(plain.startsWith('::') && isIP(plain.slice(2)) === 4 ? `0${plain}` : plain);
};

/**
 * An IP address in canonical form (RFC 5952), without a zone. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes
 * IPv4. Undefined for any other text.
 */
export const canonicalAddress = (text: string): string | undefined => parse(text)?.toString();

/**
 * The prefix whose addresses carry IPv4 in their last 32 bits (RFC 6052, section 2.1). Not `range() === 'rfc6052'`,
 * which also covers 64:ff9b:1::/48, where the network decides how IPv4 is carried (RFC 8215).
 */
const translationPrefix = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const translated = (address: ipaddr.IPv6): string | undefined =>
  address.match(translationPrefix) ? new ipaddr.IPv4(address.toByteArray().slice(12)).toString() : undefined;

const networkOf = (address: ipaddr.IPv6): string =>
  `${address.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;

/**
 * The key that identifies a client for rate limits, the same for every spelling of its address: an IPv4 address, also
 * when mapped (RFC 4291, section 2.5.5.2) or translated (RFC 6052) into IPv6, or the first 64 bits of an IPv6 address,
 * because a subscriber gets at least a /64 network (RFC 6177). Undefined for a text that is no IP address.
 */
export const subscriberOf = (address: string): string | undefined => {
  const parsed = parse(address);
  return parsed instanceof ipaddr.IPv6 ? (translated(parsed) ?? networkOf(parsed)) : parsed?.toString();
};

const readConnection = ({ ip }: KoaRequest): Either<string, string> => {
  const subscriber = subscriberOf(ip);
  // Without an address the attempt cannot be counted. The connection is closed, so that no client receives the refusal.
  return subscriber === undefined ? left('is unknown, because the connection was closed') : right(subscriber);
};

/** The address of the connection, or the one in the header of a trusted proxy (`server.trustProxy`). */
export const connectionAddress: Parameter<string | undefined> = {
  name: 'address',
  in: 'connection',
  required: false,
  description: 'The IP address of the client.',
  schema: { type: 'string' },
  example: '192.0.2.1',
  read: readConnection,
};

/** The address of the user in a header of the client; without the header, the address of the connection. */
export const headerAddress = (name: string): Parameter<string | undefined> => ({
  name,
  in: 'header',
  required: false,
  description:
    'The IP address of the end user who entered the password. Wrong passwords are counted for it. The zone of an IPv6 address, as in `fe80::1%eth0`, is ignored.',
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
