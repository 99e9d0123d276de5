import { expect } from 'chai';
import * as fc from 'fast-check';
import type * as t from 'io-ts';
import * as options from '../../../../adapters/kit/option-codecs.ts';
import {
  block,
  list,
  optional,
  problemsOf,
  required,
  such,
  withDefault,
} from '../../../../adapters/kit/option-codecs.ts';
import { leftOf, rightOf } from '../../../support/outcomes.ts';

const problems = (codec: t.Decoder<unknown, unknown>, value: unknown) => problemsOf(leftOf(codec.decode(value)));
const size = options.wholeNumber(1, 100);

interface Case {
  readonly codec: t.Decoder<unknown, unknown>;
  readonly accepts: readonly (readonly [given: unknown, read: unknown])[];
  readonly refuses: readonly unknown[];
  readonly expected: string;
}

const cases: Readonly<Record<string, Case>> = {
  text: {
    codec: options.text,
    accepts: [
      ['a', 'a'],
      [' ', ' '],
      ['1', '1'],
    ].map(([given, read]) => [given, read] as const),
    refuses: ['', 1, true, null, undefined, ['a'], {}],
    expected: 'expected text (in quotes if it looks like a number)',
  },
  anyText: {
    codec: options.anyText,
    accepts: [
      ['', ''],
      ['a', 'a'],
    ],
    refuses: [1, null, []],
    expected: 'expected text',
  },
  wholeNumber: {
    codec: size,
    accepts: [
      [1, 1],
      [100, 100],
      ['7', 7],
      ['007', 7],
    ],
    refuses: [
      0,
      101,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '0',
      '101',
      '1.5',
      '1e1',
      '0x1',
      ' 1',
      '',
      '-1',
      true,
      [1],
    ],
    expected: 'expected a whole number from 1 to 100',
  },
  quantity: {
    codec: options.quantity(0, 10),
    accepts: [
      [0, 0],
      [0.5, 0.5],
      ['2.5', 2.5],
      ['10', 10],
    ],
    refuses: [-1, 10.1, Number.NaN, '1e1', '.5', '1.', 'ten', '', null],
    expected: 'expected a number from 0 to 10',
  },
  flag: {
    codec: options.flag,
    accepts: [
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
    ],
    refuses: ['yes', 'TRUE', 1, 0, '', null],
    expected: 'expected true or false',
  },
  choice: {
    codec: options.choice(['simple', 'argon2'], { argon: 'argon2' }),
    accepts: [
      ['simple', 'simple'],
      ['argon2', 'argon2'],
      ['argon', 'argon2'],
    ],
    refuses: ['Simple', '', 'constructor', 'toString', 1, null],
    expected: 'expected one of simple, argon2',
  },
  span: {
    codec: options.span,
    accepts: [
      ['1ms', 1],
      ['60s', 60_000],
      ['24h', 86_400_000],
      ['7d', 604_800_000],
      ['1.5 d', 129_600_000],
      ['36500d', 3_153_600_000_000],
    ],
    refuses: ['0d', '36501d', '7', 7, '1w', '-1d', 'd', '', null],
    expected: 'expected a duration such as 60s, 24h or 7d',
  },
  duration: {
    codec: options.duration,
    accepts: [
      ['500ms', 500],
      ['30s', 30_000],
      ['2m', 120_000],
      ['1h', 3_600_000],
      ['0.5s', 500],
      ['30 s', 30_000],
      [' 1s ', 1000],
      ['596h', 2_145_600_000],
    ],
    refuses: ['0s', '0.5ms', '30', 30, '-1s', '1d', 's', '', '1s1s', '1e3s', '597h', '9'.repeat(400).concat('s'), null],
    expected: 'expected a duration such as 500ms, 30s, 2m or 1h',
  },
  list: {
    codec: list(size),
    accepts: [
      [[], []],
      [
        [1, '2'],
        [1, 2],
      ],
    ],
    refuses: ['1', 1, {}, null],
    expected: 'expected a list',
  },
  such: {
    codec: such(options.text, (text) => !text.endsWith('/'), 'expected no slash at the end'),
    accepts: [['a', 'a']],
    refuses: ['a/', '/'],
    expected: 'expected no slash at the end',
  },
};

const shown = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 30);

describe('the codecs of options', () => {
  for (const [name, { codec, accepts, refuses, expected }] of Object.entries(cases)) {
    describe(name, () => {
      for (const [given, read] of accepts) {
        it(`reads ${shown(given)}`, () => expect(rightOf(codec.decode(given))).to.deep.equal(read));
      }
      for (const given of refuses) {
        it(`refuses ${typeof given} ${shown(given)}, and says what it expects`, () => {
          expect(problems(codec, given)).to.deep.equal([{ path: '', message: expected }]);
        });
      }
    });
  }
});

describe('a block of options', () => {
  const server = block({
    host: withDefault(options.text, '0.0.0.0', 'where it listens'),
    port: withDefault(options.wholeNumber(0, 65_535), 8080, 'the port'),
  });
  const database = block({
    type: required(options.choice(['sqlite', 'mongodb']), 'the kind of database'),
    path: optional(options.text, 'the file'),
    keys: withDefault(
      list(block({ application: required(options.text, 'a name'), secret: required(options.text, 'a secret') })),
      [],
      'keys',
    ),
    server: withDefault(server, { host: 'h', port: 1 }, 'a block inside'),
  });

  it('takes defaults for what is absent or null', () => {
    const read = { type: 'sqlite', path: null, keys: [], server: { host: 'h', port: 1 } };
    expect(rightOf(database.decode({ type: 'sqlite' }))).to.deep.equal(read);
    expect(rightOf(database.decode({ type: 'sqlite', path: null, keys: null, server: null }))).to.deep.equal(read);
    expect(rightOf(server.decode({ port: '80' }))).to.deep.equal({ host: '0.0.0.0', port: 80 });
  });

  it('reports every problem at once, each with its path', () => {
    const wrong = {
      path: '',
      keys: [{ application: 'a', secret: 's' }, { application: 3 }, 'key'],
      server: { prot: 80, port: 'eighty', host: null },
    };
    expect(problems(database, wrong)).to.deep.equal([
      { path: 'type', message: 'is required: one of sqlite, mongodb' },
      { path: 'path', message: 'expected text (in quotes if it looks like a number)' },
      { path: 'keys[1].application', message: 'expected text (in quotes if it looks like a number)' },
      { path: 'keys[1].secret', message: 'is required: text (in quotes if it looks like a number)' },
      { path: 'keys[2]', message: 'expected a block of options' },
      { path: 'server.port', message: 'expected a whole number from 0 to 65535' },
      { path: 'server.prot', message: 'unknown key; did you mean port?' },
    ]);
  });

  for (const value of [null, undefined, 'text', 3, true, [], [{}]]) {
    it(`is a mapping, not ${shown(value)}`, () => {
      expect(problems(server, value)).to.deep.equal([{ path: '', message: 'expected a block of options' }]);
    });
  }

  describe('an unknown key', () => {
    for (const [key, meant] of [
      ['Host', 'host'],
      ['hots', 'host'],
      ['prt', 'port'],
      ['ports', 'port'],
    ] as const) {
      it(`${key} is answered with ${meant}`, () =>
        expect(problems(server, { [key]: 1 })).to.deep.equal([
          { path: key, message: `unknown key; did you mean ${meant}?` },
        ]));
    }

    for (const key of ['somethingElse', 'constructor', 'toString', '__proto__']) {
      it(`${key} is answered with the known ones`, () =>
        expect(problems(server, JSON.parse(`{"${key}":1}`))).to.deep.equal([
          { path: key, message: 'unknown key; known here: host, port' },
        ]));
    }
  });

  it('does not take an inherited member for an option', () => {
    const inherited = block({ toString: optional(options.text, 'odd'), valueOf: required(options.text, 'odder') });
    expect(problems(inherited, {}).map(({ path }) => path)).to.deep.equal(['valueOf']);
  });

  it('never repeats what was given', () =>
    fc.assert(
      fc.property(fc.constantFrom('type', 'path', 'keys', 'server'), fc.integer({ min: 1 }), (key, number) => {
        const canary = `canary${number}`;
        const wrong = [
          canary,
          { [key]: canary },
          { [key]: [canary] },
          { [key]: { port: canary } },
          { keys: [{ secret: [canary] }] },
        ];
        for (const value of wrong) {
          const decoded = database.decode(value);
          if (decoded._tag === 'Left') expect(JSON.stringify(problemsOf(decoded.left))).to.not.contain('canary');
        }
      }),
    ));

  it('keeps its options readable, for the documentation', () => {
    expect(
      Object.entries(server.options).map(([name, { codec, meaning, fallback }]) => [
        name,
        codec.name,
        meaning,
        fallback?.value,
      ]),
    ).to.deep.equal([
      ['host', 'text (in quotes if it looks like a number)', 'where it listens', '0.0.0.0'],
      ['port', 'a whole number from 0 to 65535', 'the port', 8080],
    ]);
  });
});
