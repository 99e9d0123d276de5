import { expect } from 'chai';
import * as fc from 'fast-check';
import { typoCandidates } from '../../../domain/password-typos.ts';
import { codePoint, texts } from '../../../sdk/contract/arbitraries.ts';

const capsLock = (text: string) =>
  [...text].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('');

describe('typos', () => {
  for (const [mistake, supplied, meant] of [
    ['a character in front', 'xSecret1', 'Secret1'],
    ['a character behind', 'Secret1x', 'Secret1'],
    ['a space behind', 'Secret1 ', 'Secret1'],
    ['an emoji in front', '🔑Secret1', 'Secret1'],
    ['an emoji behind', 'Secret1🔑', 'Secret1'],
    ['a first letter wrongly capitalized', 'Secret1', 'secret1'],
    ['a first letter wrongly not capitalized', 'secret1', 'Secret1'],
    ['a first letter beyond ASCII in the wrong case', 'élan', 'Élan'],
    ['a first letter beyond the basic plane in the wrong case', '𐐨bc', '𐐀bc'],
    ['caps lock', 'sECRET1', 'Secret1'],
    ['caps lock, all letters', 'SECRET', 'secret'],
    ['caps lock beyond ASCII', 'пАРОЛЬ', 'Пароль'],
    ['caps lock with a letter that has no capital', 'STRAßE', 'straße'],
  ] as const) {
    it(`${mistake}: ${supplied} may mean ${meant}`, () => expect(typoCandidates(supplied)).to.include(meant));
  }

  for (const [kind, supplied, other] of [
    ['two characters in front', 'xxSecret', 'Secret'],
    ['a character in the middle', 'Secxret', 'Secret'],
    ['a missing character', 'ecret', 'Secret'],
    ['another letter in the wrong case', 'seCret', 'secret'],
    ['two mistakes', 'xsecret', 'Secret'],
    ['a character at each end', 'xSecretx', 'Secret'],
  ] as const) {
    it(`not ${kind}: ${supplied} does not mean ${other}`, () => expect(typoCandidates(supplied)).to.not.include(other));
  }

  it('give at most four distinct candidates, never the password itself or the empty one', () =>
    fc.assert(
      fc.property(texts, (supplied) => {
        const candidates = typoCandidates(supplied);
        expect(candidates).to.have.length.at.most(4);
        expect(new Set(candidates)).to.have.property('size', candidates.length);
        expect(candidates).to.not.include(supplied);
        expect(candidates).to.not.include('');
      }),
    ));

  it('never splits a character', () =>
    fc.assert(
      fc.property(texts, (supplied) => {
        for (const candidate of typoCandidates(supplied)) expect(candidate.isWellFormed()).to.equal(true);
      }),
    ));

  it('correct every typo of any password', () =>
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9!?]{1,20}$/),
        fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }),
        (meant, slip) => {
          const first = capsLock(meant.slice(0, 1)) + meant.slice(1);
          for (const supplied of [slip + meant, meant + slip, first, capsLock(meant)]) {
            expect([supplied, ...typoCandidates(supplied)]).to.include(meant);
          }
        },
      ),
    ));

  it('give no candidate for a text that is longer than a header, because it was not typed', () => {
    expect(typoCandidates('ab'.repeat(8 * 1024))).to.have.lengthOf(4);
    expect(typoCandidates(`${'ab'.repeat(8 * 1024)}a`)).to.deep.equal([]);
  });

  it('give no candidate for the empty password or a character without case', () => {
    expect(typoCandidates('')).to.deep.equal([]);
    expect(typoCandidates('7')).to.deep.equal([]);
    expect(typoCandidates('a')).to.deep.equal(['A']);
  });
});
