import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { displayNameOf, senderAddress } from '../../../../adapters/kit/address-codecs.ts';
import { problemsOf } from '../../../../adapters/kit/option-block.ts';
import * as options from '../../../../adapters/kit/option-codecs.ts';
import { type Codec, list, refine } from '../../../../adapters/kit/option-codecs.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';

const problems = (codec: Codec<unknown>, value: unknown) => problemsOf(leftOf(codec.decode(value)));
const size = options.wholeNumber(1, 100);

interface Case {
  readonly codec: Codec<unknown>;
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
  longDuration: {
    codec: options.longDuration,
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
  refine: {
    codec: refine(options.text, (text) => !text.endsWith('/'), 'expected no slash at the end'),
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
        it(`refuses ${typeof given} ${shown(given)}, with what it expects`, () => {
          expect(problems(codec, given)).to.deep.equal([{ path: '', message: expected }]);
        });
      }
    });
  }
});

const accepted = [
  'no-reply@example.com',
  'latchkey@localhost',
  '<no-reply@example.com>',
  'Example <no-reply@example.com>',
  'Example Inc. <no-reply@example.com>',
  'Übung 😀 <no-reply@example.com>',
  '"Example, \\"Inc\\"" <no-reply@example.com>',
];

const refused = [
  'Example',
  'no-reply@',
  'one@example.com, two@example.com',
  'One <one@example.com>, Two <two@example.com>',
  'Example, Inc <no-reply@example.com>',
  'Team: no-reply@example.com;',
  '"Example <no-reply@example.com>',
  '"Example"" <no-reply@example.com>',
  'Example <no-reply@example.com> (comment)',
  'Example\r\nBcc: eve@example.com <no-reply@example.com>',
  '"Example\nBcc: eve@example.com" <no-reply@example.com>',
  'no-reply@example.com\n',
  'no-reply@example.com\r\nBcc: eve@example.com',
  '',
  7,
];

describe('the option fromAddress', () => {
  for (const value of accepted) {
    it(`accepts ${value}`, () => {
      expect(isRight(senderAddress.decode(value))).to.equal(true);
    });
  }
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(isRight(senderAddress.decode(value))).to.equal(false);
    });
  }
});

describe('the display name of a sender', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['no-reply@example.com', null],
    ['<no-reply@example.com>', null],
    ['Example <no-reply@example.com>', 'Example'],
    ['"Acmé, Inc." <no-reply@example.com>', 'Acmé, Inc.'],
    ['"A \\"b\\" <c>"<no-reply@example.com>', 'A "b" <c>'],
    ['"" <no-reply@example.com>', null],
  ];
  for (const [sender, name] of cases)
    it(`is ${name} in ${sender}`, () => {
      expect(isRight(senderAddress.decode(sender))).to.equal(true);
      expect(displayNameOf(sender)).to.equal(name);
    });
});
