import { EmailAddress } from '../../domain/email-address.ts';
import { type Codec, such, text } from './option-codecs.ts';

// RFC 5322, section 3.4: a display name is in quotes, unless it has no character that separates addresses.
const mailbox = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*" *|[^"<>()[\]:;@,\\\p{Cc}]*)<([^<>]+)>$/u;

const isSender = (value: string): boolean => EmailAddress.is(mailbox.exec(value)?.[1] ?? value);

/** The sender of mails (the option `fromAddress`): an address, or a display name followed by the address in `<>`. */
export const senderAddress: Codec<string> = such(
  text,
  isSender,
  'expected an address such as no-reply@example.com or "Example" <no-reply@example.com>',
);
