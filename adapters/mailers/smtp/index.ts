import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { isLoopback, senderAddress } from '../../kit/address-codecs.ts';
import { defineAdapter, mailTimeoutMs } from '../../kit/definition.ts';
import { block, optional, required, type Values, withDefault } from '../../kit/option-block.ts';
import { certificateFile, flag, text, wholeNumber } from '../../kit/option-codecs.ts';
import { inlineAttachments, mailedAddress, mimeMessageOf } from '../mime-message.ts';
import { refusalOf, smtpErrorReason } from './errors.ts';
import { checkTransport, pooledTransport, type SmtpOptions } from './transports.ts';

const options = {
  host: required(text, 'The name or address of the mail server.'),
  port: withDefault(wholeNumber(1, 65_535), 587, 'The port of the mail server.'),
  secure: withDefault(flag, false, 'Whether the connection starts with TLS, as on port 465; otherwise STARTTLS.'),
  requireTls: optional(
    flag,
    'Whether mails are sent only over TLS to a server with a trusted certificate; true by default, except for a server on this machine. Without it, others on the way can read passwords and links.',
  ),
  caFile: optional(certificateFile, 'The trusted certificates; by default those of Node.js.'),
  user: optional(text, 'The user at the mail server; no authentication without it.'),
  password: optional(text, 'The password of the user.'),
  fromAddress: required(senderAddress, 'The sender.'),
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

/** The Message-ID of a mail, under the domain of the sender (RFC 5322, section 3.6.4). */
const messageIdOf = (id: string, fromAddress: string): string => {
  const address = addressparser(fromAddress, { flatten: true })[0]?.address ?? fromAddress;
  return `<${id}@${domainToASCII(address.slice(address.lastIndexOf('@') + 1))}>`;
};

/** Sends mails through a mail server, over a pool of connections. */
class SmtpMailer extends Mailer {
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
    return new Fault('mail_failed', `mail server ${this.authority()}: ${smtpErrorReason(cause)}`, {
      cause,
      refusal: refusalOf(cause, wasNamed),
    });
  }
}
