import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { adapterFactory, defineAdapter } from '../../../../adapters/kit/definition.ts';
import { block, optional, problemsOf, required, withDefault } from '../../../../adapters/kit/option-block.ts';
import { refine, text } from '../../../../adapters/kit/option-codecs.ts';
import { decodeAdapterBlock } from '../../../../bootstrap/configuration/adapter-block.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const service = block({ type: required(text, 'Which adapter.'), note: withDefault(text, 'none', 'A note.') });

const credentials = block({ user: optional(text, 'The user.'), password: optional(text, 'Its password.') });

const factory = adapterFactory(
  defineAdapter({
    type: 'pair',
    // A condition over several options, so that the codec is no plain block.
    configuration: refine(
      credentials,
      ({ user, password }) => (user === null) === (password === null),
      'both or neither',
    ),
    open: async ({ user }) => `opened for ${user}`,
  }),
);

const problemsWith = (given: unknown): readonly string[] => {
  const decoded = decodeAdapterBlock(service, factory, given, []);
  return isRight(decoded) ? [] : problemsOf(decoded.left).map(({ path, message }) => `${path}: ${message}`);
};

describe('a block with options of the service and of an adapter', () => {
  it('decodes the options of the service, and opens the adapter with the others', async () => {
    const decoded = decodeAdapterBlock(service, factory, { type: 'pair', note: 'x', user: 'u', password: 'p' }, []);

    expect(isRight(decoded) && decoded.right).to.include({ type: 'pair', note: 'x' });
    expect(isRight(decoded) && (await decoded.right.open(silentContext))).to.equal('opened for u');
  });

  it('reports the problems of an adapter whose codec is not a block', () => {
    expect(problemsWith({ type: 'pair', user: 'u' })).to.eql([': both or neither']);
    expect(problemsWith({ type: 'pair', note: 5, usr: 'u' })).to.eql([
      'note: expected text (in quotes if it looks like a number)',
      'usr: unknown key; did you mean user?',
    ]);
  });

  it('reports the contradictions of the service and of the adapter together', () => {
    const contradicting = (path: string) => () => [{ path, message: 'contradicts' }];
    const configuration = block({ user: optional(text, 'The user.') }, contradicting('user'));
    const ownFactory = adapterFactory(defineAdapter({ type: 'own', configuration, open: async () => 'opened' }));
    const ownService = block({ note: withDefault(text, 'none', 'A note.') }, contradicting('note'));
    const decoded = decodeAdapterBlock(ownService, ownFactory, {}, []);
    expect(isRight(decoded) ? [] : problemsOf(decoded.left).map(({ path }) => path)).to.eql(['note', 'user']);
  });
});
