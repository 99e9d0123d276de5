import { spawn } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { parse } from 'yaml';
import { accessibilityProblems } from '../browser/accessibility.ts';
import { browserOfSuite } from '../browser/chromium.ts';
import { type Visitor, visitorOf } from '../browser/visitor.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { Run } from '../process/run.ts';
import { closedPort } from '../support/tcp-servers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const secret = 'a secret of the shop, for tests';
const password = 'violet anchor parade';
const pollMs = 50;

describe('the shop in examples/shop', function () {
  this.timeout(60_000);
  const browser = browserOfSuite();
  const visitors: Visitor[] = [];
  let installation: Installation;
  let service: Serving;
  let shop: Run;
  let shopUrl = '';

  const runIn = (folder: string, command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Run =>
    new Run(spawn(command, args, { cwd: folder, env: { ...process.env, ...environment } }));

  before(async () => {
    installation = await Installation.create();
    const folder = join(installation.folder, 'shop');
    await cp(join(root, 'examples/shop'), folder, { recursive: true });
    const manifest = await readFile(join(folder, 'package.json'), 'utf8');
    await writeFile(join(folder, 'package.json'), manifest.replace('file:../..', `file:${root}`));
    const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    expect(await runIn(folder, 'npm', install).ended).to.equal(0);
    const compiler = runIn(folder, 'npx', ['tsc']);
    expect(await compiler.ended, compiler.stdout).to.equal(0);

    const written = parse(await readFile(join(folder, 'latchkey.yaml'), 'utf8'));
    const [port, shopPort] = [await closedPort(), await closedPort()];
    const server = { host: '127.0.0.1', port, adminPort: 0, publicUrl: `http://127.0.0.1:${port}` };
    // In the folder of the shop as it is, the pages behind links lead to the port of `npm start`.
    expect(written.email.productUrl).to.equal('http://127.0.0.1:3000');
    const email = { ...written.email, productUrl: `http://127.0.0.1:${shopPort}` };
    await installation.configure({ ...written, server, email });
    service = await installation.serve({ SHOP_SECRET: secret });
    shopUrl = `http://127.0.0.1:${shopPort}`;
    shop = runIn(folder, process.execPath, ['shop.ts'], {
      LATCHKEY_URL: service.url,
      SHOP_SECRET: secret,
      PORT: String(shopPort),
    });
    await shop.until(() => shop.stdout.includes('The shop is at'));
  });
  afterEach(() => Promise.all(visitors.splice(0).map((visitor) => visitor.leave())));
  after(async () => {
    shop?.child.kill();
    await installation?.dispose();
  });

  /** A browser of its own, at the first page of the shop. */
  const visit = async (): Promise<Page> => {
    const visitor = await visitorOf(browser());
    visitors.push(visitor);
    await visitor.page.goto(shopUrl);
    return visitor.page;
  };

  /** Fills the form with this button in, and presses it. */
  const submit = async (page: Page, button: string, ...values: readonly string[]): Promise<void> => {
    const form = page.locator('form', { has: page.getByRole('button', { name: button, exact: true }) });
    for (const [index, value] of values.entries()) await form.locator('input').nth(index).fill(value);
    await form.getByRole('button').click();
  };

  const signUp = async (address: string): Promise<Page> => {
    const page = await visit();
    await submit(page, 'Sign up', address, password);
    await page.getByText(`Signed in as ${address}`).waitFor();
    return page;
  };

  const signIn = async (address: string, given = password): Promise<Page> => {
    const page = await visit();
    await submit(page, 'Sign in', address, given);
    return page;
  };

  const isSignedIn = async (page: Page): Promise<boolean> => {
    await page.goto(shopUrl);
    return page.getByText('Signed in as').isVisible();
  };

  /** Opens the link in the newest mail to an address in a browser of its own, and presses the button of its page. */
  const followMail = async (address: string, subject: RegExp): Promise<Page> => {
    const page = await visit();
    for (;;) {
      await page.goto(`${service.adminUrl}/outbox`);
      const mail = page.getByRole('link').filter({ hasText: address }).filter({ hasText: subject }).first();
      if (await mail.isVisible()) {
        await mail.click();
        break;
      }
      await sleep(pollMs);
    }
    const link = await page.locator(`a[href*="token="]`).first().getAttribute('href');
    await page.goto(String(link));
    return page;
  };

  it('signs up, verifies the address, signs out and in', async () => {
    const page = await signUp('ada@example.com');
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    const mail = await followMail('ada@example.com', /verif/i);
    await mail.getByRole('button').click();
    await mail.waitForURL('**/verify/success*');
    await mail.getByRole('link', { name: 'Continue to Shop' }).click();
    await mail.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(shopUrl);
    await page.getByText('Your address is verified.').waitFor();
    await submit(page, 'Sign out');
    expect(await isSignedIn(page)).to.equal(false);
    await submit(page, 'Sign in', 'ada@example.com', 'a wrong password');
    await page.getByText('The email address or the password is wrong.').waitFor();
    await submit(page, 'Sign in', 'ada@example.com', password);
    expect(await isSignedIn(page)).to.equal(true);
  });

  it('refuses forms of other sites, which could sign a person in to another account', async () => {
    await signUp('mallory@example.com');
    const post = async (headers: Record<string, string>) => {
      const body = new URLSearchParams({ email: 'mallory@example.com', password });
      const options = { method: 'POST', body, headers, redirect: 'manual' } as const;
      const { status, headers: received } = await fetch(`${shopUrl}/sign-in`, options);
      return [status, received.has('set-cookie')];
    };
    expect(await post({ Origin: 'https://evil.example' })).to.deep.equal([403, false]);
    expect(await post({ Origin: 'null' })).to.deep.equal([403, false]);
    expect(await post({ Origin: shopUrl })).to.deep.equal([303, true]);
  });

  it('changes the password, which ends the other sessions', async () => {
    const page = await signUp('bob@example.com');
    const other = await signIn('bob@example.com');
    await submit(page, 'Change password', 'a wrong password', 'lighthouse copper maple');
    await page.getByText('password is wrong').waitFor();
    expect(await isSignedIn(other)).to.equal(true);
    await page.goto(shopUrl);
    await submit(page, 'Change password', password, 'lighthouse copper maple');
    expect(await isSignedIn(page)).to.equal(true);
    expect(await isSignedIn(other)).to.equal(false);
    expect(await isSignedIn(await signIn('bob@example.com', 'lighthouse copper maple'))).to.equal(true);
  });

  it('replaces a forgotten password, which ends all sessions', async () => {
    const signedIn = await signUp('cleo@example.com');
    const page = await visit();
    await submit(page, 'Send a link', 'cleo@example.com');
    await page.getByText('If the address has an account').waitFor();
    const mail = await followMail('cleo@example.com', /password/i);
    await mail.locator('input[type=password]').first().fill('lighthouse copper maple');
    await mail.getByRole('button').click();
    await mail.waitForURL('**/recovery/success*');
    expect(await isSignedIn(signedIn)).to.equal(false);
    expect(await isSignedIn(await signIn('cleo@example.com', 'lighthouse copper maple'))).to.equal(true);
  });

  it('changes the address once its mailbox has confirmed it, and sessions go on with the id', async () => {
    const page = await signUp('dan@example.com');
    await submit(page, 'Change address', password, 'daniel@example.com');
    await page.getByText('Follow the link in the mail to daniel@example.com').waitFor();
    expect(await isSignedIn(page)).to.equal(true);
    await page.getByText('daniel@example.com waits until you follow the link').waitFor();
    const mail = await followMail('daniel@example.com', /address/i);
    await mail.getByRole('button').click();
    await mail.waitForURL('**/change/success*');
    await mail.getByRole('link', { name: 'Continue to Shop' }).click();
    await mail.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signUp('dan@example.com');
    await page.goto(shopUrl);
    await page.getByText('Signed in as daniel@example.com').waitFor();
    expect(await isSignedIn(await signIn('daniel@example.com'))).to.equal(true);
  });

  it('promises no mail for the present address, or another case of it', async () => {
    const page = await signUp('gwen@example.com');
    await submit(page, 'Change address', password, 'gwen@example.com');
    await page.getByText('This is your address already.').waitFor();
    await submit(page, 'Change address', password, 'Gwen@example.com');
    await page.getByText('Signed in as Gwen@example.com').waitFor();
    expect(await page.getByText('Follow the link').count()).to.equal(0);
  });

  it('says why a new password is refused', async () => {
    const page = await visit();
    await submit(page, 'Sign up', 'hugo@example.com', 'a');
    await page.getByText('The password must have at least 8 characters.').waitFor();
    const signedIn = await signUp('hugo@example.com');
    await submit(signedIn, 'Change password', password, 'hugo@example.com');
    await signedIn.getByText('The password must not contain the email address').waitFor();
  });

  it('has nothing to warn about at the start', () => {
    expect(service.run.stdout).to.not.include('"level":40');
  });

  it('signs out everywhere', async () => {
    const [page, other] = [await signUp('eve@example.com'), await signIn('eve@example.com')];
    await submit(page, 'Sign out everywhere');
    expect(await isSignedIn(page)).to.equal(false);
    expect(await isSignedIn(other)).to.equal(false);
    expect(await isSignedIn(await signIn('eve@example.com'))).to.equal(true);
  });

  it('deletes the account', async () => {
    const page = await signUp('finn@example.com');
    await submit(page, 'Delete account', password);
    expect(await isSignedIn(page)).to.equal(false);
    await submit(page, 'Sign in', 'finn@example.com', password);
    await page.getByText('The email address or the password is wrong.').waitFor();
  });
});
