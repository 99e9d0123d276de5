import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const place = t.type({ functionName: t.string, url: t.string, lineNumber: t.number });
type Place = t.TypeOf<typeof place>;

/** What `node --cpu-prof` writes (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile). */
const profile = t.type({
  nodes: t.array(
    t.intersection([t.type({ id: t.number, callFrame: place }), t.partial({ children: t.array(t.number) })]),
  ),
  samples: t.array(t.number),
  timeDeltas: t.array(t.number),
});

/** The modules of a bundle: esbuild writes the path of each above it. */
class Bundles {
  private readonly files = new Map<string, readonly string[]>();

  /** The path of the module that a line (from 0) of a file belongs to: of the file itself where it is no bundle. */
  moduleAt(url: string, line: number): string {
    const paths = this.pathsIn(url);
    return paths[Math.min(line, paths.length - 1)] || url;
  }

  private pathsIn(url: string): readonly string[] {
    const known = this.files.get(url) ?? (url.startsWith('file:') ? this.read(url) : []);
    this.files.set(url, known);
    return known;
  }

  private read(url: string): readonly string[] {
    let path = '';
    return readFileSync(fileURLToPath(url), 'utf8')
      .split('\n')
      .map((line) => {
        path = /^\s*\/\/ ((?:[\w@.-]+\/)+[\w@.-]+\.[cm]?js)$/.exec(line)?.[1] ?? path;
        return path;
      });
  }
}

/** What a part of the work is called, by the path of its module: the first that fits. */
export type Parts = readonly (readonly [name: string, paths: RegExp])[];

const collector = 'garbage collector';
const outside = new Set(['(idle)', '(root)', '(program)']);

/** The newest profile in a folder. */
const read = (folder: string): t.TypeOf<typeof profile> => {
  const [largest] = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    // A thread has a profile of its own, and less to do.
    .sort((one, other) => other.length - one.length);
  const decoded = profile.decode(JSON.parse(largest ?? 'null'));
  if (isLeft(decoded)) throw new Error('there is no readable profile');
  return decoded.right;
};

/**
 * The shares (0 to 1) of the processor time that parts of a program took, from the profile that it left in a folder. What
 * fits no part, as the builtins of the language do, counts for whoever called it; what nobody called for `rest`.
 */
export const sharesOf = (folder: string, parts: Parts, rest: string): ReadonlyMap<string, number> => {
  const { nodes, samples, timeDeltas } = read(folder);
  const bundles = new Bundles();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const places = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const own = ({ functionName, url, lineNumber }: Place): string | undefined => {
    if (functionName === '(garbage collector)') return collector;
    const path = bundles.moduleAt(url, lineNumber);
    return parts.find(([, paths]) => paths.test(path))?.[0];
  };
  const names = new Map<number, string>();
  const nameOf = (id: number): string => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const found = places.get(id);
    const parent = parents.get(id);
    const name = (found && own(found)) ?? (parent === undefined ? rest : nameOf(parent));
    names.set(id, name);
    return name;
  };
  const shares = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    if (outside.has(places.get(id)?.functionName ?? '')) continue;
    const time = timeDeltas[index] ?? 0;
    total += time;
    shares.set(nameOf(id), (shares.get(nameOf(id)) ?? 0) + time);
  }
  return new Map([...shares].map(([name, time]) => [name, time / total]));
};
