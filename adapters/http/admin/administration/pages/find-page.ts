import { html, nothing } from '../../../pages/html.ts';
import type { OperatorPage } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { UserNames } from '../user-names.ts';
import { adminPage } from './page-frame.ts';

/** The page that opens one user, for keys that may not list them; `text` is what found none, and `message` about an action. */
export const findPage = ({ exactNames }: UserNames, text: string, message: string | undefined): OperatorPage => {
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  const problem = html`<div class="problem" role="alert"><p>No user has exactly this.</p></div>`;
  return adminPage(
    'Open a user',
    html`<div class="single">\n${done}<div class="title"><h1>Open a user</h1></div>
<form class="card part" method="get" action="${adminPaths.user}" role="search">
<label for="address">${['Address', ...exactNames].join(', or ')}</label><input id="address" name="address" type="search" value="${text}" maxlength="254" required autocomplete="off" autocapitalize="off" spellcheck="false">
${text === '' ? nothing : problem}
<div class="choices"><button class="action">Open</button></div>
</form></div>`,
  );
};
