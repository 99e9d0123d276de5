import { expect } from 'chai';
import fc from 'fast-check';
import { isRight } from 'fp-ts/lib/Either.js';
import {
  propertyFieldsOf,
  submittedProperties,
  withFormerTexts,
} from '../../../../../adapters/http/admin/administration/property-fields.ts';
import { readJsonObject } from '../../../../../adapters/kit/exact-json.ts';
import { propertiesOf } from '../../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';

/** The properties after their form was submitted as it was shown, by a browser, which sends line breaks as CRLF. */
const submittedUnchanged = (text: string, changes: Readonly<Record<string, string>> = {}) => {
  const properties = asProperties(text);
  const fields = propertyFieldsOf(properties) ?? expect.fail('there are fields');
  const form: Record<string, string> = { count: String(fields.length) };
  for (const [at, { name, kind, value }] of fields.entries())
    Object.assign(form, {
      [`name-${at}`]: name,
      [`kind-${at}`]: kind,
      [`value-${at}`]: value.replaceAll('\n', '\r\n'),
    });
  const given = submittedProperties((name) => ({ ...form, ...changes })[name] ?? '');
  if ('errors' in given) return given.errors;
  const object = readJsonObject(given.text);
  return isRight(object) ? propertiesOf(withFormerTexts(object.right, properties)) : object.left;
};

describe('the fields of custom properties', () => {
  it('keep the text of each property that is not changed', () => {
    const text =
      '{"quote":"\\u00e9 \\/","note":"a\\nb","control":"\\u0000","rate":1.10,"big":1e3,"isPaid":false,"none":null,"deep":{"a":[1.0]},"a:b":1}';
    expect(submittedUnchanged(text)).to.equal(text);
  });

  it('have the texts of people as they read them, also with joiners between letters or emojis', () => {
    const values = { name: '👩‍👩‍👧 Zoë', می‌خواهم: 'می‌خواهم', hidden: 'a\u202eb', broken: 'a\u0007' };
    const fields = propertyFieldsOf(asProperties(JSON.stringify(values))) ?? [];
    expect(fields.map(({ kind }) => kind)).to.deep.equal(['text', 'text', 'text', 'json']);
  });

  it('keep any properties that are not changed', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { maxKeys: 12 }), (values) => {
        const text = JSON.stringify(values);
        const object = readJsonObject(text);
        fc.pre(isRight(object) && propertiesOf(object.right) === text && text !== '{}');
        expect(submittedUnchanged(text)).to.equal(text);
      }),
    );
  });

  it('take a value of another kind for the property, and say what is none', () => {
    const text = '{"rate":1,"list":[1]}';
    expect(submittedUnchanged(text, { 'value-0': '2.50', 'value-1': '{"a": 1}' })).to.equal(
      '{"rate":2.50,"list":{"a":1}}',
    );
    const named = (changes: Readonly<Record<string, string>>) => {
      const errors = submittedUnchanged(text, changes);
      return Array.isArray(errors) ? errors.map(({ path, message }) => `${path} ${message}`) : errors;
    };
    expect(named({ 'value-0': '1,5' })).to.deep.equal(['rate must be a number, such as 12 or -0.5']);
    expect(named({ 'value-0': '01' })).to.deep.equal(['rate must be valid JSON (line 1)']);
    expect(named({ 'value-1': '1,"more":2' })).to.deep.equal(['list must be one JSON value']);
    expect(named({ 'name-2': 'rate', 'value-2': 'x' })).to.deep.equal(['rate is a property already']);
    expect(named({ 'remove-1': 'yes', 'name-2': 'seats', 'kind-2': 'number', 'value-2': '3' })).to.equal(
      '{"rate":1,"seats":3}',
    );
  });

  it('say what is entered as yes or no and is neither, and which name is missing', () => {
    const text = '{"isPaid":true}';
    for (const value of ['1', 'on', 'ja', '', 'truey'])
      expect(submittedUnchanged(text, { 'value-0': value }), value).to.deep.equal([
        { path: 'isPaid', message: 'must be yes or no' },
      ]);
    for (const value of ['no', 'FALSE', ' no '])
      expect(submittedUnchanged(text, { 'value-0': value }), value).to.equal('{"isPaid":false}');
    expect(submittedUnchanged(text, { 'value-1': 'a value' })).to.deep.equal([
      { path: '', message: 'must not be empty beside a value' },
    ]);
  });

  it('are refused unless they arrived as a whole form', () => {
    const text = '{"plan":"paid","rate":1}';
    const refused = [{ path: 'properties', message: 'did not arrive as a whole form' }];
    for (const count of ['x', '', '-1', '1e1', '2.0', '3', '61', '100'])
      expect(submittedUnchanged(text, { count }), count).to.deep.equal(refused);
    for (const missing of ['name-0', 'name-1', 'kind-1'])
      expect(submittedUnchanged(text, { [missing]: '' }), missing).to.deep.equal(refused);
  });

  it('are one text if they are too many, or have a name that is empty or escaped, or that a form would change', () => {
    const many = Object.fromEntries(Array.from({ length: 61 }, (_, n) => [`property${n}`, n]));
    for (const text of [
      JSON.stringify(many),
      '{"":"without a name"}',
      '{"c\\u0064":1}',
      '{"a\\nb":1}',
      '{"a\\u0000":1}',
    ])
      expect(propertyFieldsOf(asProperties(text)), text).to.equal(undefined);
  });
});
