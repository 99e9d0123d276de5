import type { Client } from '../authentication/authenticator.ts';
import { type Permission, permits } from '../authentication/permissions.ts';
import { adminPaths } from '../paths.ts';
import type { ErrorPageFrame } from './error-page.ts';
import { documentOf, type Html, html, icon, nothing } from './html.ts';

/** The style that the pages for operators share. */
export const operatorStyle = html`
:root { color-scheme: light dark; --good: #166534; --bad: #b91c1c; --ground: #f4f4f7; --card: #fff; --edge: #e4e4ea; --ink: #18181b; --soft: #56565f; --accent: #4338ca; --tint: #eef0ff; --button: #4f46e5; --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
@media (prefers-color-scheme: dark) {
  :root { --good: #4ade80; --bad: #fca5a5; --ground: #0f0f12; --card: #1a1a1f; --edge: #2e2e36; --ink: #f4f4f5; --soft: #a8a8b3; --accent: #a5b4fc; --tint: #26263a; --button: #5b54e8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; overflow-wrap: break-word; }
a { color: var(--accent); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; z-index: 1; inset-block-start: 8px; inset-inline-start: 8px; padding: 10px 16px; border-radius: 9px; background: var(--button); color: #fff; font-weight: 600; }
.skip:not(:focus) { clip-path: inset(50%); }
main:focus { outline: 0; }
body > header { border-bottom: 1px solid var(--edge); background: var(--card); }
.bar, main { max-width: 1160px; margin: 0 auto; padding: 0 24px; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0 28px; min-height: 60px; }
.home { display: flex; align-items: center; gap: 10px; min-width: 0; padding: 12px 0; color: var(--ink); font-weight: 650; text-decoration: none; }
.home img { flex: none; display: block; }
.home span { overflow: hidden; max-width: 18em; text-overflow: ellipsis; white-space: nowrap; }
.sections { display: flex; gap: 4px; overflow-x: auto; margin: 0 -10px; padding: 8px 0; }
.sections a { flex: none; padding: 7px 12px; border-radius: 8px; color: var(--soft); font-size: 15px; font-weight: 550; text-decoration: none; }
.sections a:hover { background: var(--ground); color: var(--ink); }
.sections a[aria-current] { background: var(--tint); color: var(--accent); scroll-initial-target: nearest; }
.person { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; margin-inline-start: auto; padding: 8px 0; color: var(--soft); font-size: 14px; }
.person strong { color: var(--ink); overflow-wrap: anywhere; }
.person .quiet { min-height: 36px; padding: 0 12px; font-size: 14px; }
.good { color: var(--good); }
.bad { color: var(--bad); }
main { padding-top: 32px; padding-bottom: 56px; }
.title { display: flex; flex-wrap: wrap; gap: 12px 24px; align-items: center; justify-content: space-between; margin: 0 0 20px; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; letter-spacing: -.018em; overflow-wrap: anywhere; }
.card { border: 1px solid var(--edge); border-radius: 14px; background: var(--card); box-shadow: 0 1px 2px rgb(0 0 0 / .04); }
.action, .danger, .quiet, .warning { display: inline-flex; align-items: center; min-height: 40px; padding: 0 16px; border: 1px solid transparent; border-radius: 9px; font: inherit; font-size: 15px; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
.action { background: var(--button); color: #fff; }
.action:hover { filter: brightness(1.08); }
.quiet { border-color: var(--edge); background: var(--card); color: var(--ink); }
.quiet:hover { border-color: var(--accent); color: var(--accent); }
code { font: 14px var(--mono); overflow-wrap: anywhere; }
.notice { padding: 56px 32px; text-align: center; }
.notice h2 { margin: 0 0 10px; font-size: 20px; }
.notice p { margin: 0 0 10px; color: var(--soft); }
.notice pre { display: inline-block; max-width: 100%; margin: 6px 0 18px; padding: 14px 18px; overflow-x: auto; border: 1px solid var(--edge); border-radius: 10px; background: var(--ground); color: var(--ink); font: 14px/1.6 var(--mono); text-align: start; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .bar, main { padding-right: 16px; padding-left: 16px; }
  .home { padding-bottom: 2px; }
  .sections { flex: 1 1 100%; }
  main { padding-top: 22px; }
  .notice { padding: 40px 20px; }
}
`;

/** A page or document of the admin port that its other pages link to. */
export interface AdminSection {
  readonly name: string;
  readonly path: string;
  /** What it shows, in one sentence. */
  readonly sentence: string;
  /** What the key of an administrator needs for it. */
  readonly requires?: Permission;
  /** The path that links lead to, if it is another one. */
  readonly entry?: string;
}

/** What all pages of the admin port show. */
export interface AdminSite {
  readonly product: string;
  /** Those that this service really has. */
  readonly sections: readonly AdminSection[];
  readonly errorPages: ErrorPageFrame;
}

/** A page of the admin port before it is put into the frame of the others. */
export interface OperatorPage {
  /** As plain text. */
  readonly title: string;
  readonly css: Html;
  readonly content: Html;
  /** The path of the section that the page belongs to; undefined for none. */
  readonly section?: string | undefined;
}

/** The page from which a key gets to users: the list, or the field that opens one; undefined if it may see neither. */
export const usersPathFor = (client: Client | undefined): string | undefined => {
  if (permits(client, 'list')) return adminPaths.administration;
  return permits(client, 'read') ? adminPaths.user : undefined;
};

/** The sections that the key of an administrator may open; all of them on pages without one. */
export const sectionsFor = (sections: AdminSite['sections'], client: Client | undefined): AdminSite['sections'] => {
  if (client?.may === undefined) return sections;
  const entry = usersPathFor(client);
  return sections.flatMap((section) => {
    if (section.path === adminPaths.administration)
      return entry === undefined ? [] : [{ ...section, entry, sentence: 'Find accounts.' }];
    return section.requires === undefined || permits(client, section.requires) ? [section] : [];
  });
};

const signOut = (person: string, { may }: Client): Html => {
  const limits = may && html`<br>may ${may.size === 0 ? 'do nothing' : [...may].join(', ')}`;
  return html`\n<form class="person" method="post" action="${adminPaths.signOut}"><span>Signed in as <strong>${person}</strong>${limits ?? nothing}</span><button class="quiet">Sign out</button></form>`;
};

/**
 * The HTML document of a page, with the name of the product, links to the sections, and the administrator who is signed
 * in. A page with an administrator needs a policy that allows forms.
 */
export const operatorDocument = (
  { product, sections }: AdminSite,
  { title, css, content, section }: OperatorPage,
  client?: Client,
): string =>
  documentOf(
    `${title} · ${product}`,
    css,
    html`<a class="skip" href="#content">Skip to the content</a>
<header><div class="bar">
<a class="home" href="/"><img src="${icon}" width="28" height="28" alt=""><span>${product}</span></a>
<nav class="sections" aria-label="Sections">${sectionsFor(sections, client).map(
      ({ name, path, entry = path }) =>
        html`\n<a href="${entry}"${path === section ? html` aria-current="page"` : nothing}>${name}</a>`,
    )}
</nav>${client?.name === undefined ? nothing : signOut(client.name, client)}
</div></header>
<main id="content" tabindex="-1">
${content}
</main>`,
  );

const longFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long' });
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The units of relative times, and from how many seconds on they are used. */
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago a time was, or how far ahead it is, in words; both in milliseconds since the epoch. */
export const relativeTime = (timeMs: number, now: number): string => {
  const seconds = (timeMs - now) / 1_000;
  const [unit, size] = units.find(([, from]) => Math.abs(seconds) >= from) ?? ['second', 1];
  if (unit === 'second') return seconds >= 1 ? 'in a moment' : 'just now';
  return relativeFormat.format(Math.trunc(seconds / size), unit);
};

/** Whether `Date` can represent a time: an imported user may have one in the far future. */
const isValid = (time: Date): boolean => !Number.isNaN(time.getTime());

/** A time relative to `now`, which shows the full one to a pointer; both in milliseconds since the epoch. */
export const relativeTag = (timeMs: number, now: number): Html => {
  const time = new Date(timeMs);
  return isValid(time)
    ? html`<time datetime="${time.toISOString()}" title="${longFormat.format(time)}">${relativeTime(timeMs, now)}</time>`
    : html`${timeMs}`;
};

/** A full time, and how long ago it was; both in milliseconds since the epoch. */
export const longTag = (timeMs: number, now: number): Html => {
  const time = new Date(timeMs);
  return isValid(time)
    ? html`<time datetime="${time.toISOString()}">${longFormat.format(time)}</time> <small>(${relativeTime(timeMs, now)})</small>`
    : html`${timeMs}`;
};
