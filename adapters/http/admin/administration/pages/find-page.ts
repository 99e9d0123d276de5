import { html, nothing } from '../../../pages/html.ts';
import type { OperatorPage } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import { labelled } from '../form-fields.ts';
import type { UserNames } from '../user-names.ts';
import { adminPage } from './page-frame.ts';

/** The page that opens one user, for keys that may not list them; `text` is what found none, and `message` about an action. */
export const findPage = ({ exactNames }: UserNames, text: string, message: string | undefined): OperatorPage => {
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  const label = ['Address', ...exactNames].join(', or ');
  const errors = text === '' ? [] : [{ path: 'address', message: 'must be that of a user' }];
  const field = labelled(
    { id: 'address', label, errors },
    (attributes) =>
      html`<input ${attributes} type="search" value="${text}" maxlength="254" required autocomplete="off" autocapitalize="off" spellcheck="false">`,
  );
  return adminPage(
    'Open a user',
    html`<div class="single">\n${done}<div class="title"><h1>Open a user</h1></div>
<form class="card part" method="get" action="${adminPaths.user}" role="search">
${field}
<div class="choices"><button class="action">Open</button></div>
</form></div>`,
  );
};
