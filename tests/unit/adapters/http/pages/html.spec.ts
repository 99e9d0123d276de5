import { expect } from 'chai';
import * as fc from 'fast-check';
import { documentOf, html, nothing } from '../../../../../adapters/http/pages/html.ts';
import { codePoint } from '../../../../../sdk/contract/arbitraries.ts';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text that a browser reads from escaped HTML. */
const read = (escaped: string): string => escaped.replace(/&(#?\w+);/g, (entity, name) => entities[name] ?? entity);

/** Texts with many characters that have a meaning in HTML. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', ';', '`', '=', '/', '-', '!', '$') }),
  fc.string({ unit: codePoint }),
  fc.constantFrom('</script><script>alert(1)</script>', '&amp;', '&lt;', '<!--', "' onload='alert(1)"),
);

describe('the template tag html', () => {
  it('escapes every text in elements and attributes', () => {
    fc.assert(
      fc.property(text, (value) => {
        const [, attribute = '', element = ''] =
          /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(html`<p title="${value}">${value}</p>`.toString()) ?? [];
        for (const escaped of [attribute, element]) {
          expect(escaped).not.to.match(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
          expect(read(escaped)).to.equal(value);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('escapes once, in inner templates and in lists, too', () => {
    fc.assert(
      fc.property(fc.array(text), (values) => {
        const items = values.map((value) => html`<li>${value}</li>`);
        const list = html`<div>${html`<ul>${items}</ul>`}${nothing}${values.length}</div>`.toString();
        const shown = values.map((value) => `<li>${html`${value}`.toString()}</li>`).join('');
        expect(list).to.equal(`<div><ul>${shown}</ul>${values.length}</div>`);
      }),
    );
  });

  it('does not compile for strings as markup, and for false and undefined', () => {
    // @ts-expect-error A string is no markup.
    documentOf('title', nothing, '<p>a string</p>');
    // @ts-expect-error A template without the tag is a string.
    documentOf('title', nothing, `${html`<p>`}`);
    // @ts-expect-error It would print "false".
    html`${false}`;
    // @ts-expect-error It would print nothing.
    html`${undefined}`;
    // @ts-expect-error The tag without escaping is not in the type.
    expect(() => html.raw`${'<'}`.toString(), 'and the type says so').not.to.throw();
  });
});
