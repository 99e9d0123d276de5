import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The declarations in package.json, without extensions. */
const published = [
  'sdk/ports',
  'sdk/client/index',
  'sdk/testing/index',
  'sdk/testing/container',
  'sdk/contract/index',
  'sdk/contract/http/suite',
];

const specifier = /(?<=\bfrom ['"]|\bimport\(['"]|\bimport ['"]|\bdeclare module ['"])[^'"]+(?=['"])/g;

const isBuiltin = (name: string): boolean => name.startsWith('node:') || builtinModules.includes(name);

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** Resolves a path to its declaration: a file with or without extension, or a folder, which may have a manifest. */
const declarationAt = async (path: string): Promise<string> => {
  const manifest = resolve(path, 'package.json');
  if (existsSync(manifest)) {
    const { types, typings } = JSON.parse(await readFile(manifest, 'utf8'));
    return resolve(path, types ?? typings ?? 'index.d.ts');
  }
  const stem = path.replace(/(\.d)?\.[cm]?[jt]s$/, '');
  const found = [`${stem}.d.ts`, `${path}.d.ts`, `${path}/index.d.ts`].find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${path} has no declaration`);
  return found;
};

/**
 * Writes the declarations of the published modules to dist/types, including those of the sources that they need, and
 * under `packages/` those of bundled packages, which are not installed with Latchkey.
 */
export const writeDeclarations = async (root: URL, dist: URL, installed: readonly string[]): Promise<void> => {
  const modules = fileURLToPath(new URL('node_modules', root));
  const types = fileURLToPath(new URL('types', dist));
  const compiler = resolve(modules, '@typescript/native/bin/tsc');
  const project = fileURLToPath(new URL('tsconfig.build.json', root));
  if (spawnSync(process.execPath, [compiler, '--project', project], { stdio: 'inherit' }).status !== 0)
    throw new Error('the declarations could not be generated');

  /** The path at which a declaration is published. */
  const placeOf = (file: string): string =>
    file.startsWith(types + sep) ? file : resolve(types, 'packages', relative(modules, file));

  const texts = new Map<string, string>();
  const add = async (file: string): Promise<void> => {
    const place = placeOf(file);
    if (texts.has(place)) return;
    texts.set(place, '');
    const text = await readFile(file, 'utf8');
    const targets = new Map<string, string>();
    for (const [name] of text.matchAll(specifier)) {
      if (isBuiltin(name) || installed.includes(packageOf(name))) continue;
      const target = await declarationAt(name.startsWith('.') ? resolve(dirname(file), name) : resolve(modules, name));
      await add(target);
      const path = relative(dirname(place), placeOf(target)).split(sep).join('/');
      targets.set(name, `${path.startsWith('.') ? '' : './'}${path.replace(/\.d\.ts$/, '.js')}`);
    }
    texts.set(
      place,
      text.replace(specifier, (name) => targets.get(name) ?? name),
    );
  };
  for (const name of published) await add(resolve(types, `${name}.d.ts`));

  for (const name of await readdir(types)) await rm(resolve(types, name), { recursive: true });
  for (const [place, text] of texts) {
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
};
