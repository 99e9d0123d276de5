import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const callFrame = t.type({ functionName: t.string, url: t.string, lineNumber: t.number, columnNumber: t.number });
type CallFrame = t.TypeOf<typeof callFrame>;

/** The output of `node --cpu-prof` (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile). */
const profile = t.type({
  nodes: t.array(t.intersection([t.type({ id: t.number, callFrame }), t.partial({ children: t.array(t.number) })])),
  samples: t.array(t.number),
  timeDeltas: t.array(t.number),
});

/** Finds the source modules of bundled code by its source maps. */
class SourceModules {
  private readonly maps = new Map<string, SourceMap | null>();

  /** The path of the module of a function; the URL of its file if that has no source map. */
  moduleOf({ url, lineNumber, columnNumber }: CallFrame): string {
    const entry = this.mapOf(url)?.findEntry(lineNumber, columnNumber);
    return entry !== undefined && 'originalSource' in entry ? entry.originalSource : url;
  }

  private mapOf(url: string): SourceMap | null {
    const known = this.maps.get(url);
    if (known !== undefined) return known;
    const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
    const map = file !== '' && existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null;
    this.maps.set(url, map);
    return map;
  }
}

/** Names of parts by the path of the module; the first match applies. */
export type Parts = readonly (readonly [name: string, paths: RegExp])[];

const garbageCollection = 'garbage collection';
const notWorking = new Set(['(idle)', '(root)', '(program)']);

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
  const modules = new SourceModules();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const places = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const own = (called: CallFrame): string | undefined => {
    if (called.functionName === '(garbage collector)') return garbageCollection;
    const path = modules.moduleOf(called);
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
    if (notWorking.has(places.get(id)?.functionName ?? '')) continue;
    const time = timeDeltas[index] ?? 0;
    total += time;
    shares.set(nameOf(id), (shares.get(nameOf(id)) ?? 0) + time);
  }
  return new Map([...shares].map(([name, time]) => [name, time / total]));
};
