import { createServer, request } from 'node:http';
import addressparser from 'nodemailer/lib/addressparser';
import { type ReceivedMail, readMail } from '../../../../sdk/contract/received-mail.ts';

/** A proxy in front of SES that records the mails that SES accepted. */
export interface SesProxy {
  readonly endpoint: string;
  /** Recorded from the requests, because the SES emulator stores only the HTML part of a mail. */
  accepted(): Promise<readonly ReceivedMail[]>;
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

/** Starts a proxy that forwards every request to `target`. */
export const startSesProxy = async (target: string): Promise<SesProxy> => {
  const accepted: ReceivedMail[] = [];
  const reading: Promise<ReceivedMail>[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const { method, headers, url } = incoming;
    request(
      new URL(url ?? '/', target),
      { method, headers: { ...headers, host: new URL(target).host } },
      (response) => {
        const form = new URLSearchParams(body.toString());
        const action = response.statusCode === 200 ? form.get('Action') : undefined;
        if (action === 'SendEmail') accepted.push(mailOf(form));
        const raw = action === 'SendRawEmail' ? form.get('RawMessage.Data') : null;
        if (raw !== null) reading.push(readMail(Buffer.from(raw, 'base64')));
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    ).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    accepted: async () => [...accepted, ...(await Promise.all(reading))],
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
