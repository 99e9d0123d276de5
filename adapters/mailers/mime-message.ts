import type { SendMailOptions } from 'nodemailer';
import type { InlineImage } from '../../application/ports/mailer.ts';

/** The images of a mail as nodemailer takes them. */
export const inlineAttachments = (images: readonly InlineImage[]): NonNullable<SendMailOptions['attachments']> =>
  images.map(({ contentId, type, content }) => ({
    cid: contentId,
    content: Buffer.from(content),
    contentType: type,
    contentDisposition: 'inline',
    filename: `${contentId}.${type === 'image/png' ? 'png' : 'jpg'}`,
  }));

/** Writes a mail as a MIME message (RFC 5322). Loads nodemailer on first use, so that the service starts faster. */
export const mimeMessageOf = async (mail: SendMailOptions): Promise<Buffer> => {
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
  return message;
};
