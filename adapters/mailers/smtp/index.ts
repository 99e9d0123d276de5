import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as t from 'io-ts';
import type { Mailer } from '../../../application/ports/mailer.ts';
import { isLoopback, senderAddress } from '../../kit/addresses.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block, optional, required, type Values, withDefault } from '../../kit/option-block.ts';
import { type Codec, flag, text, wholeNumber } from '../../kit/option-codecs.ts';
import { SmtpMailer, type SmtpOptions } from './smtp-mailer.ts';

/** The content of a file; undefined unless it starts with a valid certificate. Synchronous, because it runs at the start. */
const readCertificates = (path: string): string | undefined => {
  try {
    const content = readFileSync(path, 'utf8');
    new X509Certificate(content);
    return content;
  } catch {
    return undefined;
  }
};

const certificateFileName = 'the path of a file with certificates in PEM format';

/** The path of a file with certificates; decodes to the content of the file. */
const certificateFile: Codec<string> = new t.Type<string, unknown, unknown>(
  certificateFileName,
  t.string.is,
  (value, context) => {
    const content = text.is(value) ? readCertificates(value) : undefined;
    return content === undefined
      ? t.failure(value, context, `expected ${certificateFileName}, and the file cannot be read as such`)
      : t.success(content);
  },
  t.identity,
);

const options = {
  host: required(text, 'The name or address of the mail server.'),
  port: withDefault(wholeNumber(1, 65_535), 587, 'The port of the mail server.'),
  secure: withDefault(
    flag,
    false,
    'Whether the connection starts with TLS, as on port 465; otherwise STARTTLS is used if the server offers it.',
  ),
  requireTls: optional(
    flag,
    'Whether mails are sent only over an encrypted connection to a server with a trusted certificate, so that the password and the links cannot be read on the way; true by default, except for a server on this machine.',
  ),
  caFile: optional(
    certificateFile,
    'The path of a PEM file with the trusted certificates; by default those of Node.js.',
  ),
  user: optional(text, 'The user for authentication at the mail server; without it the service does not authenticate.'),
  password: optional(text, 'The password of the user.'),
  fromAddress: required(senderAddress, 'Sender address of the emails.'),
};

const smtpOptionsOf = (values: Values<typeof options>): SmtpOptions => {
  const { host, port, secure, requireTls, caFile, user, password, fromAddress } = values;
  return {
    host,
    port,
    secure,
    requireTls: requireTls ?? !isLoopback(host),
    certificates: caFile,
    credentials: user === null || password === null ? null : { user, password },
    fromAddress,
  };
};

export const smtp = defineAdapter({
  type: 'smtp',
  configuration: block(options, ({ user, password }) => {
    if ((user === null) === (password === null)) return [];
    return user === null
      ? [{ path: 'user', message: 'is required with password; write both or neither' }]
      : [{ path: 'password', message: 'is required with user; write both or neither' }];
  }),
  open: async (values, { operationTimeoutMs }): Promise<Mailer> =>
    new SmtpMailer(smtpOptionsOf(values), operationTimeoutMs),
});
