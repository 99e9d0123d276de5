import type { Interceptor } from '../../application/interceptor.ts';
import { type Mail, Mailer } from '../../application/ports/mailer.ts';

/** A mailer of which every call is wrapped, under the name of its method: to be measured or traced. */
export class ObservedMailer extends Mailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly around: Interceptor,
  ) {
    super();
  }

  send(mail: Mail): Promise<void> {
    return this.around('send', () => this.mailer.send(mail));
  }

  check(): Promise<string> {
    return this.around('check', () => this.mailer.check());
  }

  close(): Promise<void> {
    return this.mailer.close();
  }
}
