import { expect } from 'chai';
import { clientHeaders, Installation, type Serving } from '../process/installation.ts';
import { illegible } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const people: Readonly<Record<string, object>> = {
  'ada@example.com': { name: 'Ada Lovelace', plan: 'pro', seats: 12, tags: ['early', 'partner'] },
  'alan@example.com': { name: 'Alan Turing', newsletter: false },
  'grace@example.com': { name: 'Grace Hopper' },
  'a.very.long.address.that.goes.on.and.on@a-department.of-a-company.example.com': {},
};

describe('the administration in a browser', () => {
  const browser = browserOfSuite();
  let installation: Installation;
  let service: Serving;
  let visitor: Visitor;

  before('start the service', async () => {
    installation = await Installation.create();
    await installation.configure({ admin: { keys: [{ application: 'support', secret: 'of the support team' }] } });
    service = await installation.serve();
    for (const [address, properties] of Object.entries(people)) {
      const body = JSON.stringify({ email: { address }, password: 'correct horse', ...properties });
      await fetch(`${service.url}/users`, { method: 'POST', headers: clientHeaders, body });
    }
  });
  after('end the service', async () => {
    await installation?.dispose();
  });
  beforeEach(async () => {
    visitor = await visitorOf(browser(), {
      httpCredentials: { username: 'support', password: 'of the support team' },
    });
  });
  afterEach(async () => {
    await visitor.leave();
  });

  it('searches, opens and deletes a user after a confirmation', async () => {
    const { page } = visitor;
    await page.goto(`${service.adminUrl}/admin`);
    await page.getByLabel('Address begins with').fill('al');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'alan@example.com' }).click();
    expect(await page.getByText('Alan Turing').isVisible()).to.equal(true);
    await page.getByRole('link', { name: 'Delete this user' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Delete this user' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The user was deleted.');
    expect(await page.getByRole('link', { name: 'alan@example.com' }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'ada@example.com' }).count()).to.equal(1);
    expect(visitor.complaints).to.deep.equal([]);
  });

  it('resets a verification', async () => {
    const { page } = visitor;
    await page.goto(`${service.adminUrl}/admin?address=grace@example.com`);
    await page.getByRole('link', { name: 'Reset the verification' }).click();
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The verification was reset.');
    expect(visitor.complaints).to.deep.equal([]);
  });

  for (const [what, path] of Object.entries({
    'the list': '/admin',
    'an empty list': '/admin?address=nobody',
    'a user': '/admin/user?address=ada@example.com',
    'a question': '/admin/delete?address=ada@example.com',
    'an error page': '/admin/user?address=nobody@example.com',
  }))
    it(`is readable, also on a phone and in dark mode: ${what}`, async () => {
      await visitor.page.goto(`${service.adminUrl}${path}`);
      expect(await illegible(visitor.page)).to.deep.equal([]);
      expect(visitor.complaints).to.deep.equal([]);
    });
});
