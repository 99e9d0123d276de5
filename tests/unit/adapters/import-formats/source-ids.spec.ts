import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { importFormats } from '../../../../adapters/import-formats/index.ts';

/** The id of the user in a line, its custom property `id`, and what is not carried over. */
const readIn = (system: string, record: object) => {
  const read = importFormats[system]?.read(Buffer.from(JSON.stringify(record)), 0);
  if (read === undefined || isLeft(read)) throw new Error(`${system} is not read`);
  const { email, id, localId, user_id } = JSON.parse(read.right.line('a password'));
  return { ids: [email.id, id], others: [localId, user_id], leftOut: read.right.leftOut };
};

describe('the ids of the systems that users come from', () => {
  const email = 'jane@example.com';

  it('are kept as ids of Latchkey, and in the custom properties in which they were before', () => {
    const cases = [
      ['firebase', { localId: 'fb-Jane' }, ['fb-Jane', undefined], ['fb-Jane', undefined]],
      ['auth0', { user_id: 'auth0|507f1f' }, ['auth0:507f1f', undefined], [undefined, 'auth0|507f1f']],
      ['auth0', { user_id: 'oidc|a|b' }, ['oidc:a:b', undefined], [undefined, 'oidc|a|b']],
      ['auth0', { _id: { $oid: '507f1f' } }, ['auth0:507f1f', undefined], [undefined, 'auth0|507f1f']],
      ['supabase', { id: '5f0c-1' }, [undefined, '5f0c-1'], [undefined, undefined]],
      ['keycloak', { id: '5f0c-1' }, [undefined, '5f0c-1'], [undefined, undefined]],
      ['kratos', { id: '5f0c-1', traits: { email } }, [undefined, '5f0c-1'], [undefined, undefined]],
    ] as const;
    for (const [system, record, ids, others] of cases)
      expect(readIn(system, { email, ...(system !== 'kratos' && { email }), ...record }), system).to.deep.include({
        ids,
        others,
      });
  });

  it('are reported if no user of Latchkey can have them', () => {
    expect(readIn('firebase', { email, localId: 'a b' })).to.deep.include({ ids: [undefined, undefined] });
    expect(readIn('firebase', { email, localId: 'a b' }).leftOut).to.include('id');
    expect(readIn('auth0', { email, user_id: 'samlp|x|jane@example.com' }).leftOut).to.include('id');
    expect(readIn('firebase', { email, localId: 'ab' }).leftOut).to.not.include('id');
    expect(readIn('firebase', { email }).leftOut).to.not.include('id');
  });
});
