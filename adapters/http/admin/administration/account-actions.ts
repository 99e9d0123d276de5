import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { CommandBus } from '../../../../application/bus.ts';
import { propertyOf } from '../../../../domain/user.ts';
import { noProperties } from '../../../kit/user-json/user-writer.ts';
import type { AdministeredOptions } from './administered-user.ts';
import { disablementBody } from './form-bodies.ts';
import { propertiesBody } from './properties-body.ts';
import { actionsFor, changeRefusals } from './user-action.ts';

/** What administrators do with an account, by the last parts of the paths of the pages. */
export const accountActions = (commands: CommandBus, options: AdministeredOptions) => {
  const { action, actionWithBody } = actionsFor(options);
  return {
    delete: action({
      method: 'delete',
      path: '',
      operation: 'removeUser',
      requires: 'delete',
      summary: 'Delete a user without its password',
      description: 'Removes a user and returns what was removed.',
      response: 'The user that was removed.',
      isFinal: true,
      refusals: changeRefusals,
      perform: (target, _, startedMs) => commands.dispatch({ type: 'RemoveUser', by, ...target }, startedMs),
      page: {
        label: 'Delete user',
        title: 'Delete this user?',
        sentence: 'The account and its custom properties are removed for good.',
        isDangerous: true,
        done: 'The user was deleted.',
      },
    }),
    properties: actionWithBody(propertiesBody(options), {
      method: 'patch',
      path: '',
      operation: 'editProperties',
      requires: 'edit',
      summary: 'Edit custom properties',
      description: 'Applies a JSON merge patch to the custom properties of the newest version of the user.',
      refusals: ['invalid_properties', 'user_too_large', 'property_taken', 'id_immutable', ...changeRefusals],
      perform: (target, changeProperties, startedMs, reads) => {
        const hasId = propertyOf({ properties: changeProperties(noProperties) }, 'id') !== undefined;
        const change = { changeProperties, hasId, writesUnchanged: !reads };
        return commands.dispatch({ type: 'EditProperties', by, ...target, ...change }, startedMs);
      },
      page: {
        label: 'Edit custom properties',
        title: 'Edit custom properties',
        sentence: 'They are replaced as a whole. Numbers and the order of names stay as they are written.',
        button: 'Save properties',
        done: 'The custom properties were saved.',
      },
    }),
    disable: actionWithBody(disablementBody(options.clock), {
      method: 'post',
      path: '/disable',
      operation: 'disableUser',
      requires: 'state',
      summary: 'Disable a user',
      description: 'Refuses every request with the password of the user, for good or until a time.',
      refusals: changeRefusals,
      perform: (target, { reason, until }, startedMs) =>
        commands.dispatch({ type: 'DisableUser', by, ...target, reason, until }, startedMs),
      page: {
        label: 'Disable user',
        title: 'Disable this user?',
        sentence: 'Every request with the password of the user is refused, and verification links do not work.',
        isDangerous: true,
        done: 'The user was disabled.',
      },
    }),
    enable: action({
      method: 'post',
      path: '/enable',
      operation: 'enableUser',
      requires: 'state',
      summary: 'Enable a user',
      description: 'Lets a disabled user log in again.',
      refusals: changeRefusals,
      perform: (target, _, startedMs) => commands.dispatch({ type: 'EnableUser', by, ...target }, startedMs),
      page: {
        label: 'Enable user',
        title: 'Enable this user?',
        sentence: 'The user can sign in again with the same password.',
        done: 'The user was enabled.',
      },
    }),
  };
};
