import { expect } from 'chai';
import { clientHeaders, createUser } from '../process/installation.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { type Visitor, visitorOf } from './visitor.ts';

describe('the page for a new password in a browser', () => {
  const browser = browserOfSuite();
  const service = serviceOfSuite({
    server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'http://users.example.com' },
    email: { type: 'outbox', directory: 'outbox', locales: ['de'], productUrl: 'https://tea.example/' },
    passwordHash: { algorithm: 'bcrypt', serverSideHash: true },
    passwordRules: { minLength: 12, notAddress: true, minScore: 2 },
    recovery: {},
  });
  let visitor: Visitor;
  afterEach(async () => {
    await visitor.leave();
  });

  /** Requests a recovery, and opens the link in its mail. */
  const open = async (address: string, options: Parameters<typeof visitorOf>[1] = {}) => {
    const { url, adminUrl } = service();
    expect(await createUser(url, address, 'a former password of hers')).to.equal(201);
    const requested = await fetch(`${url}/recovery?email=${address}`, { method: 'POST', headers: clientHeaders });
    expect(requested.status).to.equal(202);
    visitor = await visitorOf(browser(), options);
    const { page } = visitor;
    const mail = page.getByRole('link', { name: address });
    do await page.goto(`${adminUrl}/outbox`);
    while (!(await mail.isVisible()));
    await mail.click();
    const link = (await page.locator('a[href*="/recovery?"]').first().getAttribute('href')) ?? '';
    await page.goto(link.replace('http://users.example.com', url));
    return page;
  };

  it('states its rules, names the broken one, and leads to the product, without scripts', async () => {
    const page = await open('ada@example.com', { javaScriptEnabled: false });
    const password = page.getByLabel('New password');
    expect(await password.getAttribute('aria-describedby')).to.equal('rules');
    expect(await page.getByRole('listitem').allTextContents()).to.deep.equal([
      'Use at least 12 characters.',
      'Use at most 72 characters.',
      'Do not use your email address, or the part before its @.',
      'Choose one that is hard to guess, such as a few unrelated words.',
    ]);
    await password.fill('ada@example.com 1');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).to.include('Do not use your email address');
    await password.fill('blue kettle under the stairs');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.waitForURL('**/recovery/success?locale=en');
    expect(await page.getByRole('link').getAttribute('href')).to.equal('https://tea.example/');
    expect(visitor.violations).to.deep.equal([]);
  });

  it('is readable, also on a phone and in dark mode, before and after a refusal', async () => {
    const page = await open('bob@example.com');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.getByLabel('New password').fill('short');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    expect(visitor.violations).to.deep.equal([]);
  });
});
