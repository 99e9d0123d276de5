// `npm run check:vulnerabilities` queries OSV (https://google.github.io/osv.dev/post-v1-querybatch/) for the packages
// of package-lock.json and dist/sbom.cdx.json. Exits with 1 if a vulnerability is known, and with 0 if OSV cannot be
// reached, because most builds run without a network; REQUIRE_OSV=1 makes that a failure. OSV_URL selects another
// server.
import { readFile } from 'node:fs/promises';
import * as t from 'io-ts';
import { PackageURL } from 'packageurl-js';

const root = new URL('../../', import.meta.url);
const url = new URL('/v1/querybatch', process.env.OSV_URL || 'https://api.osv.dev');
/** The maximum number of queries in one request to OSV. */
const batchSize = 1000;
const timeoutMs = 30_000;

const Lock = t.type({
  packages: t.record(t.string, t.partial({ version: t.string, resolved: t.string, name: t.string })),
});
const Sbom = t.type({ components: t.array(t.type({ purl: t.string })) });
// Long results have several pages; the first is enough to fail.
const OsvResponse = t.type({ results: t.array(t.partial({ vulns: t.array(t.type({ id: t.string })) })) });

/** Decodes a file of the repository; throws if it is missing or not valid. */
const decoded = async <A>(codec: t.Type<A, unknown, unknown>, path: string): Promise<A> => {
  const value: unknown = JSON.parse(await readFile(new URL(path, root), 'utf8'));
  if (!codec.is(value)) throw new Error(`${path} is not valid`);
  return value;
};

const purlOf = (path: string, version: string): string => {
  const [name, group] = path
    .replace(/^.*node_modules\//, '')
    .split('/')
    .reverse();
  return new PackageURL('npm', group, name ?? '', version, undefined, undefined).toString();
};

/** The vulnerability ids of each package, in order. Rejects without a valid response of OSV. */
const vulnerabilityIdsOf = async (purls: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const body = JSON.stringify({ queries: purls.map((purl) => ({ package: { purl } })) });
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`the response has status ${response.status}`);
  const found: unknown = await response.json();
  if (!OsvResponse.is(found) || found.results.length !== purls.length) throw new Error('the response is not valid');
  return found.results.map(({ vulns = [] }) => vulns.map(({ id }) => id));
};

const { packages } = await decoded(Lock, 'package-lock.json');
const locked = Object.entries(packages).flatMap(([path, { version, resolved = '', name }]) =>
  path === '' || version === undefined || resolved.startsWith('file:') ? [] : [purlOf(name ?? path, version)],
);
const shipped = new Set((await decoded(Sbom, 'dist/sbom.cdx.json')).components.map(({ purl }) => purl));
const purls = [...new Set([...shipped, ...locked])].sort();

const known: (readonly string[])[] = [];
try {
  for (let start = 0; start < purls.length; start += batchSize)
    known.push(...(await vulnerabilityIdsOf(purls.slice(start, start + batchSize))));
} catch (error) {
  // The cause of a fetch error has the reason.
  const reasons = [error instanceof Error && error.cause, error].map((each) =>
    each instanceof Error ? each.message : '',
  );
  console.error(
    `NOT CHECKED: known vulnerabilities; ${url.host} cannot be reached: ${reasons.find((each) => each !== '')}`,
  );
  process.exit(process.env.REQUIRE_OSV ? 1 : 0);
}

const vulnerable = purls.flatMap((purl, index) => (known[index]?.length ? [{ purl, ids: known[index] }] : []));
for (const { purl, ids } of vulnerable)
  console.error(`${purl} (${shipped.has(purl) ? 'shipped' : 'development'}): ${ids.join(', ')}`);
console.log(
  `vulnerabilities: ${purls.length} packages, ${shipped.size} of them shipped, ${vulnerable.length} vulnerable`,
);
process.exitCode = vulnerable.length === 0 ? 0 : 1;
