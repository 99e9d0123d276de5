import { Fault } from '../../application/fault.ts';
import { Mailer } from '../../application/ports/mailer.ts';

/** Stands in where `email.type` is `none`: the routes that would send a mail are not served then. */
export class NoMailer extends Mailer {
  override async send(): Promise<void> {
    throw new Fault('mail_failed', 'email is switched off in the configuration');
  }

  override async check(): Promise<string> {
    return 'switched off';
  }

  override async close(): Promise<void> {}
}
