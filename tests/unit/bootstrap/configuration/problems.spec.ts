import { expect } from 'chai';
import { readConfiguration } from '../../../../bootstrap/configuration/configuration-file.ts';
import { ConfigurationError } from '../../../../bootstrap/configuration/index.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { database, problemsOf, refusalOf } from './read-configuration.ts';

const severalMistakes = `
server:
  prot: 80
  adminPort: many
database:
  type: oracle
passwordHash:
  algorithm: bcrypt
  cost: 99
emial: {}
auth:
  keys:
    - application: app
    - secret: x
      application: "a:b"
`;

describe('a wrong configuration', () => {
  it('is refused with every problem and its path', async () => {
    const lines = (await refusalOf(severalMistakes)).message.split('\n');

    expect(lines[0]).to.match(/latchkey\.yaml can't be used: 7 problems$/);
    expect(lines.slice(1)).to.eql([
      '  emial: unknown key; did you mean email?',
      '  server.adminPort: expected a whole number from 0 to 65535',
      '  server.prot: unknown key; did you mean port?',
      '  database.type: expected one of sqlite, mongodb, postgresql, dynamodb, memory, module',
      '  passwordHash.cost: expected a whole number from 4 to 15',
      '  auth.keys[0].secret: is required, or secrets instead',
      '  auth.keys[1].application: must not contain a colon, which ends the user of Basic credentials',
    ]);
  });

  it('must not have a rule for a field of every user', async () => {
    const rules = 'properties: {allowed: [{name: email, type: map}, {name: plan, type: string}]}';
    expect(await problemsOf(`${database}\n${rules}`)).to.eql([
      'properties.allowed[0].name: is a field of every user, not a custom property',
    ]);
  });

  it('needs a database', async () => {
    for (const file of ['', '---', '# nothing\n', 'database:\n']) {
      expect(await problemsOf(file)).to.eql([
        'database: is required: a block with type: one of sqlite, mongodb, postgresql, dynamodb, memory, module',
      ]);
    }
    expect(await problemsOf('database: {path: x}')).to.eql([
      'database.type: is required: one of sqlite, mongodb, postgresql, dynamodb, memory, module',
    ]);
  });

  it('is reported when it or a block is not a mapping', async () => {
    expect((await refusalOf('- a\n- b\n')).message).to.match(/\n {2}expected a block of options$/);
    for (const block of [
      'server',
      'logging',
      'email',
      'secrets',
      'passwordHash',
      'properties',
      'openApi',
      'auth',
      'options',
    ]) {
      for (const value of ['[]', 'yes', '12']) {
        expect(await problemsOf(`${database}\n${block}: ${value}`), `${block}: ${value}`).to.eql([
          `${block}: expected a block of options`,
        ]);
      }
    }
  });

  it('must not keep users in memory in several processes', async () => {
    const yaml = 'database: {type: memory}\nserver: {workers: 2}';
    expect(await problemsOf(yaml)).to.eql([
      'server.workers: must be 1 with database.type: memory, because each process has users of its own',
    ]);
  });

  it('is refused for keys that neither the service nor the adapter has', async () => {
    expect(await problemsOf('database: {type: sqlite, pth: x}')).to.eql([
      'database.pth: unknown key; did you mean path?',
    ]);
    expect(await problemsOf('database: {type: sqlite, tpye: x}')).to.eql([
      'database.tpye: unknown key; did you mean type?',
    ]);
    expect(await problemsOf(`${database}\nemail: {type: outbox, mesageOptions: {}, directry: x}`)).to.eql([
      'email.mesageOptions: unknown key; did you mean messageOptions?',
      'email.directry: unknown key; did you mean directory?',
    ]);
    expect(await problemsOf(`${database}\npasswordHash: {algorithm: simple, cost: 4}`)).to.have.lengthOf(1);
  });

  it('is refused at once, with its first problems, when it is a file with thousands, as one of exported users', async () => {
    const users = Array.from({ length: 2_000 }, (_, n) => `{"email":{"address":"${n}@example.com"},"password":"x"}`);
    const startedMs = performance.now();
    expect(await problemsOf(users.join('\n'))).to.have.lengthOf.within(1, 50);
    expect(performance.now() - startedMs).to.be.lessThan(5_000);
  });

  it('is refused for syntax errors, by line and without its content', async () => {
    const colon =
      'a second colon in one line, or more indentation in the next line; put text with a colon and a space in quotes';
    const files: Readonly<Record<string, string>> = {
      'line 3: this key occurs twice in its block; keep one': `${database}\nserver: {}\nserver: {}`,
      'line 2: this alias has no anchor above it; put text that starts with * in quotes': `${database}\nauth: *hunter2`,
      'line 2: this alias is inside of what it repeats': `${database}\nauth: &hunter2 {keys: [*hunter2]}`,
      'line 2: unknown tag, or a value that does not match it; put text that starts with ! in quotes': `${database}\nauth: !hunter2`,
      [`line 2: ${colon}`]: `${database}\nauth: hunter2: x`,
      [`line 3: ${colon}`]: `${database}\nserver:\n  port: 1\n   host: hunter2\n`,
      'line 2: unknown escape in double quotes; write \\\\ for a backslash, or use single quotes': `${database}\nauth: "\\hunter2"`,
      'line 2: indent with spaces, not with tabs': `server:\n\tport: 1\n`,
      'line 3: the file holds more than one document; remove everything from this ---': `${database}\n\n---\nhunter2: x`,
      'line 2: unexpected text; inside { } and [ ] put placeholders in quotes: "${NAME}"': `${database}\nauth: {keys: [{application: a, secret: \${HUNTER2}}]}`,
      'line 2: the quote that starts here has no end': `${database}\nauth: "hunter2\nserver:\n  port: 1\n`,
      'line 2: this { or [ has no matching end; indent the lines inside it': `${database}\nauth: {keys: [}\nserver: {}\n`,
      'line 2: a quote, bracket, comma or colon is missing': `${database}\nauth: {keys: ["hunter2""hunter2"]}\n`,
      'line 3: this { or [ has no matching end; indent the lines inside it': `${database}\nserver: {}\nauth: [hunter2,\nemail: {}\n`,
      'line 4: the quote that starts here has no end': `${database}\nserver: {}\n\nauth: {keys: 'hunter2]}\nemail: {}\n`,
    };
    for (const [problem, file] of Object.entries(files)) {
      const problems = await problemsOf(file);
      expect(problems[0], file).to.equal(problem);
      expect(problems.join('\n').replace('"${NAME}"', '')).to.not.match(/hunter2/i);
    }
  });

  it('is refused without parsing where the file is much too large', async () => {
    const withComment = (length: number) => problemsOf(`auth: [\n#${' '.repeat(length)}\n`);
    expect(await withComment(1024 * 1024)).to.eql([': the file is larger than 1 MiB']);
    expect((await withComment(1000 * 1024))[0]).to.match(/^line 1: /);
  });

  it('is refused when the file is missing or a folder', async () => {
    const missing: unknown = await readConfiguration('/nowhere/latchkey.yaml', silentContext.log).catch(
      (error: unknown) => error,
    );
    expect(missing).to.be.instanceOf(ConfigurationError);
    expect(missing)
      .to.have.nested.property('problems[0].message')
      .that.matches(/^the file does not exist/);

    const folder: unknown = await readConfiguration('config', silentContext.log).catch((error: unknown) => error);
    expect(folder).to.have.nested.property('problems[0].message', 'expected a file; this is a directory');
  });

  it('is refused for keys with the names of inherited members', async () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      expect(await problemsOf(`${database}\n${key}: {type: none}`)).to.have.lengthOf(1);
      expect(await problemsOf(`database: {type: ${key}}`)).to.eql([
        'database.type: expected one of sqlite, mongodb, postgresql, dynamodb, memory, module',
      ]);
      expect(await problemsOf(`${database}\nserver: {${key}: 1}`)).to.have.lengthOf(1);
    }
  });
});
