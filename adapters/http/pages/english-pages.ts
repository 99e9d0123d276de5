import { again, gone, help, invitation, recovery } from './english-password-pages.ts';
import type { PageLanguage, PageText } from './page-texts.ts';

/** Where the lifetime of links is configured. */
const lifetime = 'A link works for CODEGEN-LIFETIME.';

const changeOver: PageText = {
  title: 'This link no longer works',
  sentence:
    'The change was already cancelled, confirmed or replaced, or not confirmed in time. The link may also be incomplete.',
  hint: 'If your address was changed, and not by you, ask for help where you have your account.',
};

/** The built-in English pages. */
export const english: PageLanguage = {
  tag: 'en',
  locale: null,
  direction: 'ltr',
  brand: null,
  continueTo: 'Continue to CODEGEN-PRODUCT',
  product: null,
  lifetime: null,
  texts: {
    verification: {
      lifetime,
      ask: {
        title: 'Verify your email address',
        sentence: 'Press the button to verify that CODEGEN-ADDRESS is yours.',
        hint: 'If you did not ask for this, close this page, and nothing happens.',
        button: 'Verify email address',
      },
      // The default page of GET /verify/success (docs/verification.md).
      done: {
        title: 'Your account has been verified',
        sentence: 'Thank you. You can close this page now.',
      },
      invalid: {
        title: 'This link no longer works',
        sentence: 'It may be incomplete, or a newer verification email has replaced it.',
        hint: 'Open the link in the latest email that you received, or ask for a new one where you signed up.',
      },
      expired: {
        title: 'This link has expired',
        sentence: 'To keep your account safe, the link in a verification email works for CODEGEN-LIFETIME.',
        hint: 'Ask for a new email where you signed up, and open its link soon.',
      },
      unknown: {
        title: 'We could not find this account',
        sentence: 'The account may have been removed, or its email address has changed.',
        hint: 'If you have just changed your address, look for a newer email there.',
      },
      unavailable: {
        title: 'Please try again in a moment',
        sentence: 'We could not verify your account just now. Your link is still good.',
        hint: again,
      },
      failed: {
        title: 'Something went wrong',
        sentence: 'We could not verify your account. This is our fault, not yours.',
        hint: 'Try the link in your email again later. If it still fails, ask for help where you signed up.',
      },
    },
    recovery,
    invitation,
    change: {
      lifetime,
      ask: {
        title: 'Verify your new email address',
        sentence: 'Press the button to use CODEGEN-ADDRESS for your account from now on.',
        hint: 'If you did not ask for this, close this page, and nothing happens.',
        button: 'Verify email address',
      },
      done: {
        title: 'Your email address has been changed',
        sentence: 'Use your new address for your account from now on. You can close this page now.',
      },
      taken: {
        title: 'This address is already in use',
        sentence: 'Another account uses this email address, so yours keeps its former one.',
        hint: 'Choose another address where you have your account.',
      },
      invalid: gone,
      expired: {
        title: 'This link has expired',
        sentence: 'To keep your account safe, the link for a new address works for CODEGEN-LIFETIME.',
        hint: 'Change the address again where you have your account, and open the link soon.',
      },
      unknown: gone,
      unavailable: {
        title: 'Please try again in a moment',
        sentence: 'We could not change your address just now. Your link is still good.',
        hint: again,
      },
      failed: {
        title: 'Something went wrong',
        sentence: 'We could not change your address. This is our fault, not yours.',
        hint: help,
      },
    },
    cancellation: {
      lifetime,
      ask: {
        title: 'Keep your email address',
        sentence: 'Press the button to cancel the change. Your account then keeps CODEGEN-ADDRESS.',
        hint: 'If you requested the change yourself, close this page.',
        button: 'Cancel the change',
      },
      done: {
        title: 'The change has been cancelled',
        sentence: 'Your account keeps its email address.',
        hint: 'Choose a new password where you have your account, because someone else may know yours.',
      },
      invalid: changeOver,
      expired: changeOver,
      unknown: changeOver,
      unavailable: {
        title: 'Please try again in a moment',
        sentence: 'We could not cancel the change just now. Your link is still good.',
        hint: again,
      },
      failed: {
        title: 'Something went wrong',
        sentence: 'We could not cancel the change. This is our fault, not yours.',
        hint: help,
      },
    },
  },
};
