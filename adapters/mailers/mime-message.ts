import { domainToASCII } from 'node:url';
import type { SendMailOptions } from 'nodemailer';
import type { InlineImage } from '../../application/ports/mailer.ts';

/** An address as mail servers get it: as it is stored, except that they know the domain in ASCII only. */
export const mailedAddress = (address: string): string => {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return /^[ -~]*$/.test(domain) ? address : address.slice(0, at) + (domainToASCII(domain) || domain);
};

/** The header field of a recipient (RFC 5322, section 3.6.3). */
const recipientField = (address: string): string => {
  const line = address.replaceAll(/\p{Cc}+/gu, ' ');
  return `To: ${line.startsWith('"') ? `<${line}>` : line}\r\n`;
};

/** The images of a mail as nodemailer takes them. */
export const inlineAttachments = (images: readonly InlineImage[]): NonNullable<SendMailOptions['attachments']> =>
  images.map(({ contentId, type, content }) => ({
    cid: contentId,
    content: Buffer.from(content),
    contentType: type,
    contentDisposition: 'inline',
    filename: `${contentId}.${type === 'image/png' ? 'png' : 'jpg'}`,
  }));

/**
 * Writes a mail to an address as a MIME message (RFC 5322). Loads nodemailer on first use, so that the service starts
 * faster. It does not write the recipient, because it changes the spelling of addresses.
 */
export const mimeMessageOf = async (to: string, mail: Omit<SendMailOptions, 'to'>): Promise<Buffer> => {
  const { createTransport } = await import('nodemailer');
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { message } = await composer.sendMail(mail);
  if (!Buffer.isBuffer(message)) throw new TypeError('nodemailer returned no buffer');
  return Buffer.concat([Buffer.from(recipientField(to)), message]);
};
