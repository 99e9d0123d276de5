import { expect } from 'chai';
import { configured, database, problemsOf, warningsOf, withMails } from './read-configuration.ts';

const files = {
  'body.html': '<a href="CODEGEN-URL">',
  'body.txt': '\u{FEFF}grüße CODEGEN-URL',
  'done.html': '<p>done',
};

describe('the block email', () => {
  it('has a default mail and success page', async () => {
    expect((await configured(withMails())).email).to.deep.include({
      type: 'outbox',
      message: {
        subject: null,
        html: null,
        text: null,
        placeholder: 'CODEGEN-URL',
        successPage: null,
      },
    });
    expect((await configured(withMails(', messageOptions: null'))).email).to.have.nested.property('message.html', null);
  });

  it('reads its files', async () => {
    const options =
      ', tokenLifetime: 24h, messageOptions: {subject: Hi, bodyHtmlFilePath: "@/body.html", bodyTextFilePath: "@/body.txt", successHtmlFilePath: "@/done.html"}';

    expect((await configured(withMails(options), files)).email?.message).to.eql({
      subject: 'Hi',
      html: '<a href="CODEGEN-URL">',
      text: 'grüße CODEGEN-URL',
      placeholder: 'CODEGEN-URL',
      successPage: '<p>done',
    });
    expect((await warningsOf(withMails(options), files)).filter((line) => line.startsWith('email.'))).to.eql([]);
  });

  it('reports every unreadable file and every other problem', async () => {
    const options =
      ', messageOptions: {subject: "a\\nb", bodyHtmlFilePath: "@/none", bodyTextFilePath: "@/", successHtml: "@/latin1", urlPlaceholderString: ""}, fromAddress: nobody';

    const problems = await problemsOf(withMails(options), { latin1: Buffer.from([0x67, 0xfc]) });
    expect(problems.map((problem) => problem.slice(0, 75).trim())).to.eql([
      'email.messageOptions.subject: expected a single line',
      'email.messageOptions.bodyHtmlFilePath: the file does not exist; relative pa',
      'email.messageOptions.bodyTextFilePath: expected a file; this is a directory',
      'email.messageOptions.urlPlaceholderString: expected text (in quotes if it l',
      'email.messageOptions.successHtml: the file is not UTF-8 text; save it as UT',
      'email.fromAddress: expected an address such as no-reply@example.com or "Exa',
    ]);
  });

  it('refuses an empty file, as one is that is just being replaced', async () => {
    const options = ', messageOptions: {bodyTextFilePath: "@/empty"}';
    expect(await problemsOf(withMails(options), { empty: '' })).to.eql([
      'email.messageOptions.bodyTextFilePath: the file is empty',
    ]);
  });

  it('accepts the success page by either name, or by both with one value', async () => {
    const page = async (options: string) =>
      (await configured(withMails(`, messageOptions: {${options}}`), files)).email?.message.successPage;

    expect(await page('successHtml: "@/done.html"')).to.equal('<p>done');
    expect(await page('successHtml: "@/done.html", successHtmlFilePath: "@/done.html"')).to.equal('<p>done');
    expect(
      await problemsOf(
        withMails(', messageOptions: {successHtml: "@/done.html", successHtmlFilePath: "@/body.html"}'),
        files,
      ),
    ).to.eql([
      'email.messageOptions.successHtml: differs from successHtmlFilePath, which means the same; keep one of them',
    ]);
  });

  it('lets links verify without a page, unless confirmPage is set', async () => {
    const opensPage = async (options: string) => (await configured(withMails(options))).email?.confirmPage;
    expect(await opensPage('')).to.equal(false);
    expect(await opensPage(', confirmPage: true')).to.equal(true);
    expect(await problemsOf(withMails(', confirmPage: 1'))).to.eql(['email.confirmPage: expected true or false']);
  });

  it('limits neither the lifetime of tokens nor the interval of mails by default', async () => {
    const times = async (options: string) => {
      const { verification } = await configured(withMails(options));
      return [verification.tokenLifetimeMs, verification.resendIntervalMs];
    };
    expect(await times('')).to.eql([null, null]);
    expect(await times(', tokenLifetime: 7d, resendInterval: 1m')).to.eql([604_800_000, 60_000]);
    expect(await times(', tokenLifetime: 1h, resendInterval: 1h')).to.eql([3_600_000, 3_600_000]);
    expect(await problemsOf(withMails(', tokenLifetime: 24, resendInterval: soon'))).to.eql([
      'email.tokenLifetime: expected a duration such as 60s, 24h or 7d',
      'email.resendInterval: expected a duration such as 60s, 24h or 7d',
    ]);
    expect(await problemsOf(withMails(', tokenLifetime: 1h, resendInterval: 2h'))).to.eql([
      'email.resendInterval: is longer than tokenLifetime: a link would expire before a new one can be requested',
    ]);
  });

  it('refuses to confirm changes of address without the mails or the links for them', async () => {
    expect(await problemsOf(`${database}\nemail: {type: outbox, directory: mails, confirmChange: true}`)).to.eql([
      'email.confirmChange: needs server.publicUrl, with which the links start',
    ]);
    expect(await problemsOf(`${database}\nemail: {confirmChange: true}`)).to.eql([
      'email.confirmChange: needs a type of email other than none',
    ]);
  });

  it('reads no files with type none, and warns of keys without effect', async () => {
    const file = `${database}\nauth: {keys: [{application: a, secret: a secret of an application}]}\nemail: {region: eu-west-1, fromAddress: x, messageOptions: {bodyHtmlFilePath: /none}, verificationOnUpdate: server}`;

    const { email, verification } = await configured(file);
    expect(email).to.equal(undefined);
    expect(verification).to.eql({
      verificationOnUpdate: 'server',
      queue: false,
      confirmChange: false,
      tokenLifetimeMs: null,
      resendIntervalMs: null,
    });
    expect((await warningsOf(file)).filter((line) => line.startsWith('email.'))).to.eql([
      'email.region has no effect: email.type is none',
      'email.fromAddress has no effect: email.type is none',
      'email.messageOptions has no effect: email.type is none',
    ]);
  });

  it('refuses unknown types', async () => {
    for (const type of ['pigeon', '5']) {
      expect(await problemsOf(`${database}\nemail: {type: ${type}, endpoint: x}`)).to.eql([
        'email.type: expected one of none, ses, smtp, outbox, module',
      ]);
    }
  });
});

describe('the option email.tokenLifetime', () => {
  it('is required by a verification mail that shows it', async () => {
    const own = ', messageOptions: {bodyTextFilePath: "@/t"}';
    const files = { t: 'CODEGEN-URL works for CODEGEN-LIFETIME' };
    expect(await problemsOf(withMails(own), files)).to.deep.equal([
      'email.tokenLifetime: is absent, but a verification mail contains CODEGEN-LIFETIME',
    ]);
    expect((await configured(withMails(`${own}, tokenLifetime: 24h`), files)).email?.message.text).to.equal(files.t);
  });
});

describe('the option email.form', () => {
  const code = ', form: code, codeKey: a key of thirty-two bytes or more, tokenLifetime: 1h';

  it('is a link by default, and a code with a key and a lifetime', async () => {
    expect((await configured(withMails())).email?.codes).to.equal(undefined);
    expect((await configured(withMails(code))).email?.codes).to.deep.equal({
      keys: [{ secret: 'a key of thirty-two bytes or more', expires: null, option: 'email.codeKey[0]' }],
      attempts: 5,
      lifetimeMs: 3_600_000,
    });
    expect((await configured(withMails(`${code}, attempts: 3`))).email?.codes?.attempts).to.equal(3);
  });

  const refused: Readonly<Record<string, string>> = {
    ', form: code, tokenLifetime: 1h':
      'email.codeKey: is required with form: code; to make one: openssl rand -base64 32',
    ', form: code, codeKey: a key of thirty-two bytes or more':
      'email.tokenLifetime: is required with form: code, because a code can be guessed; write tokenLifetime: 1h',
    ', form: code, codeKey: short, tokenLifetime: 1h': 'email.codeKey: expected at least 32 bytes',
    [`${code}, confirmPage: true`]: 'email.confirmPage: has no effect with form: code, because no link opens a page',
    [`${code}, resendInterval: 2h`]:
      'email.resendInterval: is longer than tokenLifetime: a link would expire before a new one can be requested',
    [`${code}, attempts: 0`]: 'email.attempts: expected a whole number from 1 to 1000',
    ', codeKey: a key of thirty-two bytes or more': 'email.codeKey: has no effect with form: link',
    ', attempts: 3': 'email.attempts: has no effect with form: link',
  };
  for (const [options, problem] of Object.entries(refused))
    it(`is refused: ${problem}`, async () => {
      expect(await problemsOf(withMails(options))).to.deep.equal([problem]);
    });

  it('needs no public address of the service, because there is no link', async () => {
    const warnings = async (options: string) =>
      (await warningsOf(`${database}\nemail: {type: outbox${options}}`)).filter((line) =>
        line.startsWith('server.publicUrl is'),
      );
    expect(await warnings('')).to.have.length(1);
    expect(await warnings(code)).to.deep.equal([]);
  });
});

describe('the option email.productUrl', () => {
  const problems = (url: string) => problemsOf(withMails(`, productUrl: "${url}"`));

  it('is the address of a page, also with a query or a fragment', async () => {
    for (const url of ['https://shop.example', 'http://localhost:3000/?from=mail#/sign-in'])
      expect((await configured(withMails(`, productUrl: "${url}"`))).email?.productUrl).to.equal(url);
  });

  it('refuses what a browser must not open, and credentials', async () => {
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//shop.example',
      'https://',
      'https://a:b@shop.example',
    ])
      expect(await problems(url), url).to.deep.equal([
        'email.productUrl: expected an http or https URL without user and password',
      ]);
  });
});

describe('the option email.logo', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  const problem = async (options: string, logo: Buffer) =>
    problemsOf(withMails(`, logo: "@/logo"${options}`), { logo });

  it('needs a name, which is its alternative text', async () => {
    expect(await problem('', png)).to.deep.equal([
      'email.logo: needs productName, which programs show that do not load images',
    ]);
  });

  it('refuses files that mail programs do not show, and large ones', async () => {
    expect(await problem(', productName: Tea', Buffer.from('<svg/>'))).to.have.length(1);
    expect(await problem(', productName: Tea', Buffer.concat([png, Buffer.alloc(65_536)]))).to.deep.equal([
      'email.logo: the image is too large; expected at most 65536 bytes',
    ]);
  });
});
