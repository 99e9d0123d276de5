import { type PageText, page } from './layout.ts';

/** What to tell a person whose verification link didn't work, by the status of the answer. */
const texts: Readonly<Record<number, PageText>> = {
  400: {
    title: 'This link no longer works',
    sentence: 'It may be incomplete, or a newer verification email has replaced it.',
    hint: 'Open the link in the latest email that you received, or ask for a new one where you signed up.',
  },
  404: {
    title: 'We could not find this account',
    sentence: 'The account may have been removed, or its email address has changed.',
    hint: 'If you have just changed your address, look for a newer email there.',
  },
  503: {
    title: 'Please try again in a moment',
    sentence: 'We could not verify your account just now. Your link is still good.',
    hint: 'Wait a minute, then open the link in your email again.',
  },
};

const expired: PageText = {
  title: 'This link has expired',
  sentence: 'To keep your account safe, the link in a verification email works for a limited time.',
  hint: 'Ask for a new email where you signed up, and open its link soon.',
};

const otherwise: PageText = {
  title: 'Something went wrong',
  sentence: 'We could not verify your account. This is our fault, not yours.',
  hint: 'Try the link in your email again later. If it still fails, ask for help where you signed up.',
};

/** The words for a person whose verification link was answered with an HTTP status of 400 or above, and a code. */
export const linkFailure = (status: number, code?: string): PageText =>
  code === 'token_expired' ? expired : (texts[status] ?? otherwise);

/** A small page for a person who followed a link that didn't work. The texts are plain: the page escapes them. */
export const failurePage = (text: PageText): string => page('problem', text);
