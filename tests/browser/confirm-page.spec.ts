import { expect } from 'chai';
import { clientHeaders, createUser } from '../process/installation.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const headers = { ...clientHeaders, password: 'correct horse' };

const arabicText = { title: 'أكّد بريدك الإلكتروني', sentence: 'اضغط الزر لتأكيد أن CODEGEN-ADDRESS عنوانك.' };

const arabicPages = {
  ...Object.fromEntries(
    ['done', 'invalid', 'expired', 'unknown', 'unavailable', 'failed'].map((name) => [name, arabicText]),
  ),
  ask: { ...arabicText, button: 'تأكيد' },
};

describe('the confirmation page in a browser', () => {
  const browser = browserOfSuite();
  const service = serviceOfSuite({
    email: {
      type: 'outbox',
      directory: 'outbox',
      confirmPage: true,
      productName: 'Tea Shop',
      productUrl: 'https://tea.example/',
      locales: ['de'],
      pages: { locales: { ar: { verification: arabicPages } } },
    },
  });
  let visitor: Visitor;
  afterEach(async () => {
    await visitor.leave();
  });

  const emailOf = async (response: Response): Promise<{ verified: boolean; verificationToken: string }> =>
    JSON.parse(await response.text()).email;

  /** Creates a user, and resolves with the link in the verification mail. */
  const linkTo = async (address: string): Promise<string> => {
    const { url } = service();
    expect(await createUser(url, address)).to.equal(201);
    const email = encodeURIComponent(address);
    const sent = await fetch(`${url}/verify?email=${email}`, { method: 'POST', headers });
    const { verificationToken } = await emailOf(sent);
    return `${url}/verify?email=${email}&token=${verificationToken}&response_type=html`;
  };

  const isVerified = async (address: string): Promise<boolean> => {
    const read = await fetch(`${service().url}/users?email=${encodeURIComponent(address)}`, { headers });
    return (await emailOf(read)).verified;
  };

  for (const scripts of [true, false]) {
    it(`verifies only when the button is pressed,  ${scripts ? 'with' : 'without'} scripts`, async () => {
      const address = `o'neill+${scripts}@example.com`;
      visitor = await visitorOf(browser(), { javaScriptEnabled: scripts });
      const { page } = visitor;
      await page.goto(await linkTo(address));
      expect(await page.getByRole('heading').textContent()).to.equal('Verify your email address');
      expect(await page.getByText(address).count()).to.equal(1);
      expect(await isVerified(address)).to.equal(false);
      await page.getByRole('button', { name: 'Verify email address' }).click();
      await page.waitForURL('**/verify/success?locale=en');
      expect(await page.getByRole('heading').textContent()).to.equal('Your account has been verified');
      const next = page.getByRole('link', { name: 'Continue to Tea Shop' });
      expect(await next.getAttribute('href')).to.equal('https://tea.example/');
      expect(await isVerified(address)).to.equal(true);
      if (scripts) expect(await accessibilityProblems(page)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });
  }

  it('works with the keyboard', async () => {
    visitor = await visitorOf(browser());
    const { page } = visitor;
    await page.goto(await linkTo('keys@example.com'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/verify/success?locale=en');
    expect(await isVerified('keys@example.com')).to.equal(true);
  });

  it('is readable, also on a phone and in dark mode, with a long address', async () => {
    visitor = await visitorOf(browser());
    await visitor.page.goto(await linkTo(`${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`));
    expect(await accessibilityProblems(visitor.page)).to.deep.equal([]);
    expect(visitor.violations).to.deep.equal([]);
  });

  for (const [locale, direction, label] of [
    ['de-AT', 'ltr', 'E-Mail-Adresse bestätigen'],
    ['ar-EG', 'rtl', 'تأكيد'],
  ] as const) {
    it(`is in the language of the browser, and readable: ${locale}`, async () => {
      visitor = await visitorOf(browser(), { locale });
      const { page } = visitor;
      await page.goto(await linkTo(`${locale}@example.com`));
      expect(await page.locator('html').getAttribute('lang')).to.equal(locale.slice(0, 2));
      expect(await page.evaluate('getComputedStyle(document.documentElement).direction')).to.equal(direction);
      expect(await page.getByRole('button', { name: label }).count()).to.equal(1);
      expect(await accessibilityProblems(page)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });
  }

  it('is an error page without a button for an invalid link', async () => {
    visitor = await visitorOf(browser());
    const { page } = visitor;
    await page.goto(`${service().url}/verify?email=ada@example.com&token=cut-off&response_type=html`);
    expect(await page.getByRole('heading').textContent()).to.equal('We could not find this account');
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'Continue to Tea Shop' }).isVisible()).to.equal(true);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
  });
});
