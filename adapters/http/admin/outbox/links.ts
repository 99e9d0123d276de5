import { type Html, html, nothing } from '../../pages/html.ts';
import type { OpenedMail } from './outbox.ts';

const anyLink = /https?:\/\/[^\s<>"']+/g;
const verificationPath = /[^/]\/verify\?./;

const verificationLinkIn = (mail: string): string | undefined => {
  for (const [address] of mail.matchAll(anyLink)) if (verificationPath.test(address)) return address;
  return undefined;
};

/** The verification link of a mail, from its text or else from its HTML; undefined when it has none. */
export const verificationLinkOf = ({ text, html }: OpenedMail): string | undefined =>
  verificationLinkIn(text) ?? verificationLinkIn(html)?.replaceAll('&amp;', '&');

/** A link that opens beside the page and tells nobody where it stood. */
export const linkTo = (address: string, label: string, attributes = nothing): Html =>
  html`<a href="${address}" target="_blank" rel="noopener noreferrer"${attributes}>${label}</a>`;

/** Plain text as HTML, with the web addresses in it as links. */
export const withLinks = (text: string): Html => {
  const parts: Html[] = [];
  let written = 0;
  for (const { 0: address, index } of text.matchAll(anyLink)) {
    parts.push(html`${text.slice(written, index)}${linkTo(address, address)}`);
    written = index + address.length;
  }
  return html`${parts}${text.slice(written)}`;
};
