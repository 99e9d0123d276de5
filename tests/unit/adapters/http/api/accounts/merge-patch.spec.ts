import { expect } from 'chai';
import * as fc from 'fast-check';
import { mergePatch } from '../../../../../../adapters/http/api/accounts/merge-patch.ts';
import { decodeUserPatch } from '../../../../../../adapters/http/api/accounts/user-routes.ts';
import { readJsonObject } from '../../../../../../adapters/kit/exact-json.ts';
import { asProperties } from '../../../../../../adapters/kit/user-json/user-writer.ts';
import { mergeValues, patchedValues, patchVectors } from '../../../../../../sdk/contract/merge-patches.ts';
import { leftOf, rightOf } from '../../../../../../sdk/contract/outcomes.ts';

const merge = (target: string, patch: string): string => mergePatch(asProperties(target), asProperties(patch));

describe('a JSON merge patch', () => {
  for (const [target, patch, expected] of patchVectors) {
    it(`RFC 7396, appendix A: ${target} with ${patch} becomes ${expected}`, () => {
      const result = merge(`{"p":${target}}`, `{"p":${patch}}`);
      expect(result).to.equal(expected === 'null' ? '{}' : `{"p":${expected}}`);
      // A member that is missing is like one that is no object.
      if (/^[^{]/.test(target)) expect(merge('{}', `{"p":${patch}}`)).to.equal(result);
    });
  }

  it('keeps the text and the place of everything that it does not name', () => {
    const target = '{"z":1.0,"a":[1e3, {"b" : null}],"\\u0062":{"y":-0,"\\"":"\\u0041\\/","x":{"k":1E5}},"c":"}]\\\\"}';
    expect(merge(target, '{"b":{"x":{"n":2.50},"y":null}}')).to.equal(
      '{"z":1.0,"a":[1e3, {"b" : null}],"\\u0062":{"\\"":"\\u0041\\/","x":{"k":1E5,"n":2.50}},"c":"}]\\\\"}',
    );
  });

  it('appends new members in its order, and replaces others in their place', () => {
    expect(merge('{"a":1,"b":2}', '{"d":{"y":1,"x":2},"b":0.20,"c":3}')).to.equal(
      '{"a":1,"b":0.20,"d":{"y":1,"x":2},"c":3}',
    );
  });

  it('takes names for equal that differ only in escapes, and keeps the stored spelling', () => {
    expect(merge('{"\\u0061":1,"\\\\\\"":2}', '{"a":3,"\\u005c\\u0022":null}')).to.equal('{"\\u0061":3}');
  });

  it('keeps null and objects in lists as they are', () => {
    expect(merge('{"a":[1]}', '{"a":[null,{"b":null},"]"]}')).to.equal('{"a":[null,{"b":null},"]"]}');
  });

  it('returns the same text if nothing changes, also with white space of another program', () => {
    const target = '{ "a" : 1.0,\n"b":{"c" :[ ] , "d": { }} }';
    for (const patch of ['{}', '{"x":null}', '{"a":1.0}', '{"b":{}}', '{"b":{"e":null,"d":{}}}', '{"b":{"c":[ ]}}'])
      expect(merge(target, patch), patch).to.equal(target);
    expect(merge(target, '{"a":1}')).to.equal('{"a":1,"b":{"c" :[ ] , "d": { }}}');
  });

  it('treats names of inherited properties like others', () => {
    expect(merge('{"a":{}}', '{"constructor":{"prototype":1},"a":{"toString":null}}')).to.equal(
      '{"a":{},"constructor":{"prototype":1}}',
    );
  });

  it('is what RFC 7396 defines for parsed values', () =>
    fc.assert(
      fc.property(patchedValues, ({ target, patch }) => {
        const merged = merge(JSON.stringify(target), JSON.stringify(patch));
        expect(JSON.parse(merged)).to.deep.equal(mergeValues(target, patch));
        expect(merge(merged, JSON.stringify(patch)), 'applied twice').to.equal(merged);
      }),
    ));

  it('fails on a damaged text instead of hanging', () => {
    for (const text of ['{"a}', '{"a":[}', '{a}', '{"a":"\\"}'])
      expect(() => merge(text, '{}'), text).to.throw(SyntaxError, /ends too early/);
  });
});

describe('the body of a patch', () => {
  const decode = (json: string) => decodeUserPatch(rightOf(readJsonObject(json)));

  it('may name any part of a user, and ignores times', () => {
    const { email, newPassword, changeProperties } = rightOf(
      decode('{"a":1.0,"email":{"verified":true},"creationTime":null,"lastUpdateTime":"x"}'),
    );
    expect([email, newPassword]).to.deep.equal([{ verified: true }, undefined]);
    expect(changeProperties(asProperties('{"b":2}'))).to.equal('{"b":2,"a":1.0}');
    expect(rightOf(decode('{}')).email).to.deep.equal({});
  });

  it('cannot remove what every user has, and has no unknown member of email', () => {
    const pathsOf = (json: string) => leftOf(decode(json)).map(({ path }) => path);
    expect(pathsOf('{"email":null,"password":null}')).to.have.members(['email', 'password']);
    expect(pathsOf('{"email":{"address":null,"verified":null,"x":null}}')).to.have.members([
      'email.address',
      'email.verified',
      'email.x',
    ]);
    expect(rightOf(decode('{"email":{"verificationToken":null}}')).email).to.deep.equal({ verificationToken: null });
  });
});
