import { createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { isRight, tryCatch } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { block, required, type Values } from '../../adapters/kit/option-block.ts';
import { refine } from '../../adapters/kit/option-codecs.ts';
import { textFile } from './files.ts';

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
