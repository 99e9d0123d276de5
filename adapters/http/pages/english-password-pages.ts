import type { PageText, RecoveryTexts } from './page-texts.ts';

const newLink =
  'Open the link in the latest email that you received, or ask for a new one where you have your account.';

export const gone: PageText = {
  title: 'This link no longer works',
  sentence: 'It may be incomplete or already used, or a newer email has replaced it.',
  hint: newLink,
};

const blocked: PageText = {
  title: 'Too many attempts',
  sentence: 'For the safety of your account, we accept no more attempts for now.',
  hint: 'Wait a while, then ask for a new email and open its link.',
};

export const help =
  'Try the link in your email again later. If it still fails, ask for help where you have your account.';
export const again = 'Wait a minute, then open the link in your email again.';

export const recovery: RecoveryTexts = {
  lifetime: 'A link works once, and for CODEGEN-LIFETIME.',
  ask: {
    title: 'Choose a new password',
    sentence: 'It replaces the password of your account.',
    hint: 'If you did not ask for this, close this page: your password stays as it is.',
    button: 'Save password',
  },
  address: 'Email address',
  password: 'New password',
  rules: {
    tooShort: 'Use at least CODEGEN-LIMIT characters.',
    tooLong: 'Use at most CODEGEN-LIMIT characters.',
    containsAddress: 'Do not use your email address, or the part before its @.',
    known: 'Do not use a well-known password, or one that you use elsewhere.',
    guessable: 'Choose one that is hard to guess, such as a few unrelated words.',
  },
  weak: 'This password is too easy to guess. Choose a longer one that you use nowhere else.',
  unsuitable: 'This password cannot be used. Choose another one.',
  refused: {
    empty: 'Enter a new password.',
    tooShort: 'Use at least CODEGEN-LIMIT characters.',
    tooLong: 'Use at most CODEGEN-LIMIT characters.',
    tooManyBytes: 'This password is too long. Choose a shorter one.',
    containsAddress: 'Do not use your email address, or the part before its @, in the password.',
    known: 'This password is on a list of known passwords. Choose one that you use nowhere else.',
    guessable: 'This password is too easy to guess. A few unrelated words are better.',
    outerSpaces: 'Remove spaces at the beginning and at the end.',
    controlCharacters: 'Remove line breaks and other characters that are not visible.',
    unchanged: 'This is your current password. Choose another one.',
  },
  done: {
    title: 'Your password has been changed',
    sentence: 'Use the new password from now on. You can close this page now.',
  },
  invalid: gone,
  expired: {
    title: 'This link has expired',
    sentence: 'To keep your account safe, the link for a new password works for CODEGEN-LIFETIME.',
    hint: 'Ask for a new email where you have your account, and open its link soon.',
  },
  unknown: gone,
  blocked,
  unavailable: {
    title: 'Please try again in a moment',
    sentence: 'We could not change your password just now. Your link is still good.',
    hint: again,
  },
  failed: {
    title: 'Something went wrong',
    sentence: 'We could not change your password. This is our fault, not yours.',
    hint: help,
  },
};

/** The pages of an invitation. */
export const invitation: RecoveryTexts = {
  ...recovery,
  ask: {
    title: 'Choose a password',
    sentence: 'With it you use your new account. Your email address is verified at the same time.',
    hint: 'If you do not expect an account, close this page.',
    button: 'Save password',
  },
  password: 'Password',
  done: {
    title: 'Your account is ready',
    sentence: 'Use your new password from now on. You can close this page now.',
  },
  expired: {
    title: 'This link has expired',
    sentence: 'To keep your account safe, the link of an invitation works for CODEGEN-LIFETIME.',
    hint: 'Ask those who invited you for a new email, and open its link soon.',
  },
};
