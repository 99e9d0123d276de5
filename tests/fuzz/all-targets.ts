import { bodyTargets } from './body-targets.ts';
import { formTargets } from './form-targets.ts';
import { type FuzzTarget, fuzz as run } from './fuzz-target.ts';
import { hashTargets } from './hash-targets.ts';
import { headerTargets } from './header-targets.ts';
import { importTargets } from './import-targets.ts';
import { requestTargets } from './request-targets.ts';
import { tokenTargets } from './token-targets.ts';

/** Targets that share a run of the fuzzer, with their part of the time. */
interface Kind {
  readonly weight: number;
  readonly targets: Readonly<Record<string, FuzzTarget>>;
}

export const kinds: Readonly<Record<string, Kind>> = {
  bodies: { weight: 15, targets: bodyTargets },
  forms: { weight: 5, targets: formTargets },
  requests: { weight: 14, targets: { ...requestTargets, ...headerTargets } },
  tokens: { weight: 8, targets: tokenTargets },
  hashes: { weight: 6, targets: hashTargets },
  imports: { weight: 12, targets: importTargets },
};

/** The first byte of an input says which target of its kind it is for. */
const firstSelector = 'a'.charCodeAt(0);

/** The inputs from which the fuzzer starts. */
export const seedsOf = ({ targets }: Kind): readonly Buffer[] =>
  Object.values(targets).flatMap(({ seeds }, at) =>
    seeds.map((seed) => Buffer.concat([Buffer.of(firstSelector + at), Buffer.from(seed)])),
  );

/** What Jazzer.js calls with each input; the environment names the kind. */
export const fuzz = async (data: Buffer): Promise<void> => {
  const targets = Object.values(kinds[process.env.FUZZ_KIND ?? '']?.targets ?? {});
  const target = targets[((data[0] ?? 0) + 256 - firstSelector) % 256];
  if (target !== undefined) await run(target, data.subarray(1));
};
