import { createPrivateKey } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { isRight, tryCatch } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { block, required, type Values } from '../../adapters/kit/option-block.ts';
import { flag, list, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { textFile } from './files.ts';
import { optionCodec, validate } from './option-errors.ts';

/** The blocks `server.tls` and `server.adminTls`. */
export const tlsBlock = block({
  certFile: required(textFile, 'The certificate chain in PEM form.'),
  keyFile: required(textFile, 'The private key in PEM form, without a passphrase.'),
});

export type TlsFiles = Values<typeof tlsBlock.options>;

const belongTogether = ({ certFile, keyFile }: TlsFiles): boolean =>
  isRight(tryCatch(() => createSecureContext({ cert: certFile, key: keyFile }), t.identity));

/** The curves with which TLS 1.3 signs (RFC 8446, section 4.2.3, and RFC 8734), as OpenSSL calls them. */
const curves = /^(?:prime256v1|secp384r1|secp521r1|brainpoolP(?:256|384|512)r1)$/;

/** Whether clients can agree on a signature with the key. OpenSSL accepts any other one, too, and fails every handshake. */
const isNegotiable = ({ keyFile }: TlsFiles): boolean => {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(keyFile);
  if (asymmetricKeyType === 'ec') return curves.test(asymmetricKeyDetails?.namedCurve ?? '');
  return asymmetricKeyType !== 'dsa';
};

/** A certificate and a key with which a server can answer. */
export const tls = refine(
  refine(
    tlsBlock,
    belongTogether,
    'the certificate or the key is not in PEM form, or the key does not belong to the certificate',
  ),
  isNegotiable,
  'no client can use this kind of key; expected RSA, Ed25519, or the curve P-256, P-384 or P-521',
);

/** The proxies whose X-Forwarded headers are trusted: none, so many in a row, or those in these networks. */
type TrustProxy = false | number | readonly string[];

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
export const trustProxy = optionCodec<TrustProxy, boolean | `${boolean}` | number | `${number}` | readonly string[]>(
  name,
  (value): value is TrustProxy => value === false || hops.is(value) || networks.is(value),
  (value, context) => {
    if (Array.isArray(value)) return validate(networks, value, context);
    const switched = flag.decode(value);
    if (switched._tag === 'Right') return t.success(switched.right && 1);
    const counted = hops.decode(value);
    return counted._tag === 'Right' ? counted : t.failure(value, context, `expected ${name}`);
  },
);
