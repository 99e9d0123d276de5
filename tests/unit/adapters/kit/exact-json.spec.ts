import { expect } from 'chai';
import * as fc from 'fast-check';
import { isLeft } from 'fp-ts/lib/Either.js';
import { changedMembers, type JsonObject, readJsonObject } from '../../../../adapters/kit/exact-json.ts';
import { propertyValues } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';

const isLossy = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const objects = propertyValues.map(
  (values): Readonly<Record<string, unknown>> =>
    JSON.parse(JSON.stringify(values), (_, value) => (isLossy(value) ? 0 : value)),
);

const spaces = fc.infiniteStream(fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 }));

/** The text of a JSON value with insignificant white space everywhere. */
const spread = (value: unknown, space: () => string): string => {
  const pad = (text: string): string => `${space()}${text}${space()}`;
  if (Array.isArray(value)) return pad(`[${space()}${value.map((item) => spread(item, space)).join(',')}]`);
  if (typeof value !== 'object' || value === null) return pad(JSON.stringify(value));
  const members = Object.entries(value).map(([name, item]) => `${pad(JSON.stringify(name))}:${spread(item, space)}`);
  return pad(`{${space()}${members.join(',')}}`);
};

const textOf = ({ members }: JsonObject): string => `{${members.map(({ text }) => text).join(',')}}`;

const nest = (levels: number, open = '[', close = ']'): string =>
  `{"a":${open.repeat(levels - 1)}${close.repeat(levels - 1)}}`;

const tooDeep = 'must not be nested deeper than 32 levels';
const twice = 'must not have two members of the same name in one object';
const proto = 'must not have a member named __proto__';
const lossy = 'must not have integers beyond ±9007199254740991 or numbers that overflow a double';

describe('the text of a JSON object', () => {
  it('is parsed like JSON.parse, with compact members, regardless of white space', () => {
    const property = fc.property(objects, spaces, (values, stream) => {
      const read = rightOf(readJsonObject(spread(values, () => stream.next().value ?? '')));
      expect(read.values).to.deep.equal(values);
      expect(read.members.map(({ name }) => name)).to.have.members(Object.keys(values));
      expect(textOf(read)).to.equal(JSON.stringify(values));
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('keeps the spelling of names, numbers and texts', () => {
    const text = '{"\\u0061":1.10,"b\\/":[1E5,-0,0.0e-0],"c":"\\u0041 \\" \\\\","d":{"e":  "  "}}';
    const read = rightOf(readJsonObject(text));
    expect(textOf(read)).to.equal(text.replace(':  "', ':"'));
    expect(read.members.map(({ name }) => name)).to.deep.equal(['a', 'b/', 'c', 'd']);
  });

  it('is refused exactly if JSON.parse refuses or would change it', () => {
    const characters = fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0041e-+. \n'), maxLength: 24 });
    const property = fc.property(fc.oneof(characters, fc.json()), (text) => {
      const read = readJsonObject(text);
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        expect(isLeft(read)).to.equal(true);
        return;
      }
      if (!isLeft(read)) expect(read.right.values).to.deep.equal(parsed);
      else expect(read.left).to.be.oneOf(['must be a JSON object', twice, proto, lossy, tooDeep]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  for (const text of ['[]', '"a"', '1', 'null', 'true', '[{}]']) {
    it(`must be an object: ${text}`, () => {
      expect(leftOf(readJsonObject(text))).to.equal('must be a JSON object');
    });
  }

  for (const text of [
    '',
    ' ',
    '{',
    '}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a":01}',
    '{"a":NaN}',
    '{} {}',
    '\ufeff{}',
    '{"a":"\n"}',
    '{"a":1/**/}',
    '{"a',
    '{"a":"\\',
  ]) {
    it(`must be JSON: ${JSON.stringify(text)}`, () => {
      expect(leftOf(readJsonObject(text))).to.equal('must be valid JSON');
    });
  }

  const duplicates = {
    'at the top': '{"a":1,"b":2,"a":1}',
    escaped: '{"a":1,"\\u0061":1}',
    'both escaped, differently': '{"\\u00e9":1,"\\u00E9":1}',
    'beyond the basic plane': '{"🔑":1,"\\ud83d\\udd11":1}',
    'inside an object': '{"x":{"a":1,"a":1}}',
    'inside a list': '{"x":[1,{"a":1,"b":{},"a":1}]}',
    'after a nested object': '{"a":{"b":1},"a":1}',
    empty: '{"":1,"":1}',
  };
  for (const [name, text] of Object.entries(duplicates)) {
    it(`must not repeat a name: ${name}`, () => {
      expect(leftOf(readJsonObject(text))).to.equal(twice);
    });
  }

  it('may repeat a name in another object, as a text, or in another case', () => {
    for (const text of ['{"a":{"a":{"a":1}}}', '{"a":[{"a":1},{"a":1}]}', '{"a":"a","b":["a","a"]}', '{"a":1,"A":1}']) {
      expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
    }
  });

  for (const text of [
    '{"__proto__":1}',
    '{"\\u005f_proto__":1}',
    '{"a":{"__proto__":{}}}',
    '{"a":[[{"_\\u005Fproto__":1}]]}',
  ]) {
    it(`must not have a member named __proto__: ${text}`, () => {
      expect(leftOf(readJsonObject(text))).to.equal(proto);
    });
  }

  it('may contain __proto__ as a text, and names of inherited members', () => {
    const text = '{"a":"__proto__","constructor":1,"toString":2,"hasOwnProperty":3}';
    expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
  });

  it('may have 32 levels', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"b":', '}'],
    ] as const) {
      for (const levels of [31, 32]) {
        const text = nest(levels, open, close).replace('{"b":}', '{"b":1}');
        expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
      }
      for (const levels of [33, 200_000]) {
        expect(leftOf(readJsonObject(nest(levels, open, close)))).to.equal(tooDeep);
      }
    }
    expect(leftOf(readJsonObject('['.repeat(200_000)))).to.equal(tooDeep);
    expect(leftOf(readJsonObject('{"":'.repeat(200_000)))).to.equal(tooDeep);
  });

  it('counts levels, not brackets', () => {
    const text = `{"a":[${Array(1_000).fill('[[{}]]').join(',')}],"b":"${'['.repeat(100)}"}`;
    expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
  });

  for (const number of [
    '9007199254740992',
    '-9007199254740992',
    '100000000000000000000',
    '1e309',
    '-1e309',
    '1e99999',
    '1.0e400',
  ]) {
    it(`must not have the lossy number ${number}`, () => {
      for (const text of [`{"a":${number}}`, `{"a":[0,{"b":${number} }]}`]) {
        expect(leftOf(readJsonObject(text))).to.equal(lossy);
      }
    });
  }

  for (const number of [
    '9007199254740991',
    '-9007199254740991',
    '1e308',
    '1.7976931348623157e308',
    '5e-324',
    '1e-400',
    '-0',
    '0.1',
    '1E+2',
    '123456789012345678.5',
  ]) {
    it(`keeps the number ${number}`, () => {
      const text = `{"a":${number},"b":[${number}]}`;
      expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
    });
  }

  it('ignores digits in a text', () => {
    const text = '{"a":"9007199254740992","9007199254740992":"1e309"}';
    expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
  });

  it('is parsed in linear time, also with escapes', () => {
    const text = `{"a":"${'\\"'.repeat(250_000)}${'\\\\'.repeat(250_000)}"}`;
    const started = performance.now();
    expect(textOf(rightOf(readJsonObject(text)))).to.equal(text);
    expect(performance.now() - started).to.be.below(1_000);
  });
});

describe('the changed members of a JSON object', () => {
  it('are those that were added, removed or written differently', () => {
    expect(changedMembers('{}', '{"a":1}')).to.deep.equal(['a']);
    expect(changedMembers('{"a":1,"b":{"c":[1]}}', '{"b":{"c":[1]}}')).to.deep.equal(['a']);
    expect(changedMembers('{"a":1,"b":{"c":[1]}}', '{"a":1,"b":{"c":[2]}}')).to.deep.equal(['b']);
    expect(changedMembers('{"a":1}', '{"a":1.0}')).to.deep.equal(['a']);
    expect(changedMembers('{"a":null}', '{}')).to.deep.equal(['a']);
    expect(changedMembers('{"a \\" b":1}', '{"a \\" b":2}')).to.deep.equal(['a " b']);
    expect(changedMembers('{"constructor":1}', '{}')).to.deep.equal(['constructor']);
  });

  it('are none if only their order differs', () => {
    expect(changedMembers('{"a":1,"b":2}', '{"b":2,"a":1}')).to.deep.equal([]);
    expect(changedMembers('{"a":1}', '{"a":1}')).to.deep.equal([]);
  });

  it('are all of them if the other text can no longer be read', () => {
    expect(changedMembers('{"a":}', '{"b":2}')).to.deep.equal(['b']);
  });
});
