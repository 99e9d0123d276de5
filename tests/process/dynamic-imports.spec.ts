import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { program } from './installation.ts';

const dist = dirname(program);
const files = readdirSync(dist).filter((name) => name.endsWith('.js'));

/** The file of an `import()`, what is imported, and the members that are read; undefined for the whole module. */
interface DynamicImport {
  readonly file: string;
  readonly target: string;
  readonly members: readonly string[] | undefined;
}

/** The names in `a,b:c` and in `a as b,c`, before or after the separator. */
const namesIn = (list: string, separator: RegExp, index: 0 | -1): readonly string[] =>
  list.split(',').flatMap((entry) => entry.trim().split(separator).at(index) || []);

const importsIn = (file: string): readonly DynamicImport[] => {
  const text = readFileSync(join(dist, file), 'utf8');
  const read: DynamicImport[] = [];
  const add = (target = '', members?: readonly string[]): string => {
    read.push({ file, target, members });
    return '';
  };
  // Last the imports in any other form. Those of an array of promises are of this kind.
  text
    .replace(/\{([^{}]*)\}=await import\(["`]([^"`$]+)["`]\)/g, (_, list: string, target: string) =>
      add(target, namesIn(list, /[:=]/, 0)),
    )
    .replace(/\(await import\(["`]([^"`$]+)["`]\)\)\.(\w+)/g, (_, target: string, member: string) =>
      add(target, [member]),
    )
    .replace(/\bimport\(["`]([^"`$]+)["`]\)/g, (_, target: string) => add(target));
  return read;
};

/** The names that a file of the bundle exports, which are listed at its end, or those of a module of Node.js. */
const exportsOf = async (target: string): Promise<readonly string[]> => {
  if (!target.startsWith('./')) return Object.keys(await import(target));
  const end = readFileSync(join(dist, target), 'utf8').slice(-20_000);
  const named = /export\{([^{}]*)\};?\s*(?:\/\/#.*)?\s*$/.exec(end)?.[1] ?? '';
  return [...namesIn(named, /\s+as\s+/, -1), ...(/[;}]export default /.test(end) ? ['default'] : [])];
};

describe('the modules of Node.js in the built program', () => {
  // An import reads all members: that of node:http loads the HTTP client, for a third of the time of a start.
  it('are not imported, but read for the members that it uses', () => {
    const imports = files.filter((file) => /\bfrom ?["'`]node:/.test(readFileSync(join(dist, file), 'utf8')));
    expect(imports).to.deep.equal([]);
  });
});

describe('the dynamic imports of the built program', () => {
  // The build gives a CommonJS package only the export `default`, where Node.js and the types have its members too.
  it('read only what the imported file exports', async () => {
    const wrong: string[] = [];
    const imports = files.flatMap(importsIn);
    for (const { file, target, members } of imports) {
      const exported = await exportsOf(target);
      if (exported.length === 0) wrong.push(`${file}: ${target} has no exports`);
      if (members === undefined && exported.join() === 'default')
        wrong.push(`${file}: ${target} exports only \`default\`; write const { default: name } = await import(…)`);
      for (const name of members ?? [])
        if (!exported.includes(name)) wrong.push(`${file}: ${target} does not export ${name}`);
    }
    expect(wrong).to.deep.equal([]);
    const targets = imports.map(({ target }) => target.replace(/-[\w-]{8}\.js$/, ''));
    expect(targets).to.include.members(['./cli-progress', './pino-pretty', './nodemailer', './postal-mime', './serve']);
  });
});
