import { expect } from 'chai';
import { pageLink, publicPaths } from '../../../../adapters/http/paths.ts';

describe('the link of a recovery mail', () => {
  it('has the address and the token in the query of the page, and keeps its own', () => {
    const query = 'email=jane%2Ba%40example.com&token=a%26b';
    const link = (pageUrl: string) => pageLink(pageUrl)('jane+a@example.com', 'a&b');
    expect(link('https://app.example.com/reset')).to.equal(`https://app.example.com/reset?${query}`);
    expect(link('https://app.example.com/reset?source=mail')).to.equal(
      `https://app.example.com/reset?source=mail&${query}`,
    );
    expect(link(`https://example.com/users${publicPaths.recovery}`)).to.equal(
      `https://example.com/users/recovery?${query}`,
    );
  });
});
