import type { Mail } from '../../../application/ports/mailer.ts';

/** Loaded by the first mail: the service starts sooner without it. */
const transport = async () => {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

// A line has at most 998 octets (RFC 5322, section 2.1.1), and a UTF-16 code unit takes at most three of them.
const needsEncoding = /\r(?!\n)|[^\n]{330}|\0/;

/** The text part: as it stands where lines allow it, so that the link can be copied from the file as it is. */
const textPart = (text: string): string | { readonly raw: string } =>
  needsEncoding.test(text)
    ? text
    : { raw: `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}` };

/** The mail as a MIME message with lines that end in CRLF (RFC 5322). */
export async function compose(sender: string, { to, subject, text, html }: Mail): Promise<Buffer> {
  const { message } = await (await transport()).sendMail({
    from: sender,
    to: { name: '', address: to },
    subject,
    text: textPart(text),
    html,
  });
  if (!Buffer.isBuffer(message)) throw new TypeError('a message was asked for as one buffer');
  return message;
}
