/** An error of the mail library. Its texts repeat what the server wrote, which may name people, and stay out. */
interface Details {
  readonly code: string;
  /** What the system or TLS said before the library put a code of its own over it. */
  readonly origin: string;
  /** The status with which the server replied (RFC 5321, section 4.2); empty when it did not. */
  readonly reply: string;
  readonly command: string;
}

const member = (error: unknown, name: string): string => {
  const found = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
};

const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;
const otherProtocol = /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)$/;

const refused: Readonly<Record<string, string>> = {
  'MAIL FROM': 'the server does not accept the sender',
  'RCPT TO': 'the server does not accept the recipient',
};

const authentication = ({ reply }: Details): string =>
  reply === ''
    ? 'authentication failed: the server offers no way that user and password can take'
    : `authentication was refused: user or password is wrong (${reply})`;

const socket = ({ origin }: Details): string => {
  if (certificate.test(origin)) return `the certificate of the server is not accepted (${origin})`;
  if (otherProtocol.test(origin)) return 'the port does not speak TLS from the start; write secure: false';
  return `unreachable (${origin || 'the connection was closed'})`;
};

const byCode: Readonly<Record<string, (details: Details) => string>> = {
  EAUTH: authentication,
  ENOAUTH: authentication,
  EDNS: () => 'unreachable (the host is not known)',
  ETIMEDOUT: () => 'no answer in time',
  EABORT: () => 'no answer in time',
  ESOCKET: socket,
  ETLS: (details) =>
    certificate.test(details.origin) ? socket(details) : 'the server does not encrypt the connection (STARTTLS)',
  ECONNECTION: ({ reply }) => (reply === '' ? 'the server closed the connection' : `the server refuses us (${reply})`),
  EENVELOPE: ({ command, reply }) =>
    `${refused[command] ?? 'the server does not accept the mail'} (${reply || command})`,
  EMESSAGE: ({ reply }) => `the server does not accept the mail (${reply})`,
};

/** Why a mail, or a check, failed: a line for operators, without a word of the server's or of the mail. */
export const reasonOf = (error: unknown): string => {
  const details = {
    code: member(error, 'code'),
    origin: member(error, 'originalCode'),
    reply: member(error, 'responseCode'),
    command: member(error, 'command'),
  };
  return byCode[details.code]?.(details) ?? `failed (${details.code || details.reply || 'an unknown error'})`;
};
