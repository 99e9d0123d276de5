import { setTimeout as pause } from 'node:timers/promises';
import { GetIdentityVerificationAttributesCommand, SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { Fault } from '../../../application/fault.ts';
import { type Mail, Mailer } from '../../../application/ports/mailer.ts';
import { clientOptions, type Service, within } from '../../aws/aws-options.ts';
import { reasonOf, strangerTo, wasNotTaken } from '../../aws/errors.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { asciiDomain, type Sender, senderOf } from './sender.ts';

export interface SesOptions extends Service {
  readonly fromAddress: string;
}

const attempts = 3;
const shortestPause = 100;
const sending = { service: 'SES', action: 'ses:SendEmail' };
const checking = { service: 'SES', action: 'ses:GetIdentityVerificationAttributes' };

const utf8 = (text: string) => ({ Data: text, Charset: 'UTF-8' });

/** What SES says of the message itself, by the name of its error. */
const refusals: Readonly<Record<string, string>> = {
  MailFromDomainNotVerifiedException: 'the MAIL FROM domain of the sender is not verified',
  AccountSendingPausedException: 'sending is paused for the account',
  InvalidParameterValue: 'the address of the sender or of the recipient is not accepted',
};

/** Sends mails through Amazon SES. */
export class SesMailer extends Mailer {
  private readonly client: SESClient;
  private readonly sender: Sender;
  private readonly place: string;
  private readonly patience: number;

  /** `operationTimeout` in milliseconds: a mail is given up before it. */
  constructor(options: SesOptions, operationTimeout: number) {
    super();
    this.patience = operationTimeout * 0.8;
    this.client = new SESClient(clientOptions(options));
    this.sender = senderOf(options.fromAddress);
    this.place = `SES at ${options.endpoint} in ${options.region}`;
  }

  async send(mail: Mail): Promise<void> {
    const command = this.commandFor(mail);
    try {
      await within(this.patience, (abortSignal) => this.attempt(command, abortSignal));
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw this.failed(this.refusalOf(error) ?? reasonOf(error, sending), error);
    }
  }

  /** Asks whether the sender is verified, which the credentials have to permit: mails of one that is not go nowhere. */
  async check(): Promise<string> {
    const { address, identities } = this.sender;
    try {
      const answer = await within(Math.min(checkTimeoutMs, this.patience), (abortSignal) =>
        this.client.send(new GetIdentityVerificationAttributesCommand({ Identities: [...identities] }), {
          abortSignal,
        }),
      );
      const states = Object.values(answer.VerificationAttributes ?? {});
      if (states.every(({ VerificationStatus }) => VerificationStatus !== 'Success')) {
        throw this.failed(`unverified sender: neither ${address} nor its domain is verified in this region`);
      }
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw this.failed(reasonOf(error, checking), error);
    }
    return `mails go out from ${address} through ${this.place}`;
  }

  async close(): Promise<void> {
    this.client.destroy();
  }

  /**
   * Repeats only what SES certainly did not take: a throttled request, or one without a connection. After a lost
   * answer the mail may be on its way, and a second one would be the needless copy of the first.
   */
  private async attempt(command: SendEmailCommand, abortSignal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { MessageId } = await this.client.send(command, { abortSignal });
        // Any page that a proxy answers with is read as a reply that says nothing.
        if (MessageId === undefined) throw this.failed(strangerTo('SES'));
        return;
      } catch (error) {
        if (attempt === attempts || !wasNotTaken(error)) throw error;
      }
      await pause(shortestPause * 2 ** attempt * (0.5 + Math.random() / 2), undefined, { signal: abortSignal });
    }
  }

  private commandFor({ to, subject, text, html }: Mail): SendEmailCommand {
    return new SendEmailCommand({
      Source: this.sender.source,
      Destination: { ToAddresses: [asciiDomain(to)] },
      // A header has no line breaks, and the mail would be refused for one.
      Message: {
        Subject: utf8(subject.replaceAll(/[\r\n]+/g, ' ')),
        Body: { Text: utf8(text), Html: utf8(html) },
      },
    });
  }

  /** Why SES refused a mail that it understood; undefined for any other failure. */
  private refusalOf(error: unknown): string | undefined {
    if (!(error instanceof Error)) return undefined;
    if (error.name !== 'MessageRejected') return refusals[error.name];
    return /not verified/i.test(error.message)
      ? `unverified sender ${this.sender.address}, or the account may send to verified recipients only`
      : 'the mail was rejected';
  }

  private failed(reason: string, cause?: unknown): Fault {
    return new Fault('mail_failed', `${this.place}: ${reason}`, { cause });
  }
}
