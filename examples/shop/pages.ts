import { html } from 'hono/html';
import type { User } from 'latchkey/client';

type Html = ReturnType<typeof html>;

/** A page. `html` escapes every value. */
const page = (title: string, content: Html, message = ''): Html => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <style>
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 2rem auto; padding: 0 1rem; }
        form { margin: 1rem 0; }
        input, button { font: inherit; padding: 0.4rem 0.6rem; }
        label { display: block; margin: 0.5rem 0; }
        label input { display: block; width: 100%; box-sizing: border-box; }
      </style>
    </head>
    <body>
      <main>
      <h1>${title}</h1>
      ${message && html`<p role="status">${message}</p>`} ${content}
      </main>
    </body>
  </html>`;

const form = (action: string, button: string, fields: Html | string = ''): Html =>
  html`<form method="post" action="${action}">${fields}<button>${button}</button></form>`;

const addressField = html`<label>Email <input name="email" type="email" autocomplete="username" required /></label>`;
const passwordField = (label: string, name: string, autocomplete: string): Html =>
  html`<label>${label} <input name="${name}" type="password" autocomplete="${autocomplete}" required /></label>`;
// The rule is that of latchkey.yaml: people read it before they type.
const newPassword = (label: string, name: string): Html =>
  passwordField(`${label}, at least 8 characters`, name, 'new-password');
const currentPassword = passwordField('Current password', 'password', 'current-password');

export const welcomePage = (message?: string): Html =>
  page(
    'Shop',
    html`<h2>Sign in</h2>
      ${form('/sign-in', 'Sign in', html`${addressField}${passwordField('Password', 'password', 'current-password')}`)}
      <h2>Sign up</h2>
      ${form('/sign-up', 'Sign up', html`${addressField}${newPassword('Password', 'password')}`)}
      <h2>Forgotten password</h2>
      ${form('/forgotten', 'Send a link', addressField)}`,
    message,
  );

export const accountPage = ({ email }: User, message?: string): Html =>
  page(
    'Your account',
    html`<p>Signed in as ${email.address}.</p>
      ${
        email.verified
          ? html`<p>Your address is verified.</p>`
          : form('/verify', 'Send the verification mail again', html`<p>Your address is not verified yet.</p>`)
      }
      <h2>Password</h2>
      ${form('/password', 'Change password', html`${currentPassword}${newPassword('New password', 'replacement')}`)}
      <h2>Address</h2>
      ${email.pending && html`<p>${email.pending} waits until you follow the link in the mail to it.</p>`}
      ${form(
        '/address',
        'Change address',
        html`${currentPassword}<label>New email <input name="email" type="email" required /></label>`,
      )}
      <h2>Sessions</h2>
      ${form('/sign-out', 'Sign out')} ${form('/sign-out-everywhere', 'Sign out everywhere')}
      <h2>Delete</h2>
      ${form('/delete', 'Delete account', currentPassword)}`,
    message,
  );
