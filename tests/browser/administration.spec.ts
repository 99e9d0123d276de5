import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { clientHeaders } from '../process/installation.ts';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { serviceOfSuite } from './installed-service.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const people: Readonly<Record<string, object>> = {
  'ada@example.com': { name: 'Ada Lovelace', plan: 'pro', seats: 12, tags: ['early', 'partner'] },
  'alan@example.com': { name: 'Alan Turing', newsletter: false },
  'grace@example.com': { name: 'Grace Hopper' },
  'a.very.long.address.that.goes.on.and.on@a-department.of-a-company.example.com': {},
};

describe('the administration in a browser', () => {
  const browser = browserOfSuite();
  const service = serviceOfSuite({
    admin: { keys: [{ application: 'support', secret: 'of the support team' }], nameProperty: 'name' },
    server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' },
    email: { type: 'outbox', directory: 'outbox', productName: 'Acme & Sons' },
  });
  let visitor: Visitor;

  before('create users', async () => {
    for (const [address, properties] of Object.entries(people)) {
      const body = JSON.stringify({ email: { address }, password: 'correct horse', ...properties });
      await fetch(`${service().url}/users`, { method: 'POST', headers: clientHeaders, body });
    }
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
    await page.goto(`${service().adminUrl}/admin`);
    await page.getByLabel('Address contains').fill('al');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'alan@example.com' }).click();
    expect(await page.getByText('Alan Turing').isVisible()).to.equal(true);
    await page.getByRole('link', { name: 'Delete user' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Delete user' }).click();
    await page.getByRole('button', { name: 'Delete user' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The user was deleted.');
    expect(await page.getByRole('heading', { name: 'No user matches' }).isVisible()).to.equal(true);
    await page.getByRole('link', { name: 'Clear the search' }).click();
    expect(await page.getByRole('link', { name: 'alan@example.com' }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'ada@example.com' }).count()).to.equal(1);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('resets a verification', async () => {
    const { page } = visitor;
    await page.goto(`${service().adminUrl}/admin?address=grace@example.com`);
    await page.getByRole('link', { name: 'Reset verification' }).click();
    await page.getByRole('button', { name: 'Reset verification' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The verification was reset.');
    expect(visitor.violations).to.deep.equal([]);
  });

  it('marks an address as verified, sends a verification mail for another one, and exports a user', async () => {
    const { page } = visitor;
    const status = () => page.getByRole('status').textContent();
    await page.goto(`${service().adminUrl}/admin/user?address=grace@example.com`);
    await page.getByRole('link', { name: 'Send verification mail' }).click();
    await page.getByRole('button', { name: 'Send verification mail' }).click();
    expect(await status()).to.equal('The verification mail was requested.');
    await page.getByRole('link', { name: 'Mark as verified' }).click();
    await page.getByRole('button', { name: 'Mark as verified' }).click();
    expect(await status()).to.equal('The address was marked as verified.');
    for (const name of ['Send verification mail', 'Mark as verified', 'Cancel address change'])
      expect(await page.getByRole('link', { name }).count(), name).to.equal(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export user' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal('grace@example.com.jsonl');
    const exported = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(exported).to.include({ name: 'Grace Hopper' }).and.not.have.property('password');
    expect(visitor.violations).to.deep.equal([]);
  });

  it('disables a user with a reason and a time, lists the disabled, and enables the user again', async () => {
    const { page } = visitor;
    await page.goto(`${service().adminUrl}/admin/user?address=ada@example.com`);
    await page.getByRole('link', { name: 'Disable user' }).click();
    await page.getByLabel('Reason').fill('Ticket 4711: the mailbox was taken over');
    await page.getByLabel('Until').fill('2020-01-01T10:00');
    await page.getByRole('button', { name: 'Disable user' }).click();
    expect(await page.getByRole('alert').textContent()).to.include('Until must be a time in the future');
    const until = page.getByLabel('Until');
    expect(await until.getAttribute('aria-invalid')).to.equal('true');
    const described = (await until.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`#${described}`).textContent()).to.equal('must be a time in the future');
    expect(await page.getByLabel('Reason').getAttribute('aria-invalid')).to.equal(null);
    expect(await page.getByLabel('Reason').inputValue()).to.equal('Ticket 4711: the mailbox was taken over');
    await page.getByLabel('Until').fill('2999-12-31T10:00');
    await page.getByRole('button', { name: 'Disable user' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The user was disabled.');
    expect(await page.getByText('Ticket 4711').isVisible()).to.equal(true);
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByLabel('State').selectOption('disabled');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.getByRole('table', { name: 'Users' }).getByRole('link').count()).to.equal(1);
    await page.getByRole('link', { name: 'ada@example.com' }).click();
    await page.getByRole('link', { name: 'Enable user' }).click();
    await page.getByRole('button', { name: 'Enable user' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The user was enabled.');
    expect(visitor.violations).to.deep.equal([]);
  });

  it('edits custom properties as JSON without rounding numbers, and says in which line something is wrong', async () => {
    const { page } = visitor;
    await page.goto(`${service().adminUrl}/admin/user?address=grace@example.com`);
    await page.getByRole('link', { name: 'Edit custom properties' }).click();
    await page.getByRole('link', { name: 'Edit as JSON' }).click();
    const text = page.getByLabel('Custom properties');
    expect(await text.inputValue()).to.equal('{\n  "name": "Grace Hopper"\n}');
    await text.fill('{\n  "rate": 1.10,\n}');
    await page.getByRole('button', { name: 'Save properties' }).click();
    expect(await page.getByRole('alert').textContent()).to.include('Custom properties must be valid JSON (line 3)');
    expect(await text.inputValue()).to.equal('{\n  "rate": 1.10,\n}');
    await text.fill('{ "rate": 1.10, "tags": [] }');
    await page.getByRole('button', { name: 'Save properties' }).click();
    expect(await page.getByRole('status').textContent()).to.equal('The custom properties were saved.');
    expect(await page.locator('pre').textContent()).to.equal('{\n  "rate": 1.10,\n  "tags": []\n}');
    expect(visitor.violations).to.deep.equal([]);
  });

  it('edits custom properties as fields, and keeps the text of all others', async () => {
    const { page } = visitor;
    const [start, edited] = [
      '{"quote":"\\u00e9 \\"x\\"","rate":1.10,"isPaid":true,"note":"a\\nb","tags":["x", 1.0],"gone":null}',
      '{"quote":"\\u00e9 \\"x\\"","rate":1.20,"isPaid":false,"note":"a\\nb","tags":["x",1.0],"seats":12}',
    ];
    const address = 'fields@example.com';
    const body = start.replace('{', `{"email":{"address":"${address}"},"password":"correct horse",`);
    await fetch(`${service().url}/users`, { method: 'POST', headers: clientHeaders, body });
    await page.goto(`${service().adminUrl}/admin/properties?address=${address}`);
    expect(await page.getByLabel('quote', { exact: true }).inputValue()).to.equal('é "x"');
    await page.getByLabel('rate (Number)').fill('1.2O');
    await page.getByLabel('isPaid (Yes or no)').selectOption('no');
    await page.getByLabel('tags (JSON)').fill('[\n  "x",\n  1.0,\n]');
    await page.getByLabel('Remove gone').check();
    await page.getByRole('button', { name: 'Save properties' }).click();
    expect(await page.getByRole('alert').textContent()).to.include('rate must be a number');
    expect(await page.getByRole('alert').textContent()).to.include('tags must be valid JSON (line 4)');
    expect(await page.getByLabel('rate (Number)').getAttribute('aria-invalid')).to.equal('true');
    expect(await page.getByLabel('Remove gone').isChecked()).to.equal(true);
    expect(await accessibilityProblems(page)).to.deep.equal([]);
    await page.getByLabel('rate (Number)').fill('1.20');
    await page.getByLabel('tags (JSON)').fill('["x", 1.0]');
    await page.getByLabel('Name').fill('seats');
    await page.getByLabel('Kind').selectOption('Number');
    await page.getByLabel('Value').fill('12');
    await page.getByRole('button', { name: 'Save properties' }).click();
    await page.getByRole('status').waitFor();
    const read = await fetch(`${service().url}/users?email=${address}`, {
      headers: { ...clientHeaders, password: 'correct horse' },
    });
    expect(await read.text()).to.include(edited.slice(1));
    expect(visitor.violations).to.deep.equal([]);
  });

  it('shows the beginning of a long name from right to left, and edits it with its joiners', async () => {
    const { page } = visitor;
    const [address, name] = ['omar@example.com', 'غیاث‌الدین ابوالفتح عمر بن ابراهیم خیام نیشابوری'];
    const body = JSON.stringify({ email: { address }, password: 'correct horse', name });
    await fetch(`${service().url}/users`, { method: 'POST', headers: clientHeaders, body });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${service().adminUrl}/admin?property=name&value=${encodeURIComponent(name)}`);
    const [cell, first] = await page.evaluate<readonly { left: number; right: number }[]>(`(() => {
      const cell = document.querySelector('tbody td:nth-child(2)');
      const first = new Range();
      first.setStart(cell.firstChild, 0);
      first.setEnd(cell.firstChild, 9);
      return [cell, first].map((one) => one.getBoundingClientRect()).map(({ left, right }) => ({ left, right }));
    })()`);
    expect(first?.right).to.be.most(cell?.right ?? 0);
    expect(first?.left).to.be.least(cell?.left ?? 0);
    await page.goto(`${service().adminUrl}/admin/properties?address=${address}`);
    await page.getByLabel('name', { exact: true }).fill(`${name} 👩‍👧`);
    await page.getByRole('button', { name: 'Save properties' }).click();
    await page.getByRole('status').waitFor();
    const read = await fetch(`${service().url}/users?email=${address}`, {
      headers: { ...clientHeaders, password: 'correct horse' },
    });
    expect(Object(await read.json()).name).to.equal(`${name} 👩‍👧`);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('sets a password, requires another one, and clears it, by keyboard', async () => {
    const { page } = visitor;
    await page.goto(`${service().adminUrl}/admin/user?address=ada@example.com`);
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('link', { name }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/admin\/(?!user)/);
    };
    await choose('Set password');
    await page.getByLabel('New password').fill('a temporary password');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).to.equal('The password was set.');
    await choose('Require new password');
    await page.getByRole('button', { name: 'Require new password' }).press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.getByText('New password required since').isVisible()).to.equal(true);
    expect(await page.getByRole('link', { name: 'Require new password' }).count(), 'nothing to require').to.equal(0);
    const read = async (): Promise<number> => {
      const headers = { ...clientHeaders, password: 'a temporary password' };
      return (await fetch(`${service().url}/users?email=ada@example.com`, { headers })).status;
    };
    expect(await read()).to.equal(403);
    await choose('Cancel requirement');
    await page.getByRole('button', { name: 'Cancel requirement' }).press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.getByText('New password required since').count()).to.equal(0);
    expect(await read()).to.equal(200);
    await choose('Clear password');
    await page.getByRole('button', { name: 'Clear password' }).press('Enter');
    await page.getByRole('status').waitFor();
    expect(await read()).to.equal(401);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('leads from the index to every page, and back', async () => {
    const { page } = visitor;
    await page.goto(service().adminUrl);
    const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
    const paths = await sections.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(paths).to.include.members(['/admin', '/outbox', '/healthcheck', '/metrics']);
    for (const path of paths.filter((address) => address.startsWith('/')))
      expect((await page.request.get(new URL(path, page.url()).href)).status(), path).to.equal(200);
    await page.getByRole('main').getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(await sections.and(page.locator('[aria-current=page]')).textContent()).to.equal('Users');
    await page.getByRole('banner').getByRole('link', { name: 'Acme & Sons' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    expect(visitor.violations).to.deep.equal([]);
  });

  it('shows pages of the chosen size, with relative and full times', async () => {
    const { page } = visitor;
    for (let number = 0; number < 26; number++) {
      const body = JSON.stringify({ email: { address: `many${number}@example.com` }, password: 'correct horse' });
      await fetch(`${service().url}/users`, { method: 'POST', headers: clientHeaders, body });
    }
    await page.goto(`${service().adminUrl}/admin?address=many`);
    expect(await page.getByRole('table').getByRole('link').count()).to.equal(26);
    await page.getByLabel('Per page').selectOption('25');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.getByRole('table').getByRole('link').count()).to.equal(25);
    await page.getByRole('link', { name: 'Next page' }).click();
    expect(await page.getByRole('table').getByRole('link').count()).to.equal(1);
    expect(await page.getByLabel('Per page').inputValue()).to.equal('25');
    const created = page.getByRole('table').locator('time').first();
    expect(await created.textContent()).to.match(/^(?:just now|\d+ minutes? ago)$/);
    expect(await created.getAttribute('title')).to.match(/^\d+ \w+ \d{4} at \d\d:\d\d:\d\d \S+$/);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('shows rows of 40 pixels, and lets the keyboard skip the links of the header', async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${service().adminUrl}/admin?address=grace`);
    expect((await page.getByRole('row').nth(1).boundingBox())?.height).to.be.within(40, 41);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Address contains').evaluate((field) => field.matches(':focus'))).to.equal(true);
    expect(visitor.violations).to.deep.equal([]);
  });

  it('shows on the index how the service is, to administrators also how many users there are, and leads back to it', async () => {
    const { page } = visitor;
    const stranger = await visitorOf(browser());
    await stranger.page.goto(service().adminUrl);
    expect(await stranger.page.getByRole('heading', { name: 'The service is healthy' }).isVisible()).to.equal(true);
    expect(await stranger.page.getByText(/\d+ users?/).count()).to.equal(0);
    expect(await stranger.page.getByRole('button', { name: 'Sign out' }).count()).to.equal(0);
    await stranger.leave();
    await page.goto(`${service().adminUrl}/admin`);
    await page.getByRole('banner').getByRole('link', { name: 'Acme & Sons' }).click();
    const tile = page.getByRole('main').getByRole('link', { name: 'Users' });
    expect(await tile.textContent()).to.match(/\d+ users, blocked now: not counted/);
    expect(await page.getByText('Signed in as support').isVisible()).to.equal(true);
    for (const [name, what] of [
      ['Health', 'The service is healthy'],
      ['Metrics', 'latchkey_ready'],
    ] as const) {
      await page.getByRole('main').getByRole('link', { name }).click();
      expect(await page.getByRole('main').textContent()).to.include(what);
      await page.getByRole('banner').getByRole('link', { name: 'Acme & Sons' }).click();
    }
    expect(visitor.violations).to.deep.equal([]);
  });

  it('signs out: the browser forgets the key, and asks for it again', async () => {
    const { page, leave } = await visitorOf(browser());
    await page.goto(`${service().adminUrl.replace('//', '//support:of%20the%20support%20team@')}/admin`);
    await page.goto(`${service().adminUrl}/admin/user?address=ada@example.com`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    // Headless, Chromium cancels the question for a key.
    const refused = await page.goto(`${service().adminUrl}/admin`).then(
      (response) => String(response?.status()),
      (error: unknown) => String(error),
    );
    expect(refused).to.match(/^401$|ERR_INVALID_AUTH_CREDENTIALS/);
    await leave();
  });

  it('answers programs with problem documents where a browser gets pages', async () => {
    for (const address of [`${service().adminUrl}/`, `${service().adminUrl}/nothing`, `${service().url}/nothing`])
      for (const accept of ['*/*', 'application/json, text/html;q=0.5']) {
        const { headers, status } = await fetch(address, { headers: { accept } });
        expect([status, headers.get('content-type')], address).to.deep.equal([404, 'application/problem+json']);
      }
    const page = await fetch(`${service().url}/nothing`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(await page.text()).to.include(page.headers.get('x-request-id') ?? 'an id');
  });

  it('names the product on error pages of both ports, and leads back to the pages of operators', async () => {
    const { page } = visitor;
    for (const address of [
      `${service().url}/nothing`,
      `${service().adminUrl}/admin/nothing`,
      `${service().adminUrl}/nothing`,
    ]) {
      await page.goto(address);
      expect(await page.title()).to.equal('Not found – Acme & Sons');
      expect(await page.getByText('Acme & Sons').isVisible()).to.equal(true);
    }
    await page.getByRole('link', { name: 'All pages' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Operations');
    await page.goto(`${service().url}/nothing`);
    expect(await page.getByRole('link').count()).to.equal(0);
  });

  for (const [what, path] of Object.entries({
    'the list': '/admin',
    'a sorted list': '/admin?sort=-creationTime&property=name&value=Ada%20Lovelace',
    'an empty list': '/admin?address=nobody',
    'a search without the name of a property': '/admin?value=nobody',
    'a user': '/admin/user?address=ada@example.com',
    'a question': '/admin/delete?address=ada@example.com',
    'a form': '/admin/disable?address=ada@example.com',
    'an editor': '/admin/properties?address=ada@example.com',
    'an editor of JSON': '/admin/properties?address=ada@example.com&as=json',
    'an error page': '/admin/user?address=nobody@example.com',
    'the index': '/',
    'the health': '/healthcheck',
    'the metrics': '/metrics',
    'a page that does not exist': '/nothing',
    'a path of the administration that does not exist': '/admin/nothing',
  }))
    it(`is readable, also on a phone and in dark mode: ${what}`, async () => {
      await visitor.page.goto(`${service().adminUrl}${path}`);
      expect(await accessibilityProblems(visitor.page)).to.deep.equal([]);
      expect(visitor.violations).to.deep.equal([]);
    });
});
