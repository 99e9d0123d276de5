import { expect } from 'chai';
import fc from 'fast-check';
import { Fault } from '../../../../application/fault.ts';
import { Secrets } from '../../../../application/ports/secrets.ts';
import { fill } from '../../../../bootstrap/configuration/secrets-block.ts';
import { codePoint } from '../../../../sdk/contract/arbitraries.ts';
import { basicAuth } from '../../../support/client-keys.ts';
import { Environment } from '../../../support/environment.ts';
import { configured, database, problemsOf } from './read-configuration.ts';

describe('placeholders of the configuration file', () => {
  const environment = new Environment();
  afterEach(() => environment.restore());

  const title = async (written: string): Promise<string> =>
    (await configured(`${database}\nopenApi: {title: ${JSON.stringify(written)}}`)).openApi.title;

  it('are replaced everywhere, also inside other text', async () => {
    environment.set('LATCHKEY_TEST_A', 'alpha');
    environment.set('LATCHKEY_TEST_B', 'beta');

    expect(await title('${LATCHKEY_TEST_A}')).to.equal('alpha');
    expect(await title('<${LATCHKEY_TEST_A}${LATCHKEY_TEST_B}>${LATCHKEY_TEST_A}')).to.equal('<alphabeta>alpha');
  });

  it('do not include $${ and single characters', async () => {
    expect(await title('$${LATCHKEY_TEST_A}')).to.equal('${LATCHKEY_TEST_A}');
    expect(await title('a$b $ {c} $')).to.equal('a$b $ {c} $');
  });

  it('are replaced with the secret as text, also if it looks like YAML', async () => {
    environment.set('LATCHKEY_TEST_OTHER', 'the other secret');
    const syntax = fc.constantFrom(
      '${LATCHKEY_TEST_OTHER}',
      '$${',
      '${',
      '}',
      '$&',
      '$1',
      '\n- a: b',
      '"',
      "'",
      '{x: y}',
      '# no',
      '*a',
      '!t',
      '\\',
    );
    // The environment holds no NUL, and a lone surrogate has no UTF-8 form.
    const secrets = fc
      .array(fc.oneof(syntax, fc.string({ unit: codePoint })), { minLength: 1 })
      .map((parts) => parts.join('').replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(
        secrets.filter((secret) => secret !== ''),
        async (secret) => {
          environment.set('LATCHKEY_TEST_ANY', secret);
          const held = process.env.LATCHKEY_TEST_ANY;
          const file = `${database}\nopenApi: {title: "\${LATCHKEY_TEST_ANY}", description: "<\${LATCHKEY_TEST_ANY}>"}`;
          const { openApi } = await configured(file);
          expect(openApi).to.include({ title: held, description: `<${held}>` });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are replaced in lists, and may hold numbers and flags', async () => {
    environment.set('LATCHKEY_TEST_A', '0');
    environment.set('LATCHKEY_TEST_B', 'true');
    environment.set('LATCHKEY_TEST_C', 's3cret');
    const file = `${database}
server: {port: "\${LATCHKEY_TEST_A}", trustProxy: "\${LATCHKEY_TEST_B}"}
auth: {keys: [{application: a, secret: "\${LATCHKEY_TEST_C}"}]}`;

    const { server, auth } = await configured(file);
    expect(server).to.include({ port: 0, trustProxy: 1 });
    expect(auth).to.eql(basicAuth('a', 's3cret'));
  });

  it('are reported at each place when their secret is unknown, with every other problem', async () => {
    for (const name of ['LATCHKEY_TEST_A', 'LATCHKEY_TEST_B']) environment.set(name, undefined);
    const file = `
database: {type: "\${LATCHKEY_TEST_A}"}
server: {port: "\${LATCHKEY_TEST_B}", adminPort: x}
auth: {type: oauth, issuer: i, hmacSecret: "\${LATCHKEY_TEST_A}\${LATCHKEY_TEST_B}"}`;

    expect(await problemsOf(file)).to.eql([
      'database.type: the environment variable LATCHKEY_TEST_A is not set',
      'server.port: the environment variable LATCHKEY_TEST_B is not set',
      'auth.hmacSecret: the environment variable LATCHKEY_TEST_A is not set',
      'auth.hmacSecret: the environment variable LATCHKEY_TEST_B is not set',
      'server.adminPort: expected a whole number from 0 to 65535',
    ]);
  });

  it('may have a default, which stands for an unknown secret only', async () => {
    environment.set('LATCHKEY_TEST_A', '9000');
    environment.set('LATCHKEY_TEST_B', undefined);
    const file = `${database}
server: {port: "\${LATCHKEY_TEST_A:-8080}", adminPort: "\${LATCHKEY_TEST_B:-8081}"}
openApi: {title: "\${LATCHKEY_TEST_B:-a:-b}"}`;
    const { server, openApi } = await configured(file);
    expect(server).to.include({ port: 9000, adminPort: 8081 });
    expect(openApi.title).to.equal('a:-b');
  });

  it('are reported when they are malformed', async () => {
    for (const written of ['${', 'a${b', '${}', '${a b}', '${:-default}', '${a b:-default}']) {
      const [problem, ...others] = await problemsOf(`${database}\nopenApi: {title: ${JSON.stringify(written)}}`);
      expect(others).to.eql([]);
      expect(problem).to.match(/^openApi\.title: expected \$\{NAME\}.*write \$\$\{ for a literal \$\{$/);
    }
  });

  it('are replaced from the environment in the block secrets', async () => {
    environment.set('LATCHKEY_TEST_A', 'env');
    environment.set('LATCHKEY_TEST_B', undefined);

    expect((await configured(`${database}\nsecrets: {provider: "\${LATCHKEY_TEST_A}"}`)).secrets.provider).to.equal(
      'env',
    );
    expect(await problemsOf(`${database}\nsecrets: {provider: "\${LATCHKEY_TEST_B}"}\nserver: {port: "\${X}"}`)).to.eql(
      ['secrets.provider: the environment variable LATCHKEY_TEST_B is not set'],
    );
  });

  it('are not looked up when the provider is wrong', async () => {
    expect(await problemsOf(`${database}\nsecrets: {provider: nowhere}\nserver: {port: "\${X}", host: 1}`)).to.eql([
      'server.host: expected text (in quotes if it looks like a number)',
      'secrets.provider: expected one of env, secretsmanager, module',
    ]);
  });
});

/** A provider that records the names it is asked for, and may be unavailable. */
class RecordingSecrets extends Secrets {
  readonly asked: string[] = [];
  reachable = true;

  async get(name: string): Promise<string> {
    this.asked.push(name);
    if (!this.reachable) throw new Fault('secrets_unavailable', 'unavailable');
    return name.toLowerCase();
  }

  async check(): Promise<string> {
    return 'asked';
  }

  async close(): Promise<void> {}
}

describe('filling in placeholders', () => {
  it('looks up each name once, and no escaped ones', async () => {
    const secrets = new RecordingSecrets();
    const { value } = await fill({ a: '${A}${B}', b: ['${A}', '$${C}', 5, null] }, [], secrets);

    expect(value).to.eql({ a: 'ab', b: ['a', '${C}', 5, null] });
    expect(secrets.asked.sort()).to.eql(['A', 'B']);
  });

  it('accepts the names of Secrets Manager, with paths', async () => {
    expect((await fill('${PROD/db+x=y.z@1-2_3}', [], new RecordingSecrets())).value).to.equal('prod/db+x=y.z@1-2_3');
  });

  it('fails when the provider is unavailable', async () => {
    const secrets = new RecordingSecrets();
    secrets.reachable = false;
    const fault: unknown = await fill('${A}', [], secrets).catch((error: unknown) => error);

    expect(fault).to.be.instanceOf(Fault).with.property('code', 'secrets_unavailable');
  });
});
