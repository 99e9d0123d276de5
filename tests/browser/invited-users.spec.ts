import { expect } from 'chai';
import { clientHeaders } from '../process/installation.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { type Visitor, visitorOf } from './visitor.ts';

describe('the creation of users in a browser', () => {
  const browser = browserOfSuite();
  const service = serviceOfSuite({
    admin: {
      keys: [{ application: 'support', secret: 'of the support team' }],
      createUsers: true,
      nameProperty: 'name',
    },
    server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' },
    email: { type: 'outbox', directory: 'outbox' },
    passwordHash: { algorithm: 'sha256', serverSideHash: true },
    passwordRules: { minLength: 12 },
    activity: {},
    invitations: {},
  });
  let visitor: Visitor;

  before('create users', async () => {
    const body = JSON.stringify({ email: { address: 'ada@example.com' }, password: 'correct horse', name: 'Ada' });
    expect((await fetch(`${service().url}/users`, { method: 'POST', headers: clientHeaders, body })).status).to.equal(
      201,
    );
  });
  beforeEach(async () => {
    visitor = await visitorOf(browser(), {
      httpCredentials: { username: 'support', password: 'of the support team' },
    });
  });
  afterEach(async () => {
    expect(visitor.violations).to.deep.equal([]);
    await visitor.leave();
  });

  it('says what is wrong, and asks for a password again that the page does not repeat', async () => {
    const { page } = visitor;
    await page.goto(`${service().adminUrl}/admin`);
    await page.getByRole('link', { name: 'Create user' }).click();
    const submit = async (address: string, password: string) => {
      await page.getByLabel('Address').fill(address);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create user' }).click();
      return page.getByRole('alert').textContent();
    };
    expect(await submit('jane@example.com', 'short')).to.equal(
      'Nothing was saved yet. Please correct:Password must have at least 12 characters',
    );
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    expect(await submit('ada@example.com', 'violet anchor parade')).to.include('exists already');
    expect(await page.getByText('must be entered again').isVisible()).to.equal(true);
    expect(await page.getByLabel('Address').inputValue()).to.equal('ada@example.com');
  });

  it('invites without a password, corrects the address, and says when another invitation is too soon', async () => {
    const { page } = visitor;
    await page.goto(`${service().adminUrl}/admin/create-user`);
    await page.getByLabel('Address').fill('bne@example.com');
    await page.getByRole('button', { name: 'Create user' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The user was created.');
    expect(await page.getByText('Invited', { exact: true }).count()).to.equal(2);
    await page.getByRole('link', { name: 'Change address' }).click();
    const address = page.getByLabel('New address');
    await address.fill('ben@bücher.example');
    await page.getByRole('button', { name: 'Change address' }).click();
    expect(await page.getByRole('alert').textContent()).to.include('New address must be written with the domain xn--');
    await address.fill('ben@example.com');
    await page.getByRole('button', { name: 'Change address' }).click();
    expect(await page.getByText('The link has ended: invite again.').isVisible()).to.equal(true);
    const inviteAgain = async () => {
      await page.getByRole('link', { name: 'Invite again' }).click();
      await page.getByRole('button', { name: 'Invite again' }).click();
    };
    await inviteAgain();
    expect(await page.getByRole('status').textContent()).to.equal('The invitation was requested.');
    expect(await page.getByText('The link has ended').count()).to.equal(0);
    await inviteAgain();
    await page.getByRole('heading', { name: 'Too soon' }).waitFor();
    expect(await page.getByRole('main').textContent()).to.include(
      'A mail to this user was requested a short time ago.',
    );
  });

  it('takes every address that the service accepts, also those that browsers refuse in a field of the type email', async () => {
    const { page } = visitor;
    for (const address of ['jörg@example.com', '"jane doe"@example.com']) {
      await page.goto(`${service().adminUrl}/admin/create-user`);
      await page.getByLabel('Address').fill(address);
      await page.getByRole('button', { name: 'Create user' }).click();
      expect(await page.getByRole('status').textContent()).to.equal('The user was created.');
      await page.getByRole('link', { name: 'Delete user' }).click();
      await page.getByRole('button', { name: 'Delete user' }).click();
    }
  });

  it('lists whole addresses beside names and times, and one time of each user on a narrow screen', async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${service().adminUrl}/admin`);
    const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
    const link = rows.first().getByRole('link', { name: 'ada@example.com' });
    expect(await link.evaluate((each) => each.scrollWidth <= each.clientWidth)).to.equal(true);
    await page.setViewportSize({ width: 390, height: 800 });
    for (const row of await rows.all()) expect(await row.locator('time:visible').count()).to.equal(1);
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).to.equal(390);
  });
});
