import { setTimeout as sleep } from 'node:timers/promises';
import {
  GetIdentityVerificationAttributesCommand,
  SESClient,
  SendEmailCommand,
  SendRawEmailCommand,
} from '@aws-sdk/client-ses';
import { Fault, type MailRefusal } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { type AwsEndpoint, clientOptions, endpointOptions, withAbortTimeout } from '../../aws/aws-client.ts';
import { awsErrorReason, unexpectedResponse, wasNotAccepted } from '../../aws/errors.ts';
import { senderAddress } from '../../kit/address-codecs.ts';
import { checkTimeoutMs, defineAdapter, mailTimeoutMs } from '../../kit/definition.ts';
import { block, required } from '../../kit/option-block.ts';
import { inlineAttachments, mailedAddress, mimeMessageOf } from '../mime-message.ts';
import { namesSender, type SenderIdentity, senderIdentityOf } from './sender-identity.ts';

interface SesOptions extends AwsEndpoint {
  readonly fromAddress: string;
}

const maxAttempts = 3;
const retryDelayMs = 100;
const sendAction = { service: 'SES', action: 'ses:SendEmail' };
const sendRawAction = { service: 'SES', action: 'ses:SendRawEmail' };
const checkAction = { service: 'SES', action: 'ses:GetIdentityVerificationAttributes' };

const utf8 = (text: string) => ({ Data: text, Charset: 'UTF-8' });

/** Descriptions of the errors with which SES rejects a mail. */
const rejections: Readonly<Record<string, string>> = {
  MailFromDomainNotVerifiedException: 'the MAIL FROM domain of the sender is not verified',
  AccountSendingPausedException: 'sending is paused for the account',
  InvalidParameterValue: 'the address of the sender or of the recipient is not accepted',
};

/** Errors about one mail. Their text names the sender if it is the one that is not accepted. */
const refusals: ReadonlySet<string> = new Set(['MessageRejected', 'InvalidParameterValue']);

/** Sends one mail. Without a MessageId in the response it was not SES that answered. */
type SendRequest = (options: {
  readonly abortSignal: AbortSignal;
}) => Promise<{ readonly MessageId?: string | undefined }>;

/** Sends mails through Amazon SES. */
class SesMailer extends Mailer {
  private readonly client: SESClient;
  private readonly sender: SenderIdentity;
  private readonly description: string;
  private readonly timeoutMs: number;

  constructor(options: SesOptions, operationTimeoutMs: number) {
    super();
    this.timeoutMs = mailTimeoutMs(operationTimeoutMs);
    this.client = new SESClient(clientOptions(options));
    this.sender = senderIdentityOf(options.fromAddress);
    this.description = `SES at ${options.endpoint} in ${options.region}`;
  }

  async send(mail: Mail): Promise<void> {
    const isRaw = mail.images !== undefined && mail.images.length > 0;
    const send = isRaw ? await this.rawRequest(mail) : this.request(mail);
    try {
      await withAbortTimeout(this.timeoutMs, (abortSignal) => this.sendWithRetries(send, abortSignal));
    } catch (error) {
      if (error instanceof Fault) throw error;
      const reason = this.rejectionOf(error) ?? awsErrorReason(error, isRaw ? sendRawAction : sendAction);
      throw this.fault(reason, error, this.refusalOf(error, mail));
    }
  }

  /** Checks that the sender is verified, because SES rejects all mails of an unverified sender. */
  async check(): Promise<string> {
    const { address, identities } = this.sender;
    try {
      const response = await withAbortTimeout(Math.min(checkTimeoutMs, this.timeoutMs), (abortSignal) =>
        this.client.send(new GetIdentityVerificationAttributesCommand({ Identities: [...identities] }), {
          abortSignal,
        }),
      );
      const states = Object.values(response.VerificationAttributes ?? {});
      if (states.every(({ VerificationStatus }) => VerificationStatus !== 'Success')) {
        throw this.fault(`unverified sender: neither ${address} nor its domain is verified in this region`);
      }
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw this.fault(awsErrorReason(error, checkAction), error);
    }
    return `mails are sent from ${address} through ${this.description}`;
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  /**
   * Retries only requests that SES certainly did not accept: throttled requests and failed connections. After a lost
   * response the mail may have been sent, and a retry could send it twice.
   */
  private async sendWithRetries(send: SendRequest, abortSignal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { MessageId } = await send({ abortSignal });
        // The SDK parses the HTML page of a proxy as an empty response.
        if (MessageId === undefined) throw this.fault(unexpectedResponse('SES'));
        return;
      } catch (error) {
        if (attempt === maxAttempts || !wasNotAccepted(error)) throw error;
      }
      await sleep(retryDelayMs * 2 ** attempt * (0.5 + Math.random() / 2), undefined, { signal: abortSignal });
    }
  }

  private request({ to, subject, text, html }: Mail): SendRequest {
    const command = new SendEmailCommand({
      Source: this.sender.source,
      Destination: { ToAddresses: [mailedAddress(to)] },
      Message: {
        // SES rejects line breaks in a subject.
        Subject: utf8(subject.replaceAll(/[\r\n]+/g, ' ')),
        Body: { Text: utf8(text), Html: utf8(html) },
      },
    });
    return (options) => this.client.send(command, options);
  }

  /** A MIME message, because only that can contain images. */
  private async rawRequest({ to, subject, text, html, images = [] }: Mail): Promise<SendRequest> {
    const recipient = mailedAddress(to);
    const content = { subject, text, html, attachments: inlineAttachments(images) };
    const Data = await mimeMessageOf(recipient, { from: this.sender.source, ...content });
    const command = new SendRawEmailCommand({ Destinations: [recipient], RawMessage: { Data } });
    return (options) => this.client.send(command, options);
  }

  /** Why SES rejected the mail; undefined for any other failure. */
  private rejectionOf(error: unknown): string | undefined {
    if (!(error instanceof Error)) return undefined;
    if (error.name !== 'MessageRejected') return rejections[error.name];
    return /not verified/i.test(error.message)
      ? `unverified sender ${this.sender.address}, or the account may send to verified recipients only`
      : 'the mail was rejected';
  }

  /** Only what SES says of the mail or its recipient; an operator can repair the account and the sender. */
  private refusalOf(error: unknown, { to }: Mail): MailRefusal | undefined {
    if (!(error instanceof Error) || !refusals.has(error.name)) return undefined;
    return namesSender(this.sender, error.message, mailedAddress(to)) ? undefined : 'permanent';
  }

  private fault(reason: string, cause?: unknown, refusal?: MailRefusal): Fault {
    return new Fault('mail_failed', `${this.description}: ${reason}`, { cause, refusal });
  }
}

export const ses = defineAdapter({
  type: 'ses',
  configuration: block({
    ...endpointOptions('the mail provider'),
    fromAddress: required(senderAddress, 'The sender; verify it, or its domain, with the provider.'),
  }),
  open: async (options, { operationTimeoutMs }): Promise<Mailer> => new SesMailer(options, operationTimeoutMs),
});
