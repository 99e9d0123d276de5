import { expect } from 'chai';
import { clientHeaders, createUser } from '../process/installation.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { SwaggerPage } from './swagger-page.ts';
import { type Visitor, visitorOf } from './visitor.ts';

/**
 * Rules of axe-core that the markup of Swagger UI 5 itself breaks: its headings jump from the second level to the
 * fourth, its title and its list of servers stand outside every landmark, and neither its lists to select from
 * nor its field for a body are named.
 */
const rulesBrokenBySwaggerUi = ['heading-order', 'label', 'region', 'select-name'];

/** Rules of axe-core for complete pages, which do not apply to the HTML of a mail. */
const rulesOfPages = ['landmark-one-main', 'region', 'page-has-heading-one'];

describe('the pages in a browser', () => {
  const browser = browserOfSuite();
  const service = serviceOfSuite();
  let visitor: Visitor;

  beforeEach(async () => {
    visitor = await visitorOf(browser());
  });
  afterEach(async () => {
    await visitor.leave();
  });

  describe('/swagger', () => {
    const publicUrl = 'https://users.example.com/accounts';
    const secret = 'a secret of the shop';
    const published = serviceOfSuite({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl },
      auth: { keys: [{ application: 'shop', secret }] },
    });

    it('runs operations with the key of an application, at the host of the page', async () => {
      const swagger = new SwaggerPage(visitor.page);
      await swagger.open(published().url);
      expect(await swagger.servers()).to.deep.equal([published().url, publicUrl]);
      await swagger.authorise('shop', secret);
      expect(await swagger.run('createUser')).to.equal('201');
      expect(visitor.violations).to.deep.equal([]);
    });

    it('runs operations with the key for development, which it enters', async () => {
      const swagger = new SwaggerPage(visitor.page);
      await swagger.open(service().url);
      expect(await swagger.servers()).to.deep.equal([service().url]);
      expect(await swagger.run('createUser')).to.equal('201');
      expect(await swagger.run('getUser')).to.equal('200');
      expect(visitor.violations).to.deep.equal([]);
    });

    it('is readable, also on a phone and in dark mode', async () => {
      const swagger = new SwaggerPage(visitor.page);
      await swagger.open(service().url);
      await swagger.tryOut('createUser');
      expect(await accessibilityProblems(visitor.page, rulesBrokenBySwaggerUi)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });
  });

  describe('the verification from mail to success page', () => {
    before(async () => {
      const { url } = service();
      for (const address of ['ada@example.com', 'bob@example.com']) {
        expect(await createUser(url, address)).to.equal(201);
        const headers = { ...clientHeaders, password: 'correct horse' };
        const response = await fetch(`${url}/verify?email=${address}`, { method: 'POST', headers });
        expect(response.status).to.equal(200);
      }
    });

    it('leads from the outbox through the link to the success page', async () => {
      const { page } = visitor;
      await page.goto(`${service().adminUrl}/outbox`);
      await page.getByRole('navigation').getByRole('link', { name: 'ada@example.com' }).click();
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'Open the link' }).click();
      const success = await opened;
      expect(await success.getByRole('heading').textContent()).to.equal('Your account has been verified');
      expect(new URL(success.url()).pathname).to.equal('/verify/success');
      expect(await accessibilityProblems(success)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });

    it('works with the link in the HTML of the mail, too', async () => {
      const { page } = visitor;
      await page.goto(`${service().adminUrl}/outbox`);
      const opened = page.waitForEvent('popup');
      await page.frameLocator('iframe').getByRole('link').first().click();
      const success = await opened;
      await success.waitForURL('**/verify/success');
      expect(visitor.violations).to.deep.equal([]);
    });

    it('ends at an error page when the link is invalid', async () => {
      const { page } = visitor;
      await page.goto(`${service().url}/verify?email=ada@example.com&token=cut-off&response_type=html`);
      expect(await page.getByRole('heading').textContent()).to.equal('This link no longer works');
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });

    it('shows the text of a mail, and copies its link', async () => {
      const { page } = visitor;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${service().adminUrl}/outbox`);
      await page.getByRole('link', { name: 'bob@example.com' }).click();
      expect(await page.locator('iframe').isVisible()).to.equal(true);
      await page.getByText('Text', { exact: true }).click();
      expect(await page.locator('iframe').isVisible()).to.equal(false);
      const link = (await page.getByRole('link', { name: 'Open the link' }).getAttribute('href')) ?? 'no link';
      expect(await page.getByRole('article').textContent()).to.include(link);
      await page.getByRole('button', { name: 'Copy the link' }).click();
      await page.getByRole('button', { name: 'Link copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(link);
      expect(visitor.violations).to.deep.equal([]);
    });

    it('has readable mails, also on a phone and in dark mode', async () => {
      const { page } = visitor;
      await page.goto(`${service().adminUrl}/outbox`);
      expect(await accessibilityProblems(page), 'the list').to.deep.equal([]);
      await page.setViewportSize({ width: 375, height: 800 });
      await page.getByRole('link', { name: 'bob@example.com' }).click();
      await page.getByRole('article').waitFor();
      expect(await accessibilityProblems(page), 'a mail').to.deep.equal([]);
      const body = new URL((await page.locator('iframe').getAttribute('src')) ?? '', page.url());
      // Opened without its frame, because axe-core cannot run in a frame without scripts.
      await page.goto('about:blank');
      await page.setContent(await (await fetch(body)).text());
      expect(await accessibilityProblems(page, rulesOfPages), 'the HTML of a mail').to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });
  });

  for (const path of ['/nothing', '/verify'])
    it(`a browser gets a readable page for what it cannot open: ${path}`, async () => {
      await visitor.page.goto(`${service().url}${path}`);
      expect(await visitor.page.getByRole('heading', { level: 1 }).isVisible()).to.equal(true);
      expect(await accessibilityProblems(visitor.page)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });

  it('an empty outbox is readable, also on a phone and in dark mode', async () => {
    await visitor.page.goto(`${service().adminUrl}/outbox`);
    expect(await visitor.page.getByRole('heading', { level: 2 }).textContent()).to.equal('No mails yet');
    expect(await accessibilityProblems(visitor.page)).to.deep.equal([]);
    expect(visitor.violations).to.deep.equal([]);
  });
});
