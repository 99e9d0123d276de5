import { BlockList, isIP } from 'node:net';
import * as t from 'io-ts';
import type { ProxyTrust } from '../../adapters/http/server/trusted-proxies.ts';
import { type Codec, flag, list, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';

/** The proxies whose X-Forwarded headers are believed; false believes nobody's. */
export type TrustProxy = false | ProxyTrust;

const mostProxies = 16;

/** IPv4 addresses as addresses of IPv6 (RFC 4291, section 2.5.5.2). */
const mappedPrefix = 96;
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', mappedPrefix, 'ipv6');

/** The shortest prefix of a network of proxies: the largest private networks are 10.0.0.0/8 and fc00::/7. */
const shortestPrefix = (address: string): number => {
  if (isIP(address) === 4) return 8;
  return mapped.check(address, 'ipv6') ? mappedPrefix + 8 : 7;
};

const holdsMapped = (address: string, prefix: number): boolean => {
  const network = new BlockList();
  network.addSubnet(address, prefix, 'ipv6');
  return network.check('::ffff:0.0.0.0', 'ipv6');
};

// A network as large as a part of the Internet would hold clients. One of IPv6 must not hold all of IPv4 by the way.
const isNetwork = (value: string): boolean => {
  const [, address = '', digits] = /^([\da-f:.]+)(?:\/([1-9]\d{0,2}))?$/i.exec(value) ?? [];
  const version = isIP(address);
  if (version === 0 || digits === undefined) return version !== 0;
  const prefix = Number(digits);
  if (prefix > (version === 4 ? 32 : 128) || prefix < shortestPrefix(address)) return false;
  return version === 4 || prefix >= mappedPrefix || !holdsMapped(address, prefix);
};

const network: Codec<string> = refine(
  text,
  isNetwork,
  'is no address or network of a proxy; write one such as 10.0.0.5 or 10.0.0.0/8',
);

const networks = refine(list(network), ({ length }) => length > 0, 'is empty; write false to trust no proxy');

const hops = wholeNumber(1, mostProxies);

const name = `false, true, a number of proxies from 1 to ${mostProxies}, or a list of their networks such as 10.0.0.0/8`;

/** Decodes `server.trustProxy`: true is one proxy. */
export const trustProxy: Codec<TrustProxy> = new t.Type<TrustProxy, unknown, unknown>(
  name,
  (value): value is TrustProxy => value === false || hops.is(value) || networks.is(value),
  (value, context) => {
    if (Array.isArray(value)) return networks.validate(value, context);
    const switched = flag.decode(value);
    if (switched._tag === 'Right') return t.success(switched.right && 1);
    const counted = hops.decode(value);
    return counted._tag === 'Right' ? counted : t.failure(value, context, `expected ${name}`);
  },
  t.identity,
);
