import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const place = t.type({ functionName: t.string, url: t.string, lineNumber: t.number });
type Place = t.TypeOf<typeof place>;

/** The output of `node --cpu-prof` (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile). */
const profile = t.type({
  nodes: t.array(
    t.intersection([t.type({ id: t.number, callFrame: place }), t.partial({ children: t.array(t.number) })]),
  ),
  samples: t.array(t.number),
  timeDeltas: t.array(t.number),
});

/** Finds the modules of a bundle by the path comments that esbuild writes. */
class Bundles {
  private readonly files = new Map<string, readonly string[]>();

  /** The path of the module at a line (from 0) of a file; the file itself if it is not a bundle. */
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

/** Names of parts by the path of the module; the first match applies. */
export type Parts = readonly (readonly [name: string, paths: RegExp])[];

const garbageCollection = 'garbage collection';
const outside = new Set(['(idle)', '(root)', '(program)']);

/** The largest profile in a folder, which is that of the main thread. */
const read = (folder: string): t.TypeOf<typeof profile> => {
  const [largest] = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    // Worker threads have smaller profiles of their own.
    .sort((one, other) => other.length - one.length);
  const decoded = profile.decode(JSON.parse(largest ?? 'null'));
  if (isLeft(decoded)) throw new Error('there is no readable profile');
  return decoded.right;
};

/**
 * Shares (0 to 1) of CPU time by part, from the profile in a folder. A function that matches no part, such as a
 * builtin, counts for its caller; without a caller it counts for `rest`.
 */
export const sharesOf = (folder: string, parts: Parts, rest: string): ReadonlyMap<string, number> => {
  const { nodes, samples, timeDeltas } = read(folder);
  const bundles = new Bundles();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const places = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const own = ({ functionName, url, lineNumber }: Place): string | undefined => {
    if (functionName === '(garbage collector)') return garbageCollection;
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
