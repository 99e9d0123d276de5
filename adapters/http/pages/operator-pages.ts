import { html } from './html.ts';

/** The style that the pages for operators share. */
export const operatorStyle = html`
:root { color-scheme: light dark; --ground: #f4f4f7; --card: #fff; --edge: #e4e4ea; --ink: #18181b; --soft: #56565f; --accent: #4338ca; --tint: #eef0ff; --button: #4f46e5; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f0f12; --card: #1a1a1f; --edge: #2e2e36; --ink: #f4f4f5; --soft: #a8a8b3; --accent: #a5b4fc; --tint: #26263a; --button: #5b54e8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; overflow-wrap: anywhere; }
a { color: var(--accent); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
header, main { max-width: 1160px; margin: 0 auto; padding: 0 24px; }
header { display: flex; align-items: center; gap: 14px; padding-top: 24px; padding-bottom: 20px; }
header img { display: block; }
header div { flex: 1; }
header a { flex: none; padding: 8px 14px; border: 1px solid var(--edge); border-radius: 10px; background: var(--card); color: var(--ink); font-size: 14px; font-weight: 600; text-decoration: none; }
header a:hover { border-color: var(--accent); color: var(--accent); }
h1 { margin: 0; font-size: 20px; line-height: 1.2; letter-spacing: -.01em; }
header p { margin: 2px 0 0; color: var(--soft); font-size: 14px; line-height: 1.3; }
main { padding-bottom: 40px; }
`;

/** A time in ISO 8601 and UTC. */
export const isoTime = (time: Date): string => time.toISOString();

/** Whether `Date` can represent a time: an imported user may have one in the far future. */
export const isValidTime = (time: Date): boolean => !Number.isNaN(time.getTime());

const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dateFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const longFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'long',
});

/** A time for lists, in the time zone of this computer: the time of day if it is today, otherwise the date. */
export const shortTime = (time: Date, now = new Date()): string => {
  if (time.toDateString() === now.toDateString()) return hourFormat.format(time);
  return (time.getFullYear() === now.getFullYear() ? dayFormat : dateFormat).format(time);
};

/** Date, time and time zone in words. */
export const longTime = (time: Date): string => longFormat.format(time);
