import type { FieldError } from '../../../../domain/failure.ts';
import { type Html, html, nothing } from '../../pages/html.ts';

/** What is wrong with the fields of a form that was refused. */
export type FormErrors = readonly FieldError[];

/**
 * A control with its label, and with what is wrong with the field at `path`. `control` gets its attributes: they make a
 * screen reader say the error with the control.
 */
export const labelled = (
  { id, path = id, label, errors }: { id: string; path?: string; label: string; errors: FormErrors },
  control: (attributes: Html) => Html,
): Html => {
  const messages = errors.filter((error) => error.path === path).map(({ message }) => message);
  const described = html` aria-invalid="true" aria-describedby="${id}-error"`;
  const attributes = html`id="${id}" name="${id}"${messages.length === 0 ? nothing : described}`;
  const problem =
    messages.length === 0 ? nothing : html`\n<p class="wrong" id="${id}-error">${messages.join('; ')}</p>`;
  return html`<label for="${id}">${label}</label>\n${control(attributes)}${problem}\n`;
};
