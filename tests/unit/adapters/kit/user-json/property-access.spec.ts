import { expect } from 'chai';
import * as fc from 'fast-check';
import { isRight } from 'fp-ts/lib/Either.js';
import {
  accessOf,
  checkWritable,
  type PropertyAccess,
  replaceProperties,
  visibleProperties,
} from '../../../../../adapters/kit/user-json/property-access.ts';
import { asProperties, noProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { properties } from '../../../../../sdk/contract/arbitraries.ts';
import { leftOf, rightOf } from '../../../../../sdk/contract/outcomes.ts';
import { fewLists, fewProperties, textsIn } from '../../../../support/property-access.ts';

const access = (read: readonly string[] | null, write: readonly string[] | null): PropertyAccess =>
  accessOf({ read, write });
const replace = (by: PropertyAccess, stored: string, sent: string) =>
  replaceProperties(by, asProperties(stored), asProperties(sent));
const replaced = (by: PropertyAccess, stored: string, sent: string): string => rightOf(replace(by, stored, sent));
const deniedBy = (by: PropertyAccess, stored: string, sent: string) =>
  leftOf(replace(by, stored, sent)).errors?.map(({ path }) => path);

describe('the custom properties that a client sees', () => {
  it('are those of its list, in the order and with the text that is stored', () => {
    const stored = asProperties('{"z":1.0,"\\u0061":{"b" : [1E5, null]},"c":"}]\\\\\\"","plan":12345678901234567890}');
    expect(visibleProperties(stored, new Set(['plan', 'a', 'z', 'other']))).to.equal(
      '{"z":1.0,"\\u0061":{"b" : [1E5, null]},"plan":12345678901234567890}',
    );
    expect(visibleProperties(stored, new Set(['b', '__proto__']))).to.equal(noProperties);
    expect(visibleProperties(noProperties, new Set(['a']))).to.equal(noProperties);
    const spaced = asProperties('{ "a" : [ 1 ] ,\n"b:,":{"a":2 } , "c":"," }');
    expect(visibleProperties(spaced, new Set(['b:,', 'c']))).to.equal('{"b:,":{"a":2 },"c":","}');
    expect(visibleProperties(spaced, new Set(['a', 'b']))).to.equal('{"a":[ 1 ]}');
  });
});

describe('the custom properties of any user', () => {
  it('are seen completely by a client that may read all of their names', () =>
    fc.assert(
      fc.property(properties, (stored) => {
        expect(visibleProperties(stored, new Set(Object.keys(JSON.parse(stored))))).to.equal(stored);
        for (const [name, value] of Object.entries(JSON.parse(stored)))
          expect(JSON.parse(visibleProperties(stored, new Set([name])))).to.deep.equal({ [name]: value });
      }),
    ));
});

describe('the custom properties of a client that replaces them', () => {
  it('keep what it may not read or write, in its place and as it is written', () => {
    const stored = '{"plan":1.0,"name":"Jane","notes":{"a" : 1},"visits":3}';
    const by = access(['name', 'visits', 'plan'], ['name', 'visits']);
    expect(replaced(by, stored, '{"visits":4,"name":"Jane Doe"}')).to.equal(
      '{"plan":1.0,"visits":4,"notes":{"a" : 1},"name":"Jane Doe"}',
    );
    expect(replaced(by, stored, '{"name":"Jane","visits":1}')).to.equal(
      '{"plan":1.0,"name":"Jane","notes":{"a" : 1},"visits":1}',
    );
    expect(replaced(by, stored, '{}')).to.equal('{"plan":1.0,"notes":{"a" : 1}}');
  });

  it('may repeat what it may read and not write, in any place', () => {
    const by = access(null, ['name']);
    expect(replaced(by, '{"plan":1.0,"name":"Jane"}', '{"name":"J","plan":1.0}')).to.equal('{"name":"J","plan":1.0}');
    expect(deniedBy(by, '{"plan":1.0,"name":"Jane"}', '{"plan":1,"name":"Jane"}')).to.deep.equal(['plan']);
    expect(deniedBy(by, '{"name":"Jane"}', '{"plan":null,"other":1,"name":"J"}')).to.deep.equal(['plan', 'other']);
  });

  it('may not repeat what it can neither read nor write, whether it is stored or not', () => {
    const by = access(['name'], ['name']);
    for (const stored of ['{"plan":1}', '{"plan":2}', '{}'])
      expect(leftOf(replace(by, stored, '{"plan":1}'))).to.deep.equal({
        code: 'not_permitted',
        errors: [{ path: 'plan', message: 'may not be written with this key' }],
      });
  });

  it('may have a new value for what it may write and not read, and keep it otherwise', () => {
    const by = access(['name'], null);
    expect(replaced(by, '{"secret":1,"name":"Jane"}', '{"name":"J"}')).to.equal('{"secret":1,"name":"J"}');
    expect(replaced(by, '{"secret":1,"name":"Jane"}', '{"name":"J","secret":2}')).to.equal('{"name":"J","secret":2}');
  });

  it('follow these rules for all users, keys and requests', () =>
    fc.assert(
      fc.property(fewProperties, fewProperties, fewLists, (stored, sent, lists) => {
        const by = accessOf(lists);
        const sees = (name: string) => lists.read?.includes(name) ?? true;
        const writes = (name: string) => lists.write?.includes(name) ?? true;
        const [before, request] = [textsIn(stored), textsIn(sent)];
        const denied = [...request].filter(
          ([name, text]) => !writes(name) && !(sees(name) && before.get(name) === text),
        );
        const outcome = replace(by, stored, sent);
        expect(isRight(outcome), 'permitted').to.equal(denied.length === 0);
        if (!isRight(outcome)) {
          expect(outcome.left.errors?.map(({ path }) => path)).to.deep.equal(denied.map(([name]) => name));
          return;
        }
        const after = textsIn(outcome.right);
        const kept = [...before.keys()].filter((name) => !(sees(name) && writes(name)) && !request.has(name));
        for (const name of before.keys()) if (!writes(name)) expect(after.get(name)).to.equal(before.get(name));
        for (const name of kept) expect(after.get(name)).to.equal(before.get(name));
        const isKept = (name: string) => kept.includes(name);
        expect(
          [...after].filter(([name]) => !isKept(name)),
          'the rest is what was sent',
        ).to.deep.equal([...request]);
        expect([...after.keys()].filter(isKept), 'in their order').to.deep.equal(kept);
        expect(replaced(by, outcome.right, sent), 'applied twice').to.equal(outcome.right);
        const shown = lists.read === null ? outcome.right : visibleProperties(outcome.right, new Set(lists.read));
        expect([...textsIn(shown)]).to.deep.equal([...after].filter(([name]) => sees(name)));
        expect(replaced(by, outcome.right, shown), 'what was read changes nothing').to.equal(outcome.right);
      }),
    ));
});

describe('the custom properties of a new user and of a patch', () => {
  it('are those that the client may write', () => {
    const sent = asProperties('{"name":"Jane","plan":null}');
    expect(rightOf(checkWritable(access([], null), sent))).to.equal(sent);
    expect(rightOf(checkWritable(access(null, ['plan', 'name']), sent))).to.equal(sent);
    expect(leftOf(checkWritable(access(null, ['name']), sent)).errors?.map(({ path }) => path)).to.deep.equal(['plan']);
    expect(rightOf(checkWritable(access(null, []), noProperties))).to.equal(noProperties);
  });
});
