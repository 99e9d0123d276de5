import { EventEmitter, once } from 'node:events';
import { type Mail, Mailer } from '../../application/ports/mailer.ts';

/** A mail that was recorded instead of sent. */
export interface RecordedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link that the recipient is asked to open; undefined for a mail with a code. */
  readonly link: string | undefined;
}

/** A mailer that records mails, oldest first. */
export class MailRecorder extends Mailer {
  readonly mails: RecordedMail[] = [];
  private readonly returned = new Set<RecordedMail>();
  private readonly arrivals = new EventEmitter().setMaxListeners(0);
  private readonly closing = new AbortController();

  async send({ to, subject, text, html, link }: Mail): Promise<void> {
    this.mails.push({ to, subject, text, html, link });
    this.arrivals.emit('mail');
  }

  /**
   * The oldest mail to an address that no earlier call returned. Rejects if none arrives within `timeoutMs`, and at once if
   * none can arrive any more: without the service nothing keeps a script alive, which would end in its `await`.
   */
  async next(to: string, timeoutMs: number): Promise<RecordedMail> {
    const { signal: closed } = this.closing;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), closed]);
    for (;;) {
      const mail = this.mails.find((recorded) => recorded.to === to && !this.returned.has(recorded));
      if (mail !== undefined) {
        this.returned.add(mail);
        return mail;
      }
      await once(this.arrivals, 'mail', { signal }).catch(() => {
        const when = closed.aborted ? 'before the service was stopped' : `within ${timeoutMs} ms`;
        throw new Error(`no mail to ${to} ${when}; recorded so far: ${this.mails.length}`);
      });
    }
  }

  async check(): Promise<string> {
    return 'mails are kept in memory';
  }

  async close(): Promise<void> {
    this.closing.abort();
  }
}
