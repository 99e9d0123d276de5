import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { isMapping, type Problem } from '../../adapters/kit/option-block.ts';
import { sections } from '../../bootstrap/configuration/configuration.ts';
import { ConfigurationError, decodeConfiguration } from '../../bootstrap/configuration/index.ts';
import { silentContext } from '../support/doubles/silent-context.ts';
import { Environment } from '../support/environment.ts';
import { documentPaths, textOf } from './documents.ts';

type Mapping = Readonly<Record<string, unknown>>;

interface Example {
  readonly document: string;
  readonly line: number;
  readonly values: Mapping;
}

const fence = /^```ya?ml\n([\s\S]*?)^```$/gm;

/** The YAML blocks of a document that are a configuration or a part of one. */
const configurationsIn = (document: string): readonly Example[] => {
  const text = textOf(document);
  return [...text.matchAll(fence)].flatMap(({ 1: yaml = '', index }) =>
    parseAllDocuments(yaml)
      .map((parsed): unknown => parsed.toJS())
      .filter(isMapping)
      .filter((values) => Object.keys(values).every((key) => Object.hasOwn(sections.options, key)))
      .map((values) => ({ document, line: text.slice(0, index).split('\n').length + 1, values })),
  );
};

/** The blocks of a former release, which stay valid, although later releases warn about more. */
const formerBlocks = 'tests/docs/configurations-0.1.0.md';
const examples = [...documentPaths, formerBlocks].flatMap(configurationsIn);

const block = (values: Mapping, name: string): Mapping => {
  const found = values[name];
  return isMapping(found) ? found : {};
};

/** An adapter of another package is not installed here; tests/examples tests the document that shows it. */
const namesModule = (values: Mapping): boolean =>
  Object.values(values).some((inner) => isMapping(inner) && Object.values(inner).includes('module'));

const isComplete = (values: Mapping): boolean => ['database', 'auth'].every((name) => Object.hasOwn(values, name));

/** Files in examples do not exist. */
const isMissingFile = ({ message }: Problem): boolean => /the file does not exist|can't be read/.test(message);

const decoded = async (values: Mapping): Promise<{ problems: readonly Problem[]; warnings: readonly string[] }> => {
  try {
    const { warnings } = await decodeConfiguration('the block', values, silentContext.log);
    return { problems: [], warnings };
  } catch (error) {
    if (error instanceof ConfigurationError) return { problems: error.problems, warnings: [] };
    throw error;
  }
};

const secretsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\$\{([^}]+)\}/g)].map(([, name = '']) => name);

/** A valid secret for the option that uses this name. */
const secretFor = (name: string): string => {
  if (name.endsWith('URI')) return 'mongodb://localhost:27017/';
  if (name.endsWith('POSTGRESQL_URL')) return 'postgresql://latchkey@localhost/latchkey';
  const secret = 'a-secret-of-at-least-thirty-two-bytes';
  if (name.endsWith('SIGNER_KEY')) return Buffer.from(secret).toString('base64');
  return name.endsWith('WEBHOOK_SECRET') ? `whsec_${Buffer.from(secret).toString('base64')}` : secret;
};

describe('Configurations in the documents', () => {
  const environment = new Environment();
  before(() => {
    for (const name of examples.flatMap(({ values }) => secretsIn(JSON.stringify(values))))
      environment.set(name, secretFor(name));
  });
  after(() => environment.restore());

  it('are found', () => {
    expect(examples.filter(({ document }) => document === 'docs/configuration.md')).to.have.length.above(2);
  });

  for (const { document, line, values } of examples.filter((found) => !namesModule(found.values)))
    it(`${document}, line ${line}: is valid`, async () => {
      const { secrets, ...others } = values;
      const required = { database: { type: 'sqlite' } };
      // The environment replaces the secrets service, which is not reachable here.
      const { problems, warnings } = await decoded({ ...required, ...others });
      expect(problems.filter((problem) => !isMissingFile(problem))).to.deep.equal([]);
      const isPermanent = isComplete(values) && block(values, 'database').type !== 'memory';
      if (document !== formerBlocks && isPermanent) expect(warnings).to.deep.equal([]);
      if (secrets !== undefined) expect((await decoded({ ...required, secrets })).problems).to.deep.equal([]);
    });

  it('include a complete one for each engine in docs/configuration.md', () => {
    const complete = examples.filter(
      ({ document, values }) => document === 'docs/configuration.md' && isComplete(values),
    );
    const chosen = (name: string, key: string) => complete.map(({ values }) => block(values, name)[key]);
    expect(chosen('database', 'type')).to.include.members(['sqlite', 'mongodb', 'postgresql', 'dynamodb']);
    expect(chosen('email', 'type')).to.include.members(['smtp', 'ses']);
    expect(chosen('secrets', 'provider')).to.include('secretsmanager');
  });
});
