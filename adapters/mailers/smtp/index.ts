import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { defineAdapter, mailTimeoutMs } from '../../kit/definition.ts';
import { block, optional, required, type Values, withDefault } from '../../kit/option-block.ts';
import { flag, isLoopback, senderAddress, text, wholeNumber } from '../../kit/option-codecs.ts';
import { inlineAttachments, mailedAddress, mimeMessageOf } from '../mime-message.ts';
import { certificateFile } from './certificate-file.ts';
import { reasonOf, refusalOf } from './errors.ts';

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
const pooledTransport = (options: SmtpOptions, timeoutMs: number, named: (messageId: unknown) => void) => {
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
const checkTransport = (options: SmtpOptions, timeoutMs: number) => {
  const checkTimeoutMs = Math.min(maxTimeoutsMs.check, timeoutMs);
  const timeouts = {
    connectionTimeout: checkTimeoutMs,
    greetingTimeout: checkTimeoutMs,
    socketTimeout: checkTimeoutMs,
  };
  return createTransport({ ...serverOptions(options), ...timeouts });
};

/** The Message-ID of a mail, under the domain of the sender (RFC 5322, section 3.6.4). */
const messageIdOf = (id: string, fromAddress: string): string => {
  const address = addressparser(fromAddress, { flatten: true })[0]?.address ?? fromAddress;
  return `<${id}@${domainToASCII(address.slice(address.lastIndexOf('@') + 1))}>`;
};

/** Sends mails through a mail server, over a pool of connections. */
export class SmtpMailer extends Mailer {
  private readonly transport: ReturnType<typeof pooledTransport>;
  private readonly checks: ReturnType<typeof checkTransport>;
  private readonly timeoutMs: number;
  /** The Message-IDs of mails in progress whose recipient the server was told. */
  private readonly named = new Set<unknown>();

  constructor(
    private readonly options: SmtpOptions,
    operationTimeoutMs: number,
  ) {
    super();
    this.timeoutMs = mailTimeoutMs(operationTimeoutMs);
    this.transport = pooledTransport(options, this.timeoutMs, (messageId) => this.named.add(messageId));
    this.checks = checkTransport(options, this.timeoutMs);
  }

  async send({ id = randomUUID(), to, subject, text, html, images = [] }: Mail): Promise<void> {
    const { fromAddress: from } = this.options;
    const signal = AbortSignal.timeout(this.timeoutMs);
    const messageId = messageIdOf(id, from);
    try {
      const recipient = mailedAddress(to);
      const content = { subject, text, html, attachments: inlineAttachments(images) };
      const raw = await mimeMessageOf(recipient, { messageId, from, ...content });
      // The log of the transport names the mail by this identifier, which the message contains already.
      await this.transport.sendMail({ raw, messageId, envelope: { from, to: recipient }, signal });
    } catch (error) {
      throw this.fault(error, this.named.has(messageId));
    } finally {
      this.named.delete(messageId);
    }
  }

  /** Connects and authenticates as for a mail. */
  async check(): Promise<string> {
    try {
      await this.checks.verify();
    } catch (error) {
      throw this.fault(error, false);
    }
    return `mails are sent through the mail server ${this.authority()}`;
  }

  async close(): Promise<void> {
    this.transport.close();
    this.checks.close();
  }

  private authority(): string {
    const { host, port } = this.options;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  private fault(cause: unknown, wasNamed: boolean): Fault {
    return new Fault('mail_failed', `mail server ${this.authority()}: ${reasonOf(cause)}`, {
      cause,
      refusal: refusalOf(cause, wasNamed),
    });
  }
}
