import { createSecureContext } from 'node:tls';
import { isRight, map, tryCatch } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Certificate } from '../../adapters/http/server/listener.ts';
import { webAddress } from '../../adapters/kit/addresses.ts';
import { block, optional, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, list, refine, text, wholeNumber } from '../../adapters/kit/option-codecs.ts';
import { connectors } from './connectors.ts';
import { member } from './document.ts';
import { textFile } from './files.ts';
import { port } from './port.ts';
import { type TrustProxy, trustProxy } from './trust-proxy.ts';
import { alsoFailing, below, problemAt } from './validation.ts';

/** The block `server`: where the service listens. */
export interface Server {
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** The names in the Host headers that the admin port accepts, besides `localhost` and IP addresses. */
  readonly adminHosts: readonly string[];
  /** The certificate with which the admin port speaks TLS; null speaks plain HTTP. */
  readonly adminTls: Certificate | null;
  /** Where clients reach the service, without a slash at the end; null when the request has to tell. */
  readonly publicUrl: string | null;
  readonly workers: number;
  /** The proxies whose X-Forwarded headers are believed; false where there are none. */
  readonly trustProxy: TrustProxy;
  /** The certificate with which the service speaks TLS; null speaks plain HTTP. */
  readonly tls: Certificate | null;
  /** The origins whose pages may call the service. */
  readonly origins: readonly string[];
}

/** The blocks `server.tls` and `server.adminTls`. */
export const tlsBlock = block({
  certFile: required(textFile, 'The path of the certificate chain in PEM form.'),
  keyFile: required(textFile, 'The path of the private key in PEM form, which has no passphrase.'),
});

const fit = ({ certFile, keyFile }: Values<typeof tlsBlock.options>): boolean =>
  isRight(tryCatch(() => createSecureContext({ cert: certFile, key: keyFile }), t.identity));

/** `server.tls` or `server.adminTls`, with a key that is that of the certificate. */
const tls = refine(tlsBlock, fit, 'the certificate or the key is not in PEM form, or they do not belong together');

/** The name of a host as a Host header has it, without a port. */
const hostName: Codec<string> = refine(
  text,
  (name) => /^[\w-]+(?:\.[\w-]+)*$/.test(name),
  'is no name of a host; write one such as latchkey.example.com, without a scheme and a port',
);

/** An origin as browsers send it (RFC 6454, section 6.1), or every one. */
const origin: Codec<string> = refine(
  text,
  (value) => value === '*' || (!value.includes('*') && URL.canParse(value) && new URL(value).origin === value),
  'is no origin; write one such as https://app.example.com, or "*" for every one',
);

/** The block `server.cors`. */
export const corsBlock = block({
  origins: required(list(origin), 'The origins from which pages in browsers may call the service.'),
});

/** The block `server`, in both of its spellings. */
export const serverBlock = block({
  host: withDefault(text, '0.0.0.0', 'The address on which the service listens.'),
  port: withDefault(port, 8080, 'The port of the service; 0 takes one that is free.'),
  adminHost: withDefault(text, '127.0.0.1', 'The address on which the admin port listens.'),
  adminPort: withDefault(port, 8081, 'The port of health, readiness and metrics; 0 takes one that is free.'),
  adminHosts: withDefault(
    list(hostName),
    [],
    'The host names under which the admin port is called; it refuses any other, except localhost and IP addresses.',
  ),
  publicUrl: optional(
    webAddress,
    'Where people reach the service from outside; the link in a verification mail starts with it.',
  ),
  workers: withDefault(
    wholeNumber(1, 1024),
    1,
    'How many processes answer requests: as many as there are cores use all of the machine.',
  ),
  trustProxy: withDefault(
    trustProxy,
    false,
    'The proxies whose X-Forwarded headers are believed: how many there are, one behind the other, or their networks. true is one.',
  ),
  tls: optional(tls, 'The certificate with which the service itself speaks TLS.'),
  adminTls: optional(tls, 'The certificate with which the admin port speaks TLS; without it the port speaks HTTP.'),
  cors: optional(corsBlock, 'Which pages in browsers may call the service (CORS); without it none of another origin.'),
  applicationConnectors: optional(connectors, 'The Dropwizard spelling of host and port.'),
  adminConnectors: optional(connectors, 'The Dropwizard spelling of adminHost and adminPort.'),
});

const twoSpellings = [
  ['applicationConnectors', 'host'],
  ['applicationConnectors', 'port'],
  ['adminConnectors', 'adminHost'],
  ['adminConnectors', 'adminPort'],
] as const;

const spelledTwice = (given: unknown, context: t.Context): t.Errors =>
  twoSpellings
    .filter(([connector, key]) => member(given, connector) !== undefined && member(given, key) !== undefined)
    .map(([connector, key]) => problemAt(below(context, key), `is given by ${connector} too; keep one of them`));

const everyAddress = ['0.0.0.0', '::'];

/** Whether both ports can't be listened on at once. */
const collide = ({ host, port: main, adminHost, adminPort }: Server): boolean =>
  main !== 0 && main === adminPort && (host === adminHost || [host, adminHost].some((at) => everyAddress.includes(at)));

const assembled = (values: Values<typeof serverBlock.options>): Server => ({
  host: values.applicationConnectors?.bindHost ?? values.host,
  port: values.applicationConnectors?.port ?? values.port,
  adminHost: values.adminConnectors?.bindHost ?? values.adminHost,
  adminPort: values.adminConnectors?.port ?? values.adminPort,
  adminHosts: values.adminHosts,
  adminTls: values.adminTls && { cert: values.adminTls.certFile, key: values.adminTls.keyFile },
  publicUrl: values.publicUrl,
  workers: values.workers,
  trustProxy: values.trustProxy,
  tls: values.tls && { cert: values.tls.certFile, key: values.tls.keyFile },
  origins: values.cors?.origins ?? [],
});

/** Decodes the block, in its own spelling or in that of Dropwizard. */
export const decodeServer = (given: unknown, context: t.Context): t.Validation<Server> => {
  const server = map(assembled)(serverBlock.validate(given ?? {}, context));
  const twice = spelledTwice(given, context);
  const collision =
    server._tag === 'Right' && collide(server.right)
      ? [problemAt(below(context, 'adminPort'), 'is the port of the service too; write another one')]
      : [];
  return alsoFailing(server, [...twice, ...collision]);
};
