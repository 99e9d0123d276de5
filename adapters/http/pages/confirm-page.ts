import { closedTo, html, sourceOf } from './html.ts';
import { page, pageStyle } from './link-pages.ts';

const style = html`${pageStyle}:root { --ask: #4f46e5; --on-ask: #fff; }
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

/** The Content-Security-Policy of the page: its own style, and a form that is sent to this service only. */
export const confirmPolicy = `default-src 'none'; style-src ${sourceOf(style)}; img-src data:; ${closedTo("'self'")}`;

/** The page that a verification link opens: a button that sends the address and the token. It needs no script. */
export const confirmPage = (address: string, token: string): string => {
  const values = `email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`;
  // Relative to /verify, so that it works under any host name and behind a proxy that adds a path.
  const action = `verify/confirm?${values}`;
  const text = {
    title: 'Confirm your email address',
    sentence: `Press the button to confirm that ${address} is yours.`,
    hint: 'If you did not ask for this, close this page, and nothing happens.',
  };
  return page('ask', text, style, html`<form method="post" action="${action}"><button>Confirm</button></form>`);
};
