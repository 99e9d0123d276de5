import { html as escaped } from '@remix-run/html-template';
import type { EmailAddress } from '../../domain/email-address.ts';
import type { Mail } from '../ports/mailer.ts';

/** The template of a verification mail. The link replaces every `placeholder` in both bodies. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly placeholder: string;
}

/** Writes verification mails. */
export class VerificationMail {
  constructor(private readonly template: MailTemplate) {}

  /** The mail for an address. Its link opens `baseUrl`/verify as HTML, for a person. */
  to(address: EmailAddress, token: string, baseUrl: string): Mail {
    const link = `${baseUrl}/verify?email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}&response_type=html`;
    const { subject, text, html, placeholder } = this.template;
    return {
      to: address,
      subject,
      // Split and join, because `replace` interprets `$&` and the like in the replacement.
      text: text.split(placeholder).join(link),
      html: html.split(placeholder).join(escaped`${link}`.toString()),
    };
  }
}
