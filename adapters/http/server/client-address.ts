import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

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
  // Node.js accepts no other spelling of an IPv4 address, and each request has one.
  if (isIPv4(address)) return address;
  const parsed = parse(address);
  return parsed instanceof ipaddr.IPv6 ? (translated(parsed) ?? networkOf(parsed)) : parsed?.toString();
};
