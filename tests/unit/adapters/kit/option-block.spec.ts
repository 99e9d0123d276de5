import { expect } from 'chai';
import * as fc from 'fast-check';
import { block, optional, problemsOf, required, withDefault } from '../../../../adapters/kit/option-block.ts';
import * as options from '../../../../adapters/kit/option-codecs.ts';
import { type Codec, list } from '../../../../adapters/kit/option-codecs.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';

const problems = (codec: Codec<unknown>, value: unknown) => problemsOf(leftOf(codec.decode(value)));
const shown = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 30);

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

  it('uses the defaults of absent options and of null', () => {
    const read = { type: 'sqlite', path: null, keys: [], server: { host: 'h', port: 1 } };
    expect(rightOf(database.decode({ type: 'sqlite' }))).to.deep.equal(read);
    expect(rightOf(database.decode({ type: 'sqlite', path: null, keys: null, server: null }))).to.deep.equal(read);
    expect(rightOf(server.decode({ port: '80' }))).to.deep.equal({ host: '0.0.0.0', port: 80 });
  });

  it('has defaults as a configuration writes them, and refuses one that is wrong', () => {
    const timeout = withDefault(options.duration, '30s', 'the timeout');
    expect(timeout.fallback).to.deep.equal({ value: 30_000, written: '30s' });
    expect(rightOf(block({ timeout }).decode({}))).to.deep.equal({ timeout: 30_000 });
    expect(() => withDefault(options.duration, '0s', 'the timeout')).to.throw(TypeError, 'a duration such as');
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

  it('reports every contradiction between valid options, inside lists too', () => {
    const range = block(
      { low: required(options.quantity(0, 9), 'low'), high: required(options.quantity(0, 9), 'high') },
      ({ low, high }) => [
        ...(low > high ? [{ path: 'low', message: 'is more than high' }] : []),
        ...(high === 0 ? [{ path: 'high', message: 'is nothing' }] : []),
      ],
    );
    expect(rightOf(range.decode({ low: 1, high: 2 }))).to.deep.equal({ low: 1, high: 2 });
    expect(problems(list(range), [{ low: 1, high: 0 }])).to.deep.equal([
      { path: '[0].low', message: 'is more than high' },
      { path: '[0].high', message: 'is nothing' },
    ]);
  });

  describe('an unknown key', () => {
    for (const [key, meant] of [
      ['Host', 'host'],
      ['hots', 'host'],
      ['prt', 'port'],
      ['ports', 'port'],
    ] as const) {
      it(`${key}: suggests ${meant}`, () =>
        expect(problems(server, { [key]: 1 })).to.deep.equal([
          { path: key, message: `unknown key; did you mean ${meant}?` },
        ]));
    }

    for (const key of ['somethingElse', 'constructor', 'toString', '__proto__']) {
      it(`${key}: lists the known keys`, () =>
        expect(problems(server, JSON.parse(`{"${key}":1}`))).to.deep.equal([
          { path: key, message: 'unknown key; known here: host, port' },
        ]));
    }
  });

  it('ignores inherited members', () => {
    const inherited = block({ toString: optional(options.text, 'odd'), valueOf: required(options.text, 'odder') });
    expect(problems(inherited, {}).map(({ path }) => path)).to.deep.equal(['valueOf']);
  });

  it('never repeats a value', () =>
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

  it('exposes its options to the documentation', () => {
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
