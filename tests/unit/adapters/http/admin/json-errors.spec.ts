import { expect } from 'chai';
import fc from 'fast-check';
import { jsonErrorIn } from '../../../../../adapters/http/admin/administration/json-errors.ts';

describe('the errors of JSON for people', () => {
  for (const [text, error] of [
    ['{}', undefined],
    ['{\n "a": [1, {"b": "]"}],\n "c": null\n}', undefined],
    ['', 'must be valid JSON (line 1)'],
    ['{\n "a": 1,\n}', 'must be valid JSON (line 3)'],
    ['{\n "a": 1\n "b": 2\n}', 'must be valid JSON (line 3)'],
    ['{\n "a": tru,\n "b": 2\n}', 'must be valid JSON (line 2)'],
    ["{\n 'a': 1\n}", 'must be valid JSON (line 2)'],
    ['{\n "a": "open\n}', 'must be valid JSON (line 2)'],
    ['{\n "a": [1, 2\n}', 'must be valid JSON (line 3)'],
    ['{\n "a": 1', 'must be valid JSON (line 2)'],
    ['{"a": 1}\n}', 'must be valid JSON (line 2)'],
    ['{\n "a": 1,\n "b": 2,\n "a": 3\n}', 'must not have two members of the same name in one object (line 4)'],
    [
      '{\n "a": 1,\r\n "b": 12345678901234567890\n}',
      'must not have integers beyond ±9007199254740991 or numbers that overflow a double (line 3)',
    ],
    ['[1]', 'must be a JSON object (line 1)'],
  ] as const)
    it(`name the line: ${JSON.stringify(text)}`, () => {
      expect(jsonErrorIn(text)).to.equal(error);
    });

  it('name a line of the text, for any text', () => {
    const parts = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '1', 'x', '\n', ' ', '\\');
    fc.assert(
      fc.property(fc.array(parts), (tokens) => {
        const text = tokens.join('');
        const line = Number(/\(line (\d+)\)$/.exec(jsonErrorIn(text) ?? '(line 1)')?.[1]);
        expect(line).to.be.within(1, text.split('\n').length);
      }),
    );
  });

  it('are found at the end of what is valid', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value, null, 1);
        fc.pre(jsonErrorIn(text) === undefined);
        expect(jsonErrorIn(`${text}\n}`)).to.equal(`must be valid JSON (line ${text.split('\n').length + 1})`);
      }),
    );
  });
});
