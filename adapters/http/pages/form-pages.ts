import { html, nothing } from './html.ts';
import { type HtmlPage, linkPage, pageStyle, pageStyles } from './link-pages.ts';
import { aboutAddress, askText, type PageLanguage, type PageTexts, ruleTexts, type StatedRule } from './page-texts.ts';

/** The style of pages with a form. */
const formStyle = html`${pageStyle}main.ask { --accent: var(--ask); }
p { overflow-wrap: anywhere; }
.address { display: inline-block; max-width: 100%; }
form { margin: 28px 0 0; }
`;

const styles = pageStyles(formStyle, "'self'");

/**
 * The page that a link opens about an address, with only a button. `action` is relative to the path of the page. It needs no
 * script.
 */
export const buttonPage = (
  kind: keyof PageTexts,
  address: string,
  language: PageLanguage,
  action: string,
): HtmlPage => {
  const text = aboutAddress(askText(kind, language), address, language);
  const form = html`<form method="post" action="${action}"><button>${text.button}</button></form>`;
  return linkPage('ask', text, language, styles, form);
};

/** The pages that ask for a new password, and for the first one. */
export type PasswordPageKind = 'recovery' | 'invitation';

/** What the form of the page sends, and what was wrong with the password before. */
export interface PasswordForm {
  /** The name and the value of the field that names the user. */
  readonly user: { readonly name: string; readonly value: string };
  readonly token: string;
  /** Relative to the path of the page. */
  readonly action: string;
  /** The rules of the new password, which the page states. */
  readonly rules: readonly StatedRule[];
  readonly errors?: readonly string[];
}

const passwordStyle = html`${formStyle}label { display: block; margin: 0 0 6px; text-align: start; font-size: 15px; font-weight: 600; }
input { width: 100%; min-height: 48px; margin: 0 0 20px; padding: 10px 14px; border: 1px solid var(--soft); border-radius: 12px; background: var(--card); color: var(--ink); font: inherit; }
input[readonly] { border-color: var(--edge); background: var(--ground); color: var(--soft); text-overflow: ellipsis; }
input[aria-invalid] { border-color: var(--problem); }
input:focus-visible { outline: 3px solid var(--ask); outline-offset: 1px; }
.rules { margin: 0 0 10px; text-wrap: pretty; padding-inline-start: 20px; text-align: start; font-size: 15px; color: var(--soft); }
.error { margin: -8px 0 20px; text-align: start; font-size: 15px; color: var(--problem); }
.error ul { margin: 0; padding-inline-start: 20px; }
`;

const passwordStyles = pageStyles(passwordStyle, "'self'");

/**
 * The page that asks for a new password, without a script. Password managers save it for the address, if the form has it,
 * which is the user name of the form.
 */
export const passwordPage = (
  { user, token, action, rules, errors = [] }: PasswordForm,
  language: PageLanguage,
  kind: PasswordPageKind,
): HtmlPage => {
  const texts = language.texts[kind];
  const stated = ruleTexts(texts, rules);
  const list =
    stated.length === 0
      ? nothing
      : html`<ul class="rules" id="rules">${stated.map((text) => html`<li>${text}</li>`)}</ul>\n`;
  const descriptions = [...(stated.length === 0 ? [] : ['rules']), ...(errors.length === 0 ? [] : ['error'])].join(' ');
  const described = descriptions === '' ? nothing : html` aria-describedby="${descriptions}"`;
  const invalid = errors.length === 0 ? nothing : html` aria-invalid="true"`;
  const reasons =
    errors.length < 2 ? html`${errors.join('')}` : html`<ul>${errors.map((error) => html`<li>${error}</li>`)}</ul>`;
  const message = errors.length === 0 ? nothing : html`<div class="error" id="error" role="alert">${reasons}</div>\n`;
  const { name, value } = user;
  const named =
    name === 'email'
      ? html`<label for="email">${texts.address}</label>
<input id="email" name="email" type="email" value="${value}" dir="ltr" autocomplete="username" readonly>`
      : html`<input type="hidden" name="${name}" value="${value}">`;
  return linkPage(
    'password',
    askText(kind, language),
    language,
    passwordStyles,
    html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}">
${named}
<label for="password">${texts.password}</label>
${list}<input id="password" name="password" type="password" autocomplete="new-password" required autofocus${invalid}${described}>
${message}<button>${texts.ask.button}</button>
</form>`,
  );
};
