import { type Html, html, nothing } from '../../pages/html.ts';

/** A mail in the list. */
export interface ListedMail {
  readonly id: string;
  /** The recipients, separated by commas. */
  readonly to: string;
  readonly subject: string;
  /** When it was written; undefined without a valid Date header. */
  readonly time: Date | undefined;
}

/** A mail with its bodies; a missing one is empty. */
export interface OpenedMail extends ListedMail {
  /** The sender, with its name if it has one. */
  readonly from: string;
  readonly text: string;
  readonly html: string;
  /** The link that the recipient is asked to open, as the service wrote it; undefined without one. */
  readonly link: string | undefined;
}

/** The mails that were written to files instead of sent. The methods throw when the files cannot be read. */
export interface KeptMails {
  /** The newest mails, the newest first. */
  list(): Promise<readonly ListedMail[]>;
  /** The newest mails with their bodies, the newest first. */
  readAll(): Promise<readonly OpenedMail[]>;
  /** Undefined when there is no mail with this id. */
  find(id: string): Promise<OpenedMail | undefined>;
}

const anyLink = /https?:\/\/[^\s<>"']+/g;

/** A mail for programs: `links` has the one that the recipient is asked to open first, then the others of the text. */
export const mailForPrograms = ({ id, time, to, subject, text, link }: OpenedMail): object => ({
  id,
  time: time?.getTime() ?? null,
  to,
  subject,
  text,
  links: [...new Set([...(link === undefined ? [] : [link]), ...(text.match(anyLink) ?? [])])],
});

/** A link that opens a new window and sends no referrer. */
export const linkTo = (address: string, label: string, attributes = nothing): Html =>
  html`<a href="${address}" target="_blank" rel="noopener noreferrer"${attributes}>${label}</a>`;

/** Plain text as HTML, with links for its web addresses. */
export const withLinks = (text: string): Html => {
  const parts: Html[] = [];
  let written = 0;
  for (const { 0: address, index } of text.matchAll(anyLink)) {
    parts.push(html`${text.slice(written, index)}${linkTo(address, address)}`);
    written = index + address.length;
  }
  return html`${parts}${text.slice(written)}`;
};

/** The sandbox of a mail: it may open links in new windows, which are not sandboxed. */
export const sandboxTokens = 'allow-popups allow-popups-to-escape-sandbox';

/**
 * The Content-Security-Policy of the HTML of a mail: its own styles and embedded images, nothing external, no scripts. The
 * sandbox also applies when the body is opened without the frame.
 */
export const bodyPolicy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox ${sandboxTokens}`;

// The sandbox forbids the frame to navigate, so links must open a new window.
const base = '<base target="_blank">';
const insertionPoints = [/<head\b[^<>]*>/i, /<html\b[^<>]*>/i, /<!doctype[^<>]*>/i];

/** The HTML of a mail for its frame. */
export const framedBody = (html: string): string => {
  const point = insertionPoints.find((pattern) => pattern.test(html));
  return point === undefined ? base + html : html.replace(point, (tag) => tag + base);
};
