import { expect } from 'chai';
import { clientHeaders } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { type Visitor, visitorOf } from './visitor.ts';

describe('the waiting mails in a browser', function () {
  this.timeout(90_000);
  const browser = browserOfSuite();
  // Nothing listens there.
  const email = { type: 'smtp', host: '127.0.0.1', port: 1, fromAddress: 'Acme <no-reply@example.com>', queue: true };
  const keys = [{ application: 'support', secret: 'of the support team' }];
  const service = serviceOfSuite({ email, admin: { keys } });
  let visitor: Visitor;

  beforeEach(async () => {
    visitor = await visitorOf(browser(), {
      httpCredentials: { username: 'support', password: 'of the support team' },
    });
  });
  afterEach(() => visitor.leave());

  it('say first why they wait, are sent again at once, and are discarded after a question', async () => {
    const { url, adminUrl } = service();
    const { page } = visitor;
    await page.goto(`${adminUrl}/admin/waiting-mails`);
    expect(await page.getByRole('heading', { name: 'No mail waits to be sent' }).isVisible()).to.equal(true);
    for (const address of ['ada@example.com', 'alan@example.com']) {
      const body = JSON.stringify({ email: { address }, password: 'correct horse' });
      await fetch(`${url}/users`, { method: 'POST', headers: clientHeaders, body });
      const headers = { ...clientHeaders, password: 'correct horse' };
      expect((await fetch(`${url}/verify?email=${address}`, { method: 'POST', headers })).status).to.equal(200);
    }
    await eventually(async () => {
      await page.reload();
      expect(await page.getByRole('region', { name: 'Delivery' }).textContent()).to.include('2 waiting');
    }, 15_000);
    expect(await page.getByRole('row', { name: 'ada@example.com Verification' }).count()).to.equal(1);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Send now the mail to ada@example.com' }).click();
    expect(await page.getByRole('status').textContent()).to.include('The mail is sent as soon as');
    // Refused while an attempt of the mail may be under way.
    await eventually(async () => {
      await page.goto(`${adminUrl}/admin/waiting-mails`);
      await page.getByRole('link', { name: 'Discard the mail to alan@example.com' }).click();
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      await page.getByRole('button', { name: 'Discard mail' }).click();
      expect(await page.getByRole('main').textContent()).to.include('The mail was discarded.');
    }, 60_000);
    expect(await page.getByText('alan@example.com').count()).to.equal(0);
    expect(await page.getByText('ada@example.com').count()).to.equal(1);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('and other sections are shown as the current one in a window that is too narrow for all names', async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 240, height: 480 });
    for (const path of ['/admin', '/admin/waiting-mails', '/healthcheck']) {
      await page.goto(`${service().adminUrl}${path}`);
      const current = page.getByRole('navigation', { name: 'Sections' }).locator('[aria-current]');
      const { x = -1, width = 0 } = (await current.boundingBox()) ?? {};
      expect(x, path).to.be.least(0);
      expect(x + width, path).to.be.most(240);
      expect(await page.evaluate('scrollY'), path).to.equal(0);
    }
    expect(visitor.violations).to.deep.equal([]);
  });
});
