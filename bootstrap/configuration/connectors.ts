import * as t from 'io-ts';
import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, choice, text } from '../../adapters/kit/option-codecs.ts';
import { member } from './document.ts';
import { port } from './port.ts';
import { below, problemAt } from './validation.ts';

/** A connector as Dropwizard writes it: one `{type: http, port, bindHost}`. */
export const connectorBlock = block({
  type: withDefault(choice(['http']), 'http', 'The protocol; TLS ends in front of the service.'),
  port: optional(port, 'The port to listen on.'),
  bindHost: optional(text, 'The address to listen on.'),
});

export type Connector = Values<typeof connectorBlock.options>;

const withTls = ['https', 'h2'];
const noKeyStore =
  'TLS with a key store is not supported; end TLS in front of the service and write type: http, or give server.tls: {certFile, keyFile}, which is server.adminTls for the admin port';

/** A list that holds one connector. */
export const connectors: Codec<Connector> = new t.Type<Connector, unknown, unknown>(
  'a list of one connector: {type: http, port, bindHost}',
  connectorBlock.is,
  (value, context) => {
    if (!Array.isArray(value) || value.length !== 1)
      return t.failure(value, context, 'expected a list of one connector: {type: http, port, bindHost}');
    const at = below(context, '0');
    const type = member(value[0], 'type');
    // The keys of the key store would be unknown ones; the type says it all.
    if (withTls.some((word) => word === type)) return t.failures([problemAt(below(at, 'type'), noKeyStore)]);
    return connectorBlock.validate(value[0], at);
  },
  t.identity,
);
