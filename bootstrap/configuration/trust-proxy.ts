import { BlockList, isIP } from 'node:net';
import * as t from 'io-ts';
import { type Codec, flag, list, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { validate } from './option-errors.ts';

/** The proxies whose X-Forwarded headers are trusted: none, so many in a row, or those in these networks. */
export type TrustProxy = false | number | readonly string[];

const maxProxies = 16;

/** The prefix of IPv4-mapped IPv6 addresses (RFC 4291, section 2.5.5.2). */
const mappedPrefix = 96;
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', mappedPrefix, 'ipv6');

/** The largest accepted networks are the largest private ones, 10.0.0.0/8 and fc00::/7. */
const minPrefix = (address: string): number => {
  if (isIP(address) === 4) return 8;
  return mapped.check(address, 'ipv6') ? mappedPrefix + 8 : 7;
};

const includesMapped = (address: string, prefix: number): boolean => {
  const network = new BlockList();
  network.addSubnet(address, prefix, 'ipv6');
  return network.check('::ffff:0.0.0.0', 'ipv6');
};

// Larger networks would include clients, and an IPv6 network must not include all of IPv4 either.
const isNetwork = (value: string): boolean => {
  const [, address = '', digits] = /^([\da-f:.]+)(?:\/([1-9]\d{0,2}))?$/i.exec(value) ?? [];
  const version = isIP(address);
  if (version === 0 || digits === undefined) return version !== 0;
  const prefix = Number(digits);
  if (prefix > (version === 4 ? 32 : 128) || prefix < minPrefix(address)) return false;
  return version === 4 || prefix >= mappedPrefix || !includesMapped(address, prefix);
};

const network = refine(
  text,
  isNetwork,
  'expected the address or the network of a proxy, such as 10.0.0.5 or 10.0.0.0/8',
);

const networks = refine(list(network), ({ length }) => length > 0, 'is empty; write false to trust no proxy');

const hops = wholeNumber(1, maxProxies);

const name = `false, true, a number of proxies from 1 to ${maxProxies}, or a list of their networks such as 10.0.0.0/8`;

/** Decodes `server.trustProxy`; true becomes 1. */
export const trustProxy: Codec<TrustProxy, boolean | `${boolean}` | number | `${number}` | readonly string[]> =
  new t.Type<TrustProxy, unknown, unknown>(
    name,
    (value): value is TrustProxy => value === false || hops.is(value) || networks.is(value),
    (value, context) => {
      if (Array.isArray(value)) return validate(networks, value, context);
      const switched = flag.decode(value);
      if (switched._tag === 'Right') return t.success(switched.right && 1);
      const counted = hops.decode(value);
      return counted._tag === 'Right' ? counted : t.failure(value, context, `expected ${name}`);
    },
    t.identity,
  );
