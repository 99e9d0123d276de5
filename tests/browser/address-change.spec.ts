import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { clientHeaders, createUser } from '../process/installation.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const headers = { ...clientHeaders, password: 'correct horse', 'Content-Type': 'application/json' };
const publicUrl = 'http://users.example.com';
const pollMs = 50;

describe('the pages about a new address in a browser', () => {
  const browser = browserOfSuite();
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-change-'));
  const service = serviceOfSuite({
    server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl },
    email: { type: 'outbox', directory, confirmChange: true, locales: ['de'] },
  });
  let visitor: Visitor;
  afterEach(async () => {
    await visitor.leave();
  });
  after(() => rm(directory, { recursive: true, force: true }));

  /** The link in the mail to an address, once it has arrived. */
  const linkTo = async (address: string): Promise<string> => {
    for (;;) {
      for (const name of (await readdir(directory)).filter((given) => given.endsWith('.eml'))) {
        const { to, text } = await readMail(await readFile(join(directory, name)));
        const [link] = /http:\S+\/change\S+/.exec(text) ?? [];
        if (to === address && link !== undefined) return link.replace(publicUrl, service().url);
      }
      await sleep(pollMs);
    }
  };

  const move = async (address: string, to: string, language = 'en'): Promise<void> => {
    const { url } = service();
    expect(await createUser(url, address)).to.equal(201);
    const body = JSON.stringify({ email: { address: to } });
    const response = await fetch(`${url}/users?email=${encodeURIComponent(address)}`, {
      method: 'PUT',
      headers: { ...headers, 'Accept-Language': language },
      body,
    });
    expect(response.status).to.equal(200);
  };

  const statusOf = async (address: string): Promise<number> =>
    (await fetch(`${service().url}/users?email=${encodeURIComponent(address)}`, { headers })).status;

  it('change the address with the keyboard, without scripts', async () => {
    const to = `o'neill+new@${'b'.repeat(60)}.example.com`;
    await move("o'neill@example.com", to);
    visitor = await visitorOf(browser(), { javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(await linkTo(to));
    expect(await page.getByText(to).count()).to.equal(1);
    expect(await statusOf(to)).to.equal(404);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/change/success?locale=en');
    expect(await page.getByRole('heading').textContent()).to.equal('Your email address has been changed');
    expect(await statusOf(to)).to.equal(200);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('cancel the change, and are readable, also on a phone and in dark mode', async () => {
    const address = `${'a'.repeat(60)}@example.com`;
    await move(address, 'typo@example.com', 'de-AT');
    visitor = await visitorOf(browser());
    const { page } = visitor;
    for (const link of [await linkTo('typo@example.com'), await linkTo(address)]) {
      await page.goto(link);
      expect(await page.locator('html').getAttribute('lang')).to.equal('de');
      expect(await accessibilityProblems(page)).to.deep.equal([]);
    }
    await page.getByRole('button', { name: 'Änderung abbrechen' }).click();
    await page.waitForURL('**/change/cancelled?locale=de');
    expect(await page.getByRole('heading').textContent()).to.equal('Die Änderung wurde abgebrochen');
    await page.goto(await linkTo('typo@example.com'));
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(await statusOf(address)).to.equal(200);
  });
});
