import type { MailRefusal } from '../../../application/fault.ts';

/** The reported parts of a nodemailer error. Its message repeats replies of the server, which can contain addresses. */
interface ErrorDetails {
  readonly code: string;
  /** The code of the system or of TLS, which nodemailer replaces with its own. */
  readonly originalCode: string;
  /** The status of the reply (RFC 5321, section 4.2); empty without a reply. */
  readonly replyCode: string;
  readonly command: string;
}

const textProperty = (error: unknown, name: string): string => {
  const value = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const certificateError = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;
const protocolError = /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)$/;

const rejectedCommands: Readonly<Record<string, string>> = {
  'MAIL FROM': 'the server does not accept the sender',
  'RCPT TO': 'the server does not accept the recipient',
};

const authenticationReason = ({ replyCode }: ErrorDetails): string =>
  replyCode === ''
    ? 'authentication failed: the server offers no method for user and password'
    : `authentication was refused: user or password is wrong (${replyCode})`;

const socketReason = ({ originalCode }: ErrorDetails): string => {
  if (certificateError.test(originalCode)) return `the certificate of the server is not accepted (${originalCode})`;
  if (protocolError.test(originalCode)) return 'the port does not start with TLS; write secure: false';
  return `unreachable (${originalCode || 'the connection was closed'})`;
};

const tlsReason = (details: ErrorDetails): string =>
  certificateError.test(details.originalCode)
    ? socketReason(details)
    : 'the server does not encrypt the connection (STARTTLS)';

const reasons: Readonly<Record<string, (details: ErrorDetails) => string>> = {
  EAUTH: authenticationReason,
  ENOAUTH: authenticationReason,
  EDNS: () => 'unreachable (the host name cannot be resolved)',
  ETIMEDOUT: () => 'no response in time',
  EABORT: () => 'no response in time',
  ESOCKET: socketReason,
  ETLS: tlsReason,
  ECONNECTION: ({ replyCode }) =>
    replyCode === '' ? 'the server closed the connection' : `the server refused the connection (${replyCode})`,
  EENVELOPE: ({ command, replyCode }) =>
    `${rejectedCommands[command] ?? 'the server does not accept the mail'} (${replyCode || command})`,
  EMESSAGE: ({ replyCode }) => `the server does not accept the mail (${replyCode})`,
};

const detailsOf = (error: unknown): ErrorDetails => ({
  code: textProperty(error, 'code'),
  originalCode: textProperty(error, 'originalCode'),
  replyCode: textProperty(error, 'responseCode'),
  command: textProperty(error, 'command'),
});

/** The mail is too large, also as the reply to MAIL (RFC 1870, section 6). */
const tooLargeReply = '552';

/**
 * How the server refused this one mail, by its reply (RFC 5321, section 4.2.1); undefined if it refuses every mail. A
 * server that was told the recipient and did not reply, or closed the connection, failed at this mail.
 */
export const refusalOf = (error: unknown, wasNamed: boolean): MailRefusal | undefined => {
  const { code, command, replyCode } = detailsOf(error);
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return wasNamed ? 'temporary' : undefined;
  // The sender is the same in every mail: an operator can change it, or the server, before the mail expires.
  if (command === 'MAIL FROM' && replyCode !== '' && replyCode !== tooLargeReply) return undefined;
  // Without a reply nodemailer itself refused the mail, such as one that is larger than the server accepts.
  return replyCode.startsWith('4') ? 'temporary' : 'permanent';
};

/** Why a mail or a check failed, for operators. Contains no text of the server or of the mail. */
export const smtpErrorReason = (error: unknown): string => {
  const details = detailsOf(error);
  return reasons[details.code]?.(details) ?? `failed (${details.code || details.replyCode || 'an unknown error'})`;
};
