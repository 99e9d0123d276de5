import { EmailAddress } from '../../domain/email-address.ts';
import { type Codec, codec, isString, refine, text } from './option-codecs.ts';

// RFC 5322, section 3.4: a display name is in quotes, unless it has no character that separates addresses.
const mailbox = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*" *|[^"<>()[\]:;@,\\\p{Cc}]*)<([^<>]+)>$/u;

/** The option `fromAddress`: an address, or a display name followed by the address in `<>`. */
export const senderAddress: Codec<string> = refine(
  text,
  (value) => EmailAddress.is(mailbox.exec(value)?.[1] ?? value),
  'expected an address such as no-reply@example.com or "Example" <no-reply@example.com>',
);

/** The display name of a sender without quotes and escapes; null for an address alone. */
export const displayNameOf = (sender: string): string | null => {
  const name = sender.slice(0, Math.max(0, sender.lastIndexOf('<'))).trim();
  const unquoted = name.startsWith('"') ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name;
  return unquoted === '' ? null : unquoted;
};

const withoutTrailingSlashes = (path: string): string => {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
};

/** The parts of an http or https URL without user and password; undefined for any other text. */
export const webUrl = (value: string): URL | undefined => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.username === '' && url.password === '' ? url : undefined;
};

const normalizedUrl = (value: unknown): string | undefined => {
  const url = text.is(value) && !/[?#]/.test(value) ? webUrl(value) : undefined;
  return url && `${url.origin}${withoutTrailingSlashes(url.pathname)}`;
};

/** An http or https URL without user, query and fragment; decodes to the URL without trailing slashes. */
export const webAddress: Codec<string> = codec(
  'an http or https URL without user, query and fragment',
  isString,
  normalizedUrl,
);

const loopbackNames = /^(?:localhost|.+\.localhost)\.?$/i;
// URLs have IPv6 addresses in brackets.
const loopbackAddresses = /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** Whether a host name or address is the loopback of this machine (RFC 6761, section 6.3; RFC 6890, section 2.2). */
export const isLoopback = (host: string): boolean => loopbackNames.test(host) || loopbackAddresses.test(host);
