import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { CommandBus } from '../../../../application/bus.ts';
import { detailsAboutInvitations } from '../../api/problems.ts';
import type { AdministeredOptions } from './administered-user.ts';
import { passwordBody } from './form-bodies.ts';
import { actionsFor, changeRefusals } from './user-action.ts';

/** What administrators do with the password of a user, by the last parts of the paths of the pages. */
export const passwordActions = (commands: CommandBus, options: AdministeredOptions) => {
  const { action, actionWithBody } = actionsFor(options);
  return {
    'require-password-change': action({
      method: 'post',
      path: '/require-password-change',
      operation: 'requirePasswordChange',
      requires: 'password',
      summary: 'Require a new password',
      description: 'Refuses every request with the password of the user except for an update that sets another one.',
      refusals: changeRefusals,
      perform: (target, _, startedMs) => commands.dispatch({ type: 'RequirePasswordChange', by, ...target }, startedMs),
      page: {
        label: 'Require new password',
        title: 'Require a new password?',
        sentence: 'The user can sign in only to set another password than the current one.',
        done: 'The user has to set a new password.',
      },
    }),
    'withdraw-password-change': action({
      method: 'post',
      path: '/withdraw-password-change',
      operation: 'withdrawPasswordChange',
      requires: 'password',
      summary: 'Require no new password any more',
      description: 'Lets a user who had to set a new password keep the current one.',
      refusals: changeRefusals,
      perform: (target, _, startedMs) =>
        commands.dispatch({ type: 'WithdrawPasswordChange', by, ...target }, startedMs),
      page: {
        label: 'Cancel requirement',
        title: 'Cancel the requirement of a new password?',
        sentence: 'The user can go on with the current password.',
        done: 'The user need not set a new password any more.',
      },
    }),
    'set-password': actionWithBody(passwordBody, {
      method: 'put',
      path: '/password',
      operation: 'setPassword',
      requires: 'password',
      summary: 'Set a password',
      description: 'Gives a user another password. A change that was required stays required.',
      refusals: ['weak_password', 'unsuitable_password', 'user_too_large', ...changeRefusals],
      perform: (target, { password }, startedMs) =>
        commands.dispatch({ type: 'SetPassword', by, ...target, password }, startedMs),
      page: {
        label: 'Set password',
        title: 'Set a password',
        sentence: 'It replaces the current one. Requiring a new password as well makes the user change it.',
        isDangerous: true,
        done: 'The password was set.',
      },
    }),
    'clear-password': action({
      method: 'delete',
      path: '/password',
      operation: 'clearPassword',
      requires: 'password',
      mayOverload: true,
      summary: 'Clear a password',
      description: 'Removes the password of a user: every password is wrong until a new one is set.',
      refusals: ['user_too_large', ...changeRefusals],
      perform: (target, _, startedMs) => commands.dispatch({ type: 'ClearPassword', by, ...target }, startedMs),
      page: {
        label: 'Clear password',
        title: 'Clear the password?',
        sentence: 'Every password is wrong until a new one is set.',
        isDangerous: true,
        done: 'The password was cleared.',
      },
    }),
    unblock: action({
      method: 'post',
      path: '/unblock',
      operation: 'unblockUser',
      requires: 'password',
      summary: 'Unblock a user',
      description:
        'Resets the counts of wrong passwords, tokens and codes of a user, which ends every block. Client addresses stay blocked.',
      isConditional: false,
      refusals: ['user_not_found'],
      perform: ({ key }) => commands.dispatch({ type: 'UnblockUser', by, key }),
      page: {
        label: 'Forget wrong passwords',
        title: 'Forget the wrong passwords?',
        sentence:
          'The wrong passwords, links and codes that were counted for the user are forgotten, which ends a block. Blocked client addresses stay blocked.',
        done: 'The wrong passwords were forgotten.',
      },
    }),
    invite: action({
      method: 'post',
      path: '/invite',
      operation: 'inviteUser',
      requires: 'mail',
      summary: 'Invite a user again',
      description:
        'Mails a user who has not chosen a password yet another link to do so. The link of the former mail ends.',
      response: 'The user, who gets a mail.',
      details: detailsAboutInvitations,
      refusals: ['user_disabled', 'not_invited', 'resend_too_soon', ...changeRefusals],
      perform: (target, _, startedMs) => commands.dispatch({ type: 'InviteUser', by, ...target }, startedMs),
      page: {
        label: 'Invite again',
        title: 'Invite this user again?',
        sentence: 'The user gets a mail with a new link. The link of the former mail no longer works.',
        done: 'The invitation was requested.',
      },
    }),
    recover: action({
      method: 'post',
      path: '/recovery',
      operation: 'startRecovery',
      requires: 'mail',
      summary: 'Mail a user a link for a new password',
      description:
        'Does the same as `POST /recovery`. No mail is sent to a disabled user, or within `recovery.resendInterval` after another one.',
      response: 'The user, who gets a mail.',
      isConditional: false,
      refusals: ['user_not_found'],
      perform: ({ key }) => commands.dispatch({ type: 'StartRecovery', by, key }),
      page: {
        label: 'Mail a link for a new password',
        title: 'Mail a link for a new password?',
        sentence: 'The user gets a mail, unless one was sent a short time ago or the user is disabled.',
        button: 'Mail link',
        done: 'The mail was requested.',
      },
    }),
  };
};
