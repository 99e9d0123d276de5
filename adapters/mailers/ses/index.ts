import { setTimeout as sleep } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import { GetIdentityVerificationAttributesCommand, SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import addressparser from 'nodemailer/lib/addressparser';
import { encodeWord, isPlainText, quoteString } from 'nodemailer/lib/mime-funcs';
import { Fault, type MailRefusal } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { type AwsEndpoint, clientOptions, endpointOptions, withAbortTimeout } from '../../aws/aws-client.ts';
import { reasonOf, unexpectedResponse, wasNotAccepted } from '../../aws/errors.ts';
import { checkTimeoutMs, defineAdapter } from '../../kit/definition.ts';
import { block, required } from '../../kit/option-block.ts';
import { senderAddress } from '../../kit/option-codecs.ts';

interface SesOptions extends AwsEndpoint {
  readonly fromAddress: string;
}

const maxAttempts = 3;
const retryDelayMs = 100;
const sendAction = { service: 'SES', action: 'ses:SendEmail' };
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

/** Sends mails through Amazon SES. */
class SesMailer extends Mailer {
  private readonly client: SESClient;
  private readonly sender: SenderIdentity;
  private readonly description: string;
  private readonly timeoutMs: number;

  /** The timeout of a mail is shorter than the operation timeout, so that the Fault names the reason. */
  constructor(options: SesOptions, operationTimeoutMs: number) {
    super();
    this.timeoutMs = operationTimeoutMs * 0.8;
    this.client = new SESClient(clientOptions(options));
    this.sender = senderIdentityOf(options.fromAddress);
    this.description = `SES at ${options.endpoint} in ${options.region}`;
  }

  async send(mail: Mail): Promise<void> {
    const command = this.commandFor(mail);
    try {
      await withAbortTimeout(this.timeoutMs, (abortSignal) => this.sendWithRetries(command, abortSignal));
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw this.fault(this.rejectionOf(error) ?? reasonOf(error, sendAction), error, this.refusalOf(error));
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
      throw this.fault(reasonOf(error, checkAction), error);
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
  private async sendWithRetries(command: SendEmailCommand, abortSignal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { MessageId } = await this.client.send(command, { abortSignal });
        // The SDK parses the HTML page of a proxy as an empty response.
        if (MessageId === undefined) throw this.fault(unexpectedResponse('SES'));
        return;
      } catch (error) {
        if (attempt === maxAttempts || !wasNotAccepted(error)) throw error;
      }
      await sleep(retryDelayMs * 2 ** attempt * (0.5 + Math.random() / 2), undefined, { signal: abortSignal });
    }
  }

  private commandFor({ to, subject, text, html }: Mail): SendEmailCommand {
    return new SendEmailCommand({
      Source: this.sender.source,
      Destination: { ToAddresses: [asciiDomain(to)] },
      Message: {
        // SES rejects line breaks in a subject.
        Subject: utf8(subject.replaceAll(/[\r\n]+/g, ' ')),
        Body: { Text: utf8(text), Html: utf8(html) },
      },
    });
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
  private refusalOf(error: unknown): MailRefusal | undefined {
    if (!(error instanceof Error) || !refusals.has(error.name)) return undefined;
    return this.sender.identities.some((identity) => error.message.includes(identity)) ? undefined : 'permanent';
  }

  private fault(reason: string, cause?: unknown, refusal?: MailRefusal): Fault {
    return new Fault('mail_failed', `${this.description}: ${reason}`, { cause, refusal });
  }
}

export const ses = defineAdapter({
  type: 'ses',
  configuration: block({
    ...endpointOptions('the mail provider'),
    fromAddress: required(
      senderAddress,
      'Sender address of the emails; the address or its domain must be verified with the provider.',
    ),
  }),
  open: async (options, { operationTimeoutMs }): Promise<Mailer> => new SesMailer(options, operationTimeoutMs),
});

/** A sender in the format of SES. */
export interface SenderIdentity {
  /** The From header in ASCII: the display name is encoded (RFC 2047), the domain is in Punycode. */
  readonly source: string;
  readonly address: string;
  /** Every identity that verifies the sender: the address, its domain, and the parent domains. */
  readonly identities: readonly string[];
}

// An encoded word has at most 75 characters (RFC 2047, section 2), of which this many encode text.
const maxEncodedLength = 52;

/** Converts the domain of an address to ASCII, which SES requires. The local part is unchanged. */
export const asciiDomain = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`;
};

const domainsOf = (address: string): readonly string[] => {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  // Top-level domains such as `com` cannot be verified.
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((domain, index) => index === 0 || domain.includes('.'));
};

const displayName = (name: string): string =>
  isPlainText(name) ? quoteString(name) : encodeWord(name, 'Q', maxEncodedLength);

/** Parses the option `fromAddress`, which its codec has validated. */
export const senderIdentityOf = (fromAddress: string): SenderIdentity => {
  const [mailbox] = addressparser(fromAddress, { flatten: true });
  const address = asciiDomain(mailbox?.address ?? fromAddress);
  const name = mailbox?.name ?? '';
  return {
    source: name === '' ? address : `${displayName(name)} <${address}>`,
    address,
    identities: [address, ...domainsOf(address)],
  };
};
