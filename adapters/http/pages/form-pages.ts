import { type Html, html } from './html.ts';
import { type HtmlPage, page, pageStyle, pageStyles } from './link-pages.ts';
import type { FormText, PageLanguage } from './page-texts.ts';

/** The style of pages with a form. */
export const formStyle = html`${pageStyle}:root { --ask: #4f46e5; --on-ask: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ask: #a5b4fc; --on-ask: #1e1b4b; }
}
main.ask { --accent: var(--ask); }
p { overflow-wrap: anywhere; }
form { margin: 28px 0 0; }
button { width: 100%; min-height: 52px; padding: 12px 24px; border: 0; border-radius: 12px; background: var(--ask); color: var(--on-ask); font: inherit; font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.08); }
button:focus-visible { outline: 3px solid var(--ask); outline-offset: 3px; }
`;

const styles = pageStyles(formStyle, "'self'");

/** A page that asks a person to act, with a form that is sent to this service only. It needs no script. */
export const formPage = (text: FormText, language: PageLanguage, form: Html): HtmlPage =>
  page('ask', text, language, styles, form);

/** A page with only a button. `action` is relative to the path of the page. */
export const buttonPage = (text: FormText, language: PageLanguage, action: string): HtmlPage =>
  formPage(text, language, html`<form method="post" action="${action}"><button>${text.button}</button></form>`);
