import { parse } from 'node:querystring';
import { expect } from 'chai';
import fc from 'fast-check';
import { queryOf, queryValue } from '../../../../../adapters/http/api/parameters.ts';

const pieces = fc.constantFrom('email', 'e%6Dail', 'a@b.de', '=', '&', '+', '%', '%40', '%zz', '%C3%A9', '%C3', '');

describe('the query of a request', () => {
  it('is parsed like Node.js parses a form, for any printable ASCII', () => {
    const queries = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(queries, (text) => {
        const expected = parse(text, '&', '=', { maxKeys: 0 });
        const query = queryOf({ querystring: text });
        for (const name of ['email', 'token', ...Object.keys(expected)]) {
          // Node.js ignores a part without a name and a value.
          if (name !== '') expect(queryValue(query, name), name).to.deep.equal(expected[name]);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
