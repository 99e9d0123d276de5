import { block, defineModule, Fault, Mailer, required, senderAddress, text, webAddress } from 'latchkey/ports';

class HttpMailer extends Mailer {
  constructor(options, timeoutMs) {
    super();
    this.options = options;
    this.timeoutMs = timeoutMs;
  }

  async send({ to, subject, text, html }) {
    const { fromAddress: from } = this.options;
    // A line break in a subject could add a header to the mail.
    const mail = { from, to, subject: subject.replaceAll(/[\r\n]+/g, ' '), text, html };
    const { status } = await this.call('POST', JSON.stringify(mail));
    if (status === 422) throw new Fault('mail_failed', 'the mail API refuses the mail', { refusal: 'permanent' });
    if (status !== 202) throw new Fault('mail_failed', `the mail API answered ${status}`);
  }

  async check() {
    const { status } = await this.call('GET');
    if (status !== 200) throw new Fault('mail_failed', `the mail API answered ${status}`);
    return `mails are sent through ${this.options.url}`;
  }

  async close() {}

  async call(method, body) {
    const headers = { Authorization: `Bearer ${this.options.apiKey}`, 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      return await fetch(this.options.url, { method, headers, body, signal });
    } catch {
      throw new Fault('mail_failed', 'the mail API cannot be reached, or is too slow');
    }
  }
}

export default defineModule({
  port: 'Mailer',
  portVersion: 2,
  type: 'http',
  configuration: block({
    url: required(webAddress, 'The address of the mail API.'),
    apiKey: required(text, 'The key of the mail API.'),
    fromAddress: required(senderAddress, 'Sender address of the emails.'),
  }),
  open: async (options, { operationTimeoutMs }) => new HttpMailer(options, operationTimeoutMs * 0.8),
});
