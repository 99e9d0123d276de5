import { createTransport } from 'nodemailer';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** Whether the connection starts with TLS; otherwise STARTTLS is used if the server offers it. */
  readonly secure: boolean;
  /** Whether mails are sent only over an encrypted connection to a server with a trusted certificate. */
  readonly requireTls: boolean;
  /** Trusted certificates in PEM format; null for those of Node.js. */
  readonly certificates: string | null;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  readonly fromAddress: string;
}

const maxTimeoutsMs = { connection: 5000, greeting: 5000, socket: 10_000, check: 2000 };
// Shorter than the idle timeouts of servers and firewalls, which drop connections without notice.
const idleTimeoutMs = 20_000;

/** As many mails as the queue sends at once, so that a mail never waits until the connections of slow ones are free. */
const maxConnections = 32;

/** A line of the log of nodemailer: `send` when a connection is open and authenticated, and the mail is sent over it. */
interface LogLine {
  readonly tnx?: string | undefined;
  readonly messageId?: unknown;
}

const serverOptions = ({ host, port, secure, requireTls, certificates, credentials }: SmtpOptions) => ({
  host,
  port,
  secure,
  requireTLS: requireTls && !secure,
  tls: {
    // Where plain text is allowed, encryption without a trusted certificate is no worse (RFC 7435).
    rejectUnauthorized: secure || requireTls,
    ...(certificates === null ? {} : { ca: certificates }),
  },
  ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** `named` is called with the Message-ID of a mail before the server is told its recipient. */
export const pooledTransport = (options: SmtpOptions, timeoutMs: number, named: (messageId: unknown) => void) => {
  const transport = createTransport({
    ...serverOptions(options),
    pool: true,
    maxConnections,
    logger: { info: ({ tnx, messageId }: LogLine) => tnx === 'send' && named(messageId) },
    idleTimeout: idleTimeoutMs,
    // The server may have accepted a mail whose connection broke, so it is not sent again.
    maxRequeues: 0,
    connectionTimeout: Math.min(maxTimeoutsMs.connection, timeoutMs),
    greetingTimeout: Math.min(maxTimeoutsMs.greeting, timeoutMs),
    socketTimeout: Math.min(maxTimeoutsMs.socket, timeoutMs),
  });
  // nodemailer changes the spelling of addresses, so that some mails would reach another mailbox.
  transport.use('stream', ({ data, message }, done) => {
    message.getEnvelope().to = [String(data.envelope?.to)];
    done();
  });
  return transport;
};

/**
 * A transport for checks. Its timeouts are shorter than that of the health check, so that the health check can show the
 * reason.
 */
export const checkTransport = (options: SmtpOptions, timeoutMs: number) => {
  const checkTimeoutMs = Math.min(maxTimeoutsMs.check, timeoutMs);
  const timeouts = {
    connectionTimeout: checkTimeoutMs,
    greetingTimeout: checkTimeoutMs,
    socketTimeout: checkTimeoutMs,
  };
  return createTransport({ ...serverOptions(options), ...timeouts });
};
