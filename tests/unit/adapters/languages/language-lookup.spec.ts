import { expect } from 'chai';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { languageLookup, localeChoice } from '../../../../adapters/languages/language-lookup.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';

const lookup = languageLookup(['en', 'de', 'pt-BR', 'zh-Hant'], 'en');

const userWith = (properties: string) => ({
  email: { address: addressOf('jane@example.com'), verification: { verified: false, token: null } },
  password: 'x',
  creationTime: 0,
  lastUpdateTime: 0,
  properties: asProperties(properties),
});

describe('the lookup of a language (RFC 4647, section 3.4)', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], 'en'],
    [['de'], 'de'],
    [['DE-at'], 'de'],
    [['de_AT'], 'de'],
    [['zh-Hant-TW'], 'zh-Hant'],
    // A shorter tag is no match for a longer one: the language could be European Portuguese.
    [['pt'], 'en'],
    [['pt-br'], 'pt-BR'],
    [['fr', 'es-MX', 'de-CH'], 'de'],
    [['en-GB', 'de'], 'en'],
    [['*', 'de'], 'de'],
    [['', '-', 'd', 'not a tag', '\u{0}', 'de'], 'de'],
    [[...Array.from({ length: 20 }, () => 'fr'), 'de'], 'en'],
  ];
  for (const [requested, expected] of cases)
    it(`is ${expected} for ${JSON.stringify(requested.slice(-6))}`, () => expect(lookup(requested)).to.equal(expected));
});

describe('the language of a mail', () => {
  const choose = localeChoice(lookup, 'locale');

  it('is that of the custom property, before those of the request', () => {
    expect(choose(userWith('{"locale":"de-AT"}'), ['en'])).to.equal('de');
  });

  for (const properties of ['{}', '{"locale":"fr"}', '{"locale":7}', '{"locale":null}', '{"locale":""}'])
    it(`is that of the request for ${properties}`, () =>
      expect(choose(userWith(properties), ['pt-BR', 'de'])).to.equal('pt-BR'));

  it('is that of the request at once for a property as long as a user can have', () => {
    const variants = Array.from({ length: 40_000 }, (_, index) => `v${10_000 + index}`);
    const started = performance.now();
    expect(choose(userWith(JSON.stringify({ locale: ['de', ...variants].join('-') })), ['pt-BR'])).to.equal('pt-BR');
    expect(performance.now() - started, 'milliseconds').to.be.lessThan(1_000);
  });

  it('is the default one if nothing matches', () => {
    expect(choose(userWith('{"locale":"fr"}'), ['es'])).to.equal('en');
  });

  it('reads no property if none is configured, and none of the prototype', () => {
    expect(localeChoice(lookup, null)(userWith('{"locale":"de"}'), [])).to.equal('en');
    expect(localeChoice(lookup, 'constructor')(userWith('{}'), ['de'])).to.equal('de');
  });
});
