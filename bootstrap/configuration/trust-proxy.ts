import { isIP } from 'node:net';
import * as t from 'io-ts';
import type { ProxyTrust } from '../../adapters/http/trusted-proxies.ts';
import { type Codec, flag, list, such, text, wholeNumber } from '../../application/options.ts';

/** The proxies whose X-Forwarded headers are believed; false believes nobody's. */
export type TrustProxy = false | ProxyTrust;

const mostProxies = 16;

// An address, and the length of a prefix. One of 0 would be everybody, clients included.
const isNetwork = (value: string): boolean => {
  const [, address = '', prefix] = /^([\da-f:.]+)(?:\/([1-9]\d{0,2}))?$/i.exec(value) ?? [];
  const version = isIP(address);
  return version !== 0 && (prefix === undefined || Number(prefix) <= (version === 4 ? 32 : 128));
};

const network: Codec<string> = such(
  text,
  isNetwork,
  'is no address or network of a proxy; write one such as 10.0.0.5 or 10.0.0.0/8',
);

const networks = such(list(network), ({ length }) => length > 0, 'is empty; write false to trust no proxy');

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
