import { expect } from 'chai';
import { usernameOf } from '../../../domain/precis-username.ts';

describe('a user name of UsernameCaseMapped', () => {
  // RFC 8265, section 3.5, table 2.
  const legal: readonly (readonly [written: string, compared: string, about: string])[] = [
    ['juliet@example.com', 'juliet@example.com', 'an address, because the at sign is allowed'],
    ['fussball', 'fussball', 'plain letters'],
    ['fußball', 'fußball', 'a sharp s, which is not folded to ss'],
    ['π', 'π', 'a Greek letter'],
    ['Σ', 'σ', 'a capital sigma'],
    ['σ', 'σ', 'a small sigma'],
    ['ς', 'ς', 'a final sigma, which is another name'],
    // Further ones.
    ['Jane', 'jane', 'capital letters'],
    ['Ｊａｎｅ１', 'jane1', 'fullwidth characters'],
    ['ｶﾀｶﾅ', 'カタカナ', 'halfwidth characters'],
    ['Jose\u0301', 'josé', 'a combining accent'],
    ['Ελένη', 'ελένη', 'a Greek word'],
    ['l·l', 'l·l', 'a middle dot between two l'],
    ['\u0375α', '\u0375α', 'a Greek numeral sign before a Greek letter'],
    ['א׳', 'א׳', 'a geresh after a Hebrew letter'],
    ['カ・タ', 'カ・タ', 'a Katakana middle dot next to Japanese'],
    ['دانا1', 'دانا1', 'an Arabic word with a European digit'],
    ['ابو\u0660', 'ابو\u0660', 'an Arabic word with an Arabic digit'],
    ['שָ', 'שָ', 'a Hebrew letter with a mark at the end'],
    ['a-b_c.d!', 'a-b_c.d!', 'ASCII punctuation'],
    ['〇', '〇', 'the ideographic zero'],
  ];
  for (const [written, compared, about] of legal)
    it(`may have ${about}`, () => {
      expect(usernameOf(written)).to.equal(compared);
      expect(usernameOf(compared)).to.equal(compared);
    });

  const illegal: readonly (readonly [written: string, about: string])[] = [
    ['foo bar', 'a space'],
    ['', 'no characters'],
    ['henryⅣ', 'a Roman numeral, which has a compatibility decomposition'],
    ['♚', 'a chess king'],
    ['ﬁn', 'a ligature'],
    ['a\u200db', 'a joiner'],
    ['a\u00adb', 'a soft hyphen'],
    ['a\tb', 'a control character'],
    ['a\u3000b', 'an ideographic space'],
    ['😀', 'a symbol'],
    ['\u0640', 'an Arabic tatweel'],
    ['ᄀ', 'an old Hangul letter'],
    ['\u{e0001}', 'a tag'],
    ['\u0378', 'an unassigned character'],
    ['\uffff', 'a noncharacter'],
    ['\ue000', 'a character for private use'],
    ['a·l', 'a middle dot elsewhere'],
    ['\u0375a', 'a Greek numeral sign before a Latin letter'],
    ['a׳', 'a geresh after a Latin letter'],
    ['a・b', 'a Katakana middle dot without Japanese'],
    ['ا\u0660\u06f0', 'both kinds of Arabic digits'],
    ['اa', 'letters of both directions'],
    ['aا', 'letters of both directions, Latin first'],
    ['1ا', 'a digit before a letter from right to left'],
    ['ا!', 'punctuation after a letter from right to left'],
    ['ا\u06601', 'Arabic and European digits in one word'],
    ['\u0660', 'an Arabic digit alone'],
  ];
  for (const [written, about] of illegal)
    it(`must not have ${about}`, () => {
      expect(usernameOf(written)).to.equal(undefined);
    });

  it('has a form that keeps all rules and is its own form, whichever characters it is made of', () => {
    for (let code = 0; code <= 0x2ffff; code++) {
      const name = usernameOf(String.fromCodePoint(code));
      if (name !== undefined) expect(usernameOf(name), `U+${code.toString(16)}`).to.equal(name);
    }
  });
});
