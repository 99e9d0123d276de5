import { addressPlaceholder } from '../../application/outgoing/mail-templates.ts';
import { defaultSubject } from './mail-layout.ts';
import { type LanguageFrame, noticeWords, type WordsFor } from './mail-words.ts';

export const frame: LanguageFrame = {
  tag: 'en',
  otherwise: 'If the button does not work, open this link:',
};

/** The words of each mail about an account, which is one of the product if that has a name. */
export const wordsFor: WordsFor = (product, lifetime) => {
  const at = product === null ? '' : ` at ${product}`;
  const works = lifetime === null ? '' : `The link works for ${lifetime}. `;
  const once = `works once and for ${lifetime ?? 'a limited time'}`;
  const ifYou = 'If that was you, you need not do anything. If it was not you';
  const orContact = 'If you cannot do that where you sign in, contact us.';
  const account = `Your account: ${addressPlaceholder}`;
  return {
    verification: {
      subject: defaultSubject,
      title: 'Verify your email address',
      preview: `One click verifies this address for your account${at}.`,
      textLead: `An account${at} was created with this email address. If that was you, open this link to verify it:`,
      htmlLead: `An account${at} was created with this email address. If that was you, verify it with the button below.`,
      button: 'Verify email address',
      note: `${works}If it was not you, ignore this email and do not open the link: the address stays unverified.`,
    },
    verificationCode: {
      subject: 'Your code to verify your email address',
      title: 'Verify your email address',
      preview: `With this code you verify this address for your account${at}.`,
      textLead: `An account${at} was created with this email address. If that was you, enter this code to verify it:`,
      button: null,
      note: `The code works for ${lifetime ?? 'a limited time'}. Do not share it. If it was not you, ignore this email: the address stays unverified.`,
    },
    recovery: {
      subject: 'Choose a new password',
      preview: `With this link you choose a new password for your account${at}.`,
      textLead: `We received a request to set a new password for your account${at}. If that was you, open this link to choose one:`,
      htmlLead: `We received a request to set a new password for your account${at}. If that was you, choose one with the button below.`,
      button: 'Choose a new password',
      note: `The link ${once}. If it was not you, ignore this email and do not open the link: your password stays as it is. Your account: ${addressPlaceholder}`,
    },
    recoveryCode: {
      subject: 'Your code for a new password',
      title: 'Choose a new password',
      preview: `With this code you choose a new password for your account${at}.`,
      textLead: `We received a request to set a new password for your account${at}. If that was you, enter this code:`,
      button: null,
      note: `The code ${once}. Do not share it. If it was not you, ignore this email: your password stays as it is. Your account: ${addressPlaceholder}`,
    },
    invitation: {
      subject: `Your new account${at}`,
      preview: 'With this link you choose the password of your account.',
      textLead: `An account${at} was created for you. Open this link to choose a password:`,
      htmlLead: `An account${at} was created for you. Choose a password with the button below.`,
      button: 'Choose a password',
      note: `The link ${once}, and verifies this address. If you do not expect an account, ignore this email and do not open the link. Your account: ${addressPlaceholder}`,
    },
    change: {
      subject: 'Verify your new email address',
      preview: `Your account${at} gets this address as soon as you verify it.`,
      textLead: `The owner of an account${at} wants to use this email address for it. If that was you, open this link to verify the address:`,
      htmlLead: `The owner of an account${at} wants to use this email address for it. If that was you, verify the address with the button below.`,
      button: 'Verify email address',
      note: `${works}If it was not you, ignore this email and do not open the link: nothing changes.`,
    },
    changeNotice: {
      subject: 'Your email address is about to change',
      preview: 'You can cancel the change if you did not request it.',
      textLead: `We received a request to change the email address of your account${at}. If it was not you, open this link to cancel the change:`,
      htmlLead: `We received a request to change the email address of your account${at}. If it was not you, cancel the change with the button below.`,
      button: 'Cancel the change',
      note: `Then choose a new password, because someone else may know yours. ${works}If it was you, you need not do anything here: the address changes once you verify the new one with the link in the email to it. The new address: ${addressPlaceholder}`,
    },
    passwordNotice: noticeWords(
      'Your password was changed',
      `The password of your account${at} was changed. ${ifYou}, choose a new password at once.`,
      `${orContact} ${account}`,
      'Choose a new password',
    ),
    recoveryNotice: noticeWords(
      'Your forgotten password was replaced',
      `The password of your account${at} was replaced with the link or code in an email to you. ${ifYou}, someone else can read your email: secure your mailbox, and then choose a new password.`,
      `${orContact} ${account}`,
      'Choose a new password',
    ),
    addressNotice: noticeWords(
      'Your email address was changed',
      `Your account${at} has another email address now. ${ifYou}, contact us at once.`,
      `The former address: ${addressPlaceholder}`,
    ),
    disabledNotice: noticeWords(
      'Your account was disabled',
      `Your account${at} was disabled, so that you cannot use it. If you do not know why, contact us.`,
      account,
    ),
    enabledNotice: noticeWords(
      'Your account was enabled',
      `Your account${at} is no longer disabled, so that you can use it again. If you cannot, contact us.`,
      account,
    ),
    deletedNotice: noticeWords(
      'Your account was deleted',
      `Your account${at} was deleted. ${ifYou}, contact us at once.`,
      account,
    ),
    accountExists: {
      subject: 'You have an account already',
      preview: `Sign in, or choose a new password, instead of creating another account${at}.`,
      textLead: `Somebody wanted to create an account${at} with your email address, which has one already. If that was you, sign in, or choose a new password:`,
      htmlLead: `Somebody wanted to create an account${at} with your email address, which has one already. If that was you, sign in, or choose a new password.`,
      button: 'Sign in',
      note: `If it was not you, ignore this email: your account stays as it is, and nobody else learns that it exists. Your account: ${addressPlaceholder}`,
    },
  };
};
