import type { FieldError } from '../../../../domain/failure.ts';
import { problems } from '../../api/problems.ts';
import type { RequestRefusal } from '../../api/refusal.ts';
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

/** What the general texts say about bodies, for a form. */
const detailsOfForms: Readonly<Partial<Record<RequestRefusal['code'], string>>> = {
  invalid_json: 'Nothing was saved yet. Please correct:',
  invalid_body: 'Nothing was changed yet. Please correct:',
  property_taken: 'Nothing was saved yet. Please correct:',
  id_immutable: 'Nothing was saved yet. Please correct:',
  weak_password: 'Nothing was saved yet. Please correct:',
  unsuitable_address: 'Nothing was saved yet. Please correct:',
};

/** What was wrong with a submitted form; `labels` has the names of its fields, also for members of `email`. */
export const problemOf = ({ code, errors = [] }: RequestRefusal, labels: Readonly<Record<string, string>>): Html => {
  const nameOf = (path: string): string => labels[path.replace(/^email\./, '')] ?? path;
  return html`<div class="problem" role="alert"><p>${detailsOfForms[code] ?? problems[code].detail}</p>${errors.map(
    ({ path, message }) => html`<p><strong>${nameOf(path)}</strong> ${message}</p>`,
  )}</div>`;
};
