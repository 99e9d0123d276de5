import { type AddressObject, simpleParser } from 'mailparser';

/** A decoded mail. Lines end in LF. */
export interface ReceivedMail {
  /** The address of the sender, without a display name. */
  readonly from: string;
  /** The addresses of the recipients without display names, separated by commas. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The embedded images; left out where they are not recorded. */
  readonly images?: readonly { readonly contentId: string | undefined; readonly bytes: number }[];
}

const addresses = (field: AddressObject | AddressObject[] | undefined): string =>
  [field ?? []]
    .flat()
    .flatMap(({ value }) => value.map(({ address }) => address ?? ''))
    .join(', ');

const withLf = (text: string): string => text.replaceAll('\r\n', '\n');

/** Decodes a MIME message. */
export async function readMail(message: Buffer | string): Promise<ReceivedMail> {
  const options = { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true };
  const { from, to, subject, text, html, attachments } = await simpleParser(message, options);
  return {
    from: addresses(from),
    to: addresses(to),
    subject: subject ?? '',
    text: withLf(text ?? ''),
    html: withLf(html || ''),
    images: attachments.map(({ cid, size }) => ({ contentId: cid, bytes: size })),
  };
}
