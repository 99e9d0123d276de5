import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { isMapping, type Problem } from '../../adapters/kit/option-block.ts';
import { sections } from '../../bootstrap/configuration/decode.ts';
import { ConfigurationError, decodeConfiguration } from '../../bootstrap/configuration/index.ts';
import { silentContext } from '../support/doubles/silent-tools.ts';
import { Environment } from '../support/environment.ts';
import { documentPaths, textOf } from './documents.ts';

type Mapping = Readonly<Record<string, unknown>>;

interface Shown {
  readonly document: string;
  readonly line: number;
  readonly values: Mapping;
}

const fence = /^```ya?ml\n([\s\S]*?)^```$/gm;

/** The blocks of a document that are a configuration, or a part of one. */
const configurationsIn = (document: string): readonly Shown[] => {
  const text = textOf(document);
  return [...text.matchAll(fence)].flatMap(({ 1: yaml = '', index }) =>
    parseAllDocuments(yaml)
      .map((parsed): unknown => parsed.toJS())
      .filter(isMapping)
      .filter((values) => Object.keys(values).every((key) => Object.hasOwn(sections.options, key)))
      .map((values) => ({ document, line: text.slice(0, index).split('\n').length + 1, values })),
  );
};

const shown = documentPaths.flatMap(configurationsIn);

const block = (values: Mapping, name: string): Mapping => {
  const found = values[name];
  return isMapping(found) ? found : {};
};

/** An adapter of another package is not installed here; the document that shows it has a test of its own. */
const namesModule = (values: Mapping): boolean =>
  Object.values(values).some((inner) => isMapping(inner) && Object.values(inner).includes('module'));

const isComplete = (values: Mapping): boolean => ['database', 'auth'].every((name) => Object.hasOwn(values, name));

/** Files that a document names are not there. */
const isOfFile = ({ message }: Problem): boolean => /there is no such file|can't be read/.test(message);

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

/** A secret that suits the option that such a name stands for. */
const secretFor = (name: string): string => {
  if (name.endsWith('URI')) return 'mongodb://localhost:27017/';
  const secret = 'a-secret-of-at-least-thirty-two-bytes';
  return name.endsWith('WEBHOOK_SECRET') ? `whsec_${Buffer.from(secret).toString('base64')}` : secret;
};

describe('the configurations in the documents', () => {
  const environment = new Environment();
  before(() => {
    for (const name of shown.flatMap(({ values }) => secretsIn(JSON.stringify(values))))
      environment.set(name, secretFor(name));
  });
  after(() => environment.restore());

  it('are found', () => {
    expect(shown.filter(({ document }) => document === 'README.md')).to.have.length.above(2);
  });

  for (const { document, line, values } of shown.filter((found) => !namesModule(found.values)))
    it(`${document}, line ${line}: can be used`, async () => {
      const { secrets, ...others } = values;
      const least = { database: { type: 'sqlite' } };
      // The environment stands in for a secrets service that would have to be reached.
      const { problems, warnings } = await decoded({ ...least, ...others });
      expect(problems.filter((problem) => !isOfFile(problem))).to.deep.equal([]);
      if (isComplete(values) && block(values, 'database').type !== 'memory') expect(warnings).to.deep.equal([]);
      if (secrets !== undefined) expect((await decoded({ ...least, secrets })).problems).to.deep.equal([]);
    });

  it('show each engine in a complete one in the README', () => {
    const complete = shown.filter(({ document, values }) => document === 'README.md' && isComplete(values));
    const chosen = (name: string, key: string) => complete.map(({ values }) => block(values, name)[key]);
    expect(chosen('database', 'type')).to.include.members(['sqlite', 'mongodb', 'dynamodb']);
    expect(chosen('email', 'type')).to.include.members(['smtp', 'ses']);
    expect(chosen('secrets', 'provider')).to.include('secretsmanager');
  });
});
