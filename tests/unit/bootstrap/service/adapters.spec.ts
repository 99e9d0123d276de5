import { expect } from 'chai';
import { openAdapters } from '../../../../bootstrap/service/adapters.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured } from '../configuration/read-configuration.ts';

describe('the adapters of a service', () => {
  it('make verification tokens that are random UUIDs: 122 bits that cannot be predicted', async () => {
    const { newToken } = await openAdapters(await configured('database: {type: memory}'), silentContext.log);
    const tokens = Array.from({ length: 2_000 }, () => newToken());
    for (const token of tokens) {
      expect(token).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
    // At every place that is not fixed each digit turns up, which a counter or a clock would not do.
    const places = [...(tokens[0] ?? '')].map((_, at) => new Set(tokens.map((token) => token[at])).size);
    const free = places.filter((_, at) => ![8, 13, 14, 18, 19, 23].includes(at));
    expect(new Set(free)).to.deep.equal(new Set([16]));
    expect(new Set(tokens)).to.have.property('size', 2_000);
  });
});
