import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  firstPageOf,
  type ListQuery,
  listParameter,
  listPath,
  listQueryIn,
  listQueryOf,
  nextPageOf,
  previousPageOf,
} from '../../../../../adapters/http/admin/administration/pages/list-query.ts';

const everyone = listQueryIn(() => '');

const cursors = fc.uniqueArray(
  fc.string({ minLength: 2, maxLength: 400 }).map((text) => Buffer.from(text).toString('base64url')),
  { minLength: 1, maxLength: 40 },
);

describe('the query of a list', () => {
  it('leads from each page to the former one, as far back as a link can be long', () => {
    fc.assert(
      fc.property(cursors, (next) => {
        const pages: ListQuery[] = [everyone];
        for (const cursor of next) pages.push(nextPageOf(pages.at(-1) ?? everyone, cursor));
        for (const [n, page] of pages.entries()) {
          expect(page.before.length).to.be.at.most(600);
          const previous = previousPageOf(page);
          if (previous === undefined) expect(page.before).to.equal('');
          else expect(previous.after).to.equal(pages[n - 1]?.after);
          // A link that is followed has the same query.
          const read = new URLSearchParams(listPath(page).split('?')[1]);
          expect(listQueryIn((name) => read.get(name) ?? '')).to.deep.equal(page);
        }
      }),
    );
  });

  it('knows the former page of the first pages', () => {
    const second = nextPageOf({ ...everyone, address: 'jane' }, 'MQ');
    const third = nextPageOf(second, 'Mg');
    expect(previousPageOf(third)).to.deep.equal(second);
    expect(previousPageOf(second)).to.deep.equal({ ...everyone, address: 'jane' });
    expect(previousPageOf(everyone)).to.equal(undefined);
    expect(firstPageOf(third)).to.deep.equal({ ...everyone, address: 'jane' });
  });

  it('is the same after a visit to another page, if it is short enough for each link', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((value) => value.isWellFormed());
    fc.assert(
      fc.property(text, text, text, (address, property, value) => {
        const query = nextPageOf({ ...everyone, address, property, value, sort: '-creationTime' }, 'MQ');
        expect(listQueryOf(listParameter(query))).to.deep.equal(query);
      }),
    );
    expect(listParameter({ ...everyone, address: '漢'.repeat(254), value: '漢'.repeat(500) })).to.equal('');
    expect(listParameter(everyone)).to.equal('');
  });
});
