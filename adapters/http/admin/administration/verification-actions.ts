import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { CommandBus } from '../../../../application/bus.ts';
import { verificationTag } from '../../api/verification/verification-routes.ts';
import type { AdministeredOptions } from './administered-user.ts';
import { addressBody } from './form-bodies.ts';
import { actionsFor, changeRefusals } from './user-action.ts';

/** What administrators do about the address of a user, by the last parts of the paths of the pages. */
export const verificationActions = (commands: CommandBus, options: AdministeredOptions) => {
  const { action, actionWithBody } = actionsFor(options);
  const { linkBaseUrl } = options;
  const common = { tag: verificationTag, method: 'post' } as const;
  return {
    'send-verification': action({
      ...common,
      path: '/send-verification',
      operation: 'mailVerification',
      requires: 'mail',
      summary: 'Mail a user a verification link',
      description:
        'Does the same as `POST /verify`: the address counts as not verified until the link is opened. Refused for a disabled user, whose links do not work.',
      response: 'The user, who gets a mail.',
      refusals: ['user_disabled', 'resend_too_soon', ...changeRefusals],
      sendsMail: true,
      perform: (target, _, startedMs) =>
        commands.dispatch({ type: 'MailVerification', by, baseUrl: linkBaseUrl ?? '', ...target }, startedMs),
      page: {
        label: 'Send verification mail',
        title: 'Send a verification mail?',
        sentence: 'The user gets a mail with a new link or code. Those of earlier mails no longer work.',
        done: 'The verification mail was requested.',
      },
    }),
    'mark-verified': action({
      ...common,
      path: '/mark-verified',
      operation: 'markVerified',
      requires: 'state',
      summary: 'Mark an address as verified',
      description: 'Marks the address of a user as verified without a link.',
      refusals: changeRefusals,
      perform: (target, _, startedMs) => commands.dispatch({ type: 'MarkVerified', by, ...target }, startedMs),
      page: {
        label: 'Mark as verified',
        title: 'Mark the address as verified?',
        sentence: 'Do so only if you know that the address belongs to the user.',
        done: 'The address was marked as verified.',
      },
    }),
    reset: action({
      ...common,
      path: '/reset',
      operation: 'forceReset',
      requires: 'state',
      summary: 'Reset a verification without the password',
      description: 'Marks the address of a user as not verified, with no token outstanding.',
      response: 'The user after the reset.',
      refusals: changeRefusals,
      perform: (target, _, startedMs) => commands.dispatch({ type: 'ForceReset', by, ...target }, startedMs),
      page: {
        label: 'Reset verification',
        title: 'Reset verification?',
        sentence: 'The address counts as not verified, and a link or code that was sent no longer works.',
        done: 'The verification was reset.',
      },
    }),
    'change-address': actionWithBody(addressBody, {
      method: 'put',
      path: '/address',
      operation: 'changeAddress',
      // Whoever sets the address can have a link for a new password mailed to it.
      requires: 'password',
      summary: 'Change an address',
      description:
        'Gives a user another address, which is not verified. The id, the password and everything else stay; links that were mailed to the former address end.',
      refusals: ['unsuitable_address', 'address_taken', 'user_too_large', ...changeRefusals],
      perform: (target, { address }, startedMs) =>
        commands.dispatch({ type: 'ChangeAddress', by, ...target, address }, startedMs),
      page: {
        label: 'Change address',
        title: 'Change the address',
        sentence: 'The new address counts as not verified. The password stays.',
        isDangerous: true,
        done: 'The address was changed.',
      },
    }),
    'cancel-address-change': action({
      ...common,
      path: '/cancel-address-change',
      operation: 'cancelAddressChange',
      requires: 'state',
      summary: 'Cancel a change of address',
      description: 'Ends a change of address that waits for its confirmation; the user keeps the present address.',
      refusals: changeRefusals,
      perform: (target, _, startedMs) => commands.dispatch({ type: 'CancelMove', by, ...target }, startedMs),
      page: {
        label: 'Cancel address change',
        title: 'Cancel the change of address?',
        sentence: 'The user keeps the present address, and the links about the new one no longer work.',
        done: 'The change of address was cancelled.',
      },
    }),
  };
};
