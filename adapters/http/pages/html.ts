import { html as anyHtml, type SafeHtml } from '@remix-run/html-template';

/** Markup in which every text is escaped: made by the tag `html` only, so that a string can't be taken for it. */
export type Html = SafeHtml;

/** Texts and numbers are escaped, markup stays as it is; a list is put together without anything between. */
type Shown = string | number | Html | Html[];

/**
 * Tags a template of HTML and escapes what is put into it, for the text of an element or a quoted attribute. Where
 * something may be missing, `nothing` says so.
 */
export const html: (markup: TemplateStringsArray, ...shown: readonly Shown[]) => Html = anyHtml;

/** No markup at all. */
export const nothing: Html = html``;
