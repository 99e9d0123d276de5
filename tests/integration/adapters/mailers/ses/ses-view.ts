import { createServer, request } from 'node:http';
import addressparser from 'nodemailer/lib/addressparser';
import type { ReceivedMail } from '../../../../../sdk/contract/received-mail.ts';

/** What stands between a client and SES, and notes the mails that SES took. */
export interface SesView {
  readonly endpoint: string;
  /** The mails that were taken, as they were asked for: the engine keeps the HTML of a mail only. */
  readonly taken: readonly ReceivedMail[];
  close(): Promise<void>;
}

const mailOf = (form: URLSearchParams): ReceivedMail => {
  const field = (name: string): string => form.get(name) ?? '';
  const addresses = (text: string) => addressparser(text, { flatten: true }).map(({ address }) => address);
  const recipients = [...form].filter(([name]) => name.startsWith('Destination.')).map(([, value]) => value);
  return {
    from: addresses(field('Source')).join(', '),
    to: recipients.join(', '),
    subject: field('Message.Subject.Data'),
    text: field('Message.Body.Text.Data'),
    html: field('Message.Body.Html.Data'),
  };
};

/** Passes every request on to `target`, and every answer back. */
export const viewOf = async (target: string): Promise<SesView> => {
  const taken: ReceivedMail[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const { method, headers, url } = incoming;
    request(new URL(url ?? '/', target), { method, headers: { ...headers, host: new URL(target).host } }, (answer) => {
      const form = new URLSearchParams(body.toString());
      if (answer.statusCode === 200 && form.get('Action') === 'SendEmail') taken.push(mailOf(form));
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server on TCP has a port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    taken,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
