import { expect } from 'chai';
import { mailKinds, noticeKinds } from '../../application/outgoing/mail-queue.ts';
import { EveryMail, type Form, forms } from './outstanding-mails.ts';

/** Requests of people, of mail scanners and of browsers that fetch pages in advance. */
const visits = ['GET', 'HEAD'].flatMap((method) =>
  [{}, { Accept: 'text/html' }, { 'Sec-Purpose': 'prefetch' }].map((headers) => ({ method, headers })),
);

/** The URLs in the HTML of a page that a browser or a scanner may open. */
const linksIn = (page: string, base: string): readonly string[] =>
  [...page.matchAll(/(?:href|src|action)="([^"]+)"/g)]
    .map(([, target = '']) => new URL(target.replaceAll('&amp;', '&'), base).href)
    .filter((target) => new URL(target).origin === new URL(base).origin);

/** Opens a URL, and everything that its pages and redirects lead to, as scanners do. Resolves with the statuses. */
const visit = async (url: string): Promise<readonly number[]> => {
  const [seen, statuses, open] = [new Set<string>(), [] as number[], [url]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const { method, headers } of visits) {
      const response = await fetch(next, { method, headers });
      statuses.push(response.status);
      open.push(...linksIn(await response.text(), response.url));
    }
  }
  return statuses;
};

/** Mails without a token: their links, if they have one, lead to pages of the operator. */
const withoutToken: readonly string[] = ['accountExists', ...noticeKinds];

for (const form of Object.keys(forms) as Form[])
  describe(`the URLs in mails with a ${form}`, function () {
    this.timeout(120_000);
    const service = new EveryMail(form);
    after(() => service.close());

    it('change nothing that is stored of the user, whoever opens them, however often, with every page behind them', async () => {
      const users = await Promise.all([service.user(), service.invited()]);
      const kinds = new Set(withoutToken);
      for (const { address, mails } of users) {
        const before = service.stored(address);
        for (let round = 0; round < 3; round++)
          for (const { kind, url } of mails) {
            kinds.add(kind);
            // A code has no URL.
            if (url === undefined) continue;
            expect(await visit(url), kind).to.include(200);
            expect(service.stored(address), kind).to.equal(before);
          }
      }
      expect(mailKinds.filter((kind) => !kinds.has(kind))).to.deep.equal([]);
    });
  });
