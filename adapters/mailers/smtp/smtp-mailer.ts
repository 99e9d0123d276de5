import { createTransport } from 'nodemailer';
import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { reasonOf } from './errors.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** Whether TLS starts with the connection; otherwise STARTTLS is used where the server offers it. */
  readonly secure: boolean;
  /** Whether nothing is sent over a connection that is not encrypted, to a server with a certificate that is accepted. */
  readonly requireTls: boolean;
  /** Certificates in PEM form that are trusted instead of the system's; null for those. */
  readonly authorities: string | null;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  readonly fromAddress: string;
}

/** How long the steps may take at most, in milliseconds. */
const longest = { connection: 5000, greeting: 5000, silence: 10_000, check: 2000 };
// Servers wait for minutes; an idle connection is given up long before one of them, or a firewall, drops it.
const idleTimeout = 20_000;

const serverOf = ({ host, port, secure, requireTls, authorities, credentials }: SmtpOptions) => ({
  host,
  port,
  secure,
  requireTLS: requireTls && !secure,
  tls: {
    // Where no encryption would do, one without an accepted certificate is no worse (RFC 7435).
    rejectUnauthorized: secure || requireTls,
    ...(authorities === null ? {} : { ca: authorities }),
  },
  ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
  disableFileAccess: true,
  disableUrlAccess: true,
});

const pooled = (options: SmtpOptions, patience: number) =>
  createTransport({
    ...serverOf(options),
    pool: true,
    idleTimeout,
    // A mail whose connection ended under it may have been taken: it is not sent again.
    maxRequeues: 0,
    connectionTimeout: Math.min(longest.connection, patience),
    greetingTimeout: Math.min(longest.greeting, patience),
    socketTimeout: Math.min(longest.silence, patience),
  });

/** Its patience is shorter than that of the health check, so that the line says what is wrong. */
const forChecks = (options: SmtpOptions, patience: number) => {
  const shortest = Math.min(longest.check, patience);
  const timeouts = { connectionTimeout: shortest, greetingTimeout: shortest, socketTimeout: shortest };
  return createTransport({ ...serverOf(options), ...timeouts });
};

/** Sends mails through a mail server, over connections that are kept for the next mail. */
export class SmtpMailer extends Mailer {
  private readonly transport: ReturnType<typeof pooled>;
  private readonly checks: ReturnType<typeof forChecks>;
  private readonly patience: number;

  /** `operationTimeout` in milliseconds: a mail is given up before it. */
  constructor(
    private readonly options: SmtpOptions,
    operationTimeout: number,
  ) {
    super();
    this.patience = Math.max(1, Math.floor(operationTimeout * 0.8));
    this.transport = pooled(options, this.patience);
    this.checks = forChecks(options, this.patience);
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    const { fromAddress: from } = this.options;
    const signal = AbortSignal.timeout(this.patience);
    try {
      await this.transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, signal });
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** Connects, encrypts and authenticates as a mail would, and leaves. */
  async check(): Promise<string> {
    try {
      await this.checks.verify();
    } catch (error) {
      throw this.failed(error);
    }
    return `mails go out through the mail server ${this.place()}`;
  }

  async close(): Promise<void> {
    this.transport.close();
    this.checks.close();
  }

  private place(): string {
    const { host, port } = this.options;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  private failed(cause: unknown): Fault {
    return new Fault('mail_failed', `mail server ${this.place()}: ${reasonOf(cause)}`, { cause });
  }
}
