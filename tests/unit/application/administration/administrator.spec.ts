import { expect } from 'chai';
import { administrator } from '../../../../application/administration/administrator.ts';
import type { Commands } from '../../../../application/bus.ts';
import { janeKey, openService, withJane } from '../wired-service.ts';

/** The messages of a catalogue that compile without a password and without the right of an administrator. */
type WithoutRight = Omit<Commands['RemoveUser']['message'], 'by'>;

describe('the right of administrators', () => {
  it('is needed for a message without a password', async () => {
    const service = await openService();
    await withJane(service);
    const withoutRight: WithoutRight = { type: 'RemoveUser', key: janeKey };
    // @ts-expect-error Nothing else has the type of the right.
    const forged: Commands['RemoveUser']['message'] = { ...withoutRight, by: Symbol('administrator') };
    // @ts-expect-error The right is missing.
    const missing: Commands['RemoveUser']['message'] = withoutRight;
    expect([forged.type, missing.type]).to.deep.equal(['RemoveUser', 'RemoveUser']);
    const removed = await service.commands.dispatch({ type: 'RemoveUser', by: administrator, key: janeKey });
    expect(removed).to.have.property('_tag', 'Right');
  });
});

describe('the messages of administrators in metrics', () => {
  it('have the names of those with which users do the same', async () => {
    const names: string[] = [];
    const service = await openService({
      interceptor: (operation, next) => {
        names.push(operation);
        return next();
      },
    });
    await withJane(service);
    const about = { by: administrator, key: janeKey } as const;
    await service.queries.dispatch({ type: 'InspectUser', ...about });
    await service.commands.dispatch({ type: 'ForceReset', ...about });
    await service.commands.dispatch({ type: 'EnableUser', ...about });
    await service.commands.dispatch({ type: 'RemoveUser', ...about });
    expect(names).to.deep.equal(['GetUser', 'ResetVerification', 'EnableUser', 'DeleteUser']);
  });
});
