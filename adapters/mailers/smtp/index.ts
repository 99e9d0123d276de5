import type { Mailer } from '../../../application/ports/mailer.ts';
import { isLoopback, senderAddress } from '../../kit/addresses.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block, optional, required, type Values, withDefault } from '../../kit/option-block.ts';
import { flag, text, wholeNumber } from '../../kit/option-codecs.ts';
import { certificateFile } from './certificates.ts';
import { SmtpMailer, type SmtpOptions } from './smtp-mailer.ts';

const options = {
  host: required(text, 'The name or address of the mail server.'),
  port: withDefault(wholeNumber(1, 65_535), 587, 'The port of the mail server.'),
  secure: withDefault(
    flag,
    false,
    'Whether TLS starts with the connection, as on port 465; otherwise STARTTLS is used where the server offers it.',
  ),
  requireTls: optional(
    flag,
    'Whether nothing is sent unless the connection is encrypted and the certificate of the server is accepted; true by default, except to a server on this computer: somebody in between could otherwise read the password and the links.',
  ),
  caFile: optional(
    certificateFile,
    'The path of a PEM file with the certificates that vouch for the server; those of Node.js without it.',
  ),
  user: optional(text, 'The user that the mail server knows; nobody authenticates without it.'),
  password: optional(text, 'The password of the user.'),
  fromAddress: required(senderAddress, 'Sender address of the emails.'),
};

const assembled = (values: Values<typeof options>): SmtpOptions => {
  const { host, port, secure, requireTls, caFile, user, password, fromAddress } = values;
  return {
    host,
    port,
    secure,
    requireTls: requireTls ?? !isLoopback(host),
    authorities: caFile,
    credentials: user === null || password === null ? null : { user, password },
    fromAddress,
  };
};

/** Mails through a mail server. */
export const smtp = defineAdapter({
  type: 'smtp',
  configuration: block(options, ({ user, password }) => {
    if ((user === null) === (password === null)) return [];
    return user === null
      ? [{ path: 'user', message: 'is required with password; write both or neither' }]
      : [{ path: 'password', message: 'is required with user; write both or neither' }];
  }),
  open: async (values, { operationTimeout }): Promise<Mailer> => new SmtpMailer(assembled(values), operationTimeout),
});
