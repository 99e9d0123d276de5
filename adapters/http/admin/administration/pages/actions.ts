import type { User } from '../../../../../domain/user.ts';
import { type Html, nothing } from '../../../pages/html.ts';
import {
  disable,
  disableFields,
  editProperties,
  type FieldReader,
  type Perform,
  passwordFields,
  propertyFields,
  setPassword,
} from './action-forms.ts';

/** A change that an administrator can make on a page, after a confirmation. */
export interface Action {
  /** The equivalent operation of the API. */
  readonly operation: string;
  /** The text of the link on the page of the user. */
  readonly label: string;
  readonly title: string;
  readonly sentence: string;
  readonly button: string;
  readonly kind: 'action' | 'danger';
  /** The message after success. */
  readonly done: string;
  /** The fields of the form; `entered` returns the values of a refused submission. */
  readonly fields?: (user: User, entered: FieldReader) => Html;
  readonly perform: Perform;
}

const definitions = {
  properties: {
    operation: 'editProperties',
    label: 'Edit the custom properties',
    title: 'Edit the custom properties',
    sentence: 'They are replaced as a whole. Numbers and the order of names stay as they are written.',
    button: 'Save',
    kind: 'action',
    done: 'The custom properties were saved.',
    fields: propertyFields,
    perform: editProperties,
  },
  unblock: {
    operation: 'unblockUser',
    label: 'Unblock',
    title: 'Unblock this user?',
    sentence:
      'The wrong passwords, links and codes that were counted for the user are forgotten. Blocked client addresses stay blocked.',
    button: 'Unblock',
    kind: 'action',
    done: 'The user was unblocked.',
    perform: (bus, { key }) => bus.dispatch({ type: 'UnblockUser', key }),
  },
  enable: {
    operation: 'enableUser',
    label: 'Enable',
    title: 'Enable this user?',
    sentence: 'The user can log in again with the same password.',
    button: 'Enable',
    kind: 'action',
    done: 'The user was enabled.',
    perform: (bus, { key }) => bus.dispatch({ type: 'EnableUser', key, supplied: undefined }),
  },
  disable: {
    operation: 'disableUser',
    label: 'Disable',
    title: 'Disable this user?',
    sentence: 'Every request with the password of the user is refused, and verification links do not work.',
    button: 'Disable',
    kind: 'danger',
    done: 'The user was disabled.',
    fields: disableFields,
    perform: disable,
  },
  'require-password-change': {
    operation: 'requirePasswordChange',
    label: 'Require a new password',
    title: 'Require a new password?',
    sentence: 'The user can log in only to set another password than the current one.',
    button: 'Require it',
    kind: 'action',
    done: 'The user has to set a new password.',
    perform: (bus, { key }) => bus.dispatch({ type: 'RequirePasswordChange', key, supplied: undefined }),
  },
  'withdraw-password-change': {
    operation: 'withdrawPasswordChange',
    label: 'Require no new password',
    title: 'Require no new password?',
    sentence: 'The user can go on with the current password.',
    button: 'Withdraw it',
    kind: 'action',
    done: 'The user need not set a new password any more.',
    perform: (bus, { key }) => bus.dispatch({ type: 'WithdrawPasswordChange', key, supplied: undefined }),
  },
  'set-password': {
    operation: 'setPassword',
    label: 'Set a password',
    title: 'Set a password',
    sentence: 'It replaces the current one. Requiring a new password as well makes the user change it.',
    button: 'Set it',
    kind: 'danger',
    done: 'The password was set.',
    fields: passwordFields,
    perform: setPassword,
  },
  'clear-password': {
    operation: 'clearPassword',
    label: 'Clear the password',
    title: 'Clear the password?',
    sentence: 'Every password is wrong until a new one is set here.',
    button: 'Clear it',
    kind: 'danger',
    done: 'The password was cleared.',
    perform: (bus, { key }) => bus.dispatch({ type: 'ClearPassword', key, supplied: undefined }),
  },
  recover: {
    operation: 'startRecovery',
    label: 'Mail a link for a new password',
    title: 'Mail a link for a new password?',
    sentence: 'The user gets a mail, unless one was sent a short time ago or the user is disabled.',
    button: 'Send it',
    kind: 'action',
    done: 'The mail was requested.',
    perform: (bus, { key }) => bus.dispatch({ type: 'StartRecovery', key }),
  },
  reset: {
    operation: 'forceReset',
    label: 'Reset verification',
    title: 'Reset verification?',
    sentence: 'The address counts as not verified, and a link that was sent no longer works.',
    button: 'Reset verification',
    kind: 'action',
    done: 'The verification was reset.',
    perform: (bus, { key }) => bus.dispatch({ type: 'ResetVerification', key, supplied: undefined }),
  },
  delete: {
    operation: 'removeUser',
    label: 'Delete this user',
    title: 'Delete this user?',
    sentence: 'The account and its custom properties are removed for good.',
    button: 'Delete',
    kind: 'danger',
    done: 'The user was deleted.',
    perform: (bus, { key }) => bus.dispatch({ type: 'DeleteUser', key, supplied: undefined }),
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof definitions;

/** The actions by the last part of their path. */
export const actions: Readonly<Record<ActionName, Action>> = definitions;

export const isActionName = (name: string): name is ActionName => Object.hasOwn(actions, name);

/** The actions of a service; `recovers` is whether it mails users a link or code for a new password. */
export const availableActions = (recovers: boolean): readonly ActionName[] =>
  Object.keys(actions)
    .filter(isActionName)
    .filter((name) => recovers || name !== 'recover');

/** The fields of the form of an action. */
export const fieldsOf = ({ fields }: Action, user: User, entered: FieldReader): Html =>
  fields === undefined ? nothing : fields(user, entered);
