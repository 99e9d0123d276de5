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

/** Why a mail or a check failed, for operators. Contains no text of the server or of the mail. */
export const reasonOf = (error: unknown): string => {
  const details = {
    code: textProperty(error, 'code'),
    originalCode: textProperty(error, 'originalCode'),
    replyCode: textProperty(error, 'responseCode'),
    command: textProperty(error, 'command'),
  };
  return reasons[details.code]?.(details) ?? `failed (${details.code || details.replyCode || 'an unknown error'})`;
};
