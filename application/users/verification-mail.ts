import { html as escaped } from '@remix-run/html-template';
import type { EmailAddress } from '../../domain/email-address.ts';
import type { Mail } from '../ports/mailer.ts';

/** What the verification mail is made of; `placeholder` is replaced with the link everywhere in both bodies. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly placeholder: string;
}

/** Writes the mail that carries the verification link. */
export class VerificationMail {
  constructor(private readonly template: MailTemplate) {}

  /** The mail for an address; the link opens `baseUrl`/verify as a person who follows it would want it. */
  to(address: EmailAddress, token: string, baseUrl: string): Mail {
    const link = `${baseUrl}/verify?email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}&response_type=html`;
    const { subject, text, html, placeholder } = this.template;
    return {
      to: address,
      subject,
      // Split and join, because `replace` reads `$&` and the like in what it puts in.
      text: text.split(placeholder).join(link),
      html: html.split(placeholder).join(escaped`${link}`.toString()),
    };
  }
}
