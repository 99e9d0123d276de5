import { isDeepStrictEqual } from 'node:util';

/** A decoder of something that strangers send, with what must hold for any input. */
export interface FuzzTarget {
  /** Inputs from which a fuzzer starts: examples of the documents, and what is known to be difficult. */
  readonly seeds: readonly (string | Buffer)[];
  /** Whether an input of 64 KiB is no work for it, because what strangers send is bounded before. */
  readonly isBounded?: boolean;
  /** Decodes an input; throws, or rejects, only where something does not hold. */
  run(data: Buffer): void | Promise<void>;
}

/** Throws an error with the message unless the condition holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Throws unless two values have the same structure and content. */
export const assertEqual = (actual: unknown, expected: unknown, message: string): void => {
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${message}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
};

/** The number of texts that errors of one decoder may have. Errors that repeated the input would have more. */
const maxErrorTexts = 40;

/** Collects the texts of the errors of a decoder; throws when there are so many that they must contain the input. */
export const errorTexts = (): ((messages: readonly string[]) => void) => {
  const known = new Set<string>();
  return (messages) => {
    for (const message of messages) known.add(message);
    assert(known.size <= maxErrorTexts, `errors contain their input, such as: ${messages.join('; ')}`);
  };
};

const secret = 'a text that nobody else may read';

/** Values with a secret in the place of every text. */
export const withSecrets = (values: object): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(values), (_, value: unknown) => (typeof value === 'string' ? secret : value));

/** Throws if errors contain the secret. */
export const assertHidden = (errors: unknown): void =>
  assert(!JSON.stringify(errors).includes(secret), 'an error contains what was sent');

/** The length to which a part of some inputs is repeated. */
const pumpedBytes = 64 * 1024;
/**
 * The processor time for an input: several times what the slowest decoder takes with instrumented code, and less than
 * work that grows with the square of 64 KiB.
 */
const boundMs = (bytes: number): number => 100 + bytes / 100;

/** The processor time of this process, so that others on the machine do not count. */
const usedMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Runs an input, and again when it took long, because the compiler and the garbage collector count, too. */
const runInTime = async ({ run }: FuzzTarget, data: Buffer): Promise<void> => {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4; attempt++) {
    const started = process.cpuUsage();
    await run(data);
    fastestMs = Math.min(fastestMs, usedMs(started));
    if (fastestMs <= boundMs(data.length)) return;
  }
  throw new Error(`${data.length} bytes took ${fastestMs} ms of processor time`);
};

const checksum = (data: Buffer): number => data.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7);

/** The input with a part repeated, as attacks on patterns and parsers have it. */
const pumped = (data: Buffer, start: number, length: number): Buffer => {
  const end = Math.min(data.length, start + length);
  const part = Buffer.alloc(pumpedBytes, data.subarray(start, end));
  return Buffer.concat([data.subarray(0, start), part, data.subarray(end)]);
};

/** One of the long inputs that can be made of an input; undefined for most inputs. */
const pumpedSometimes = (data: Buffer): Buffer | undefined => {
  const choice = checksum(data);
  if (data.length === 0 || choice % 128 !== 0) return undefined;
  return pumped(data, (choice >>> 7) % data.length, 1 + ((choice >>> 17) % 16));
};

/** The places of characters that a parser may tell apart: the first letter and digit, and every other character once. */
const placesIn = (data: Buffer): readonly number[] => {
  const kinds = data.toString('latin1').replace(/[a-z]/gi, 'a').replace(/\d/g, '0');
  return [...new Set(kinds)].map((kind) => kinds.indexOf(kind));
};

/** More of them take too long for every run of the tests. */
const maxTimedInputs = 25;

/**
 * Runs a target with long inputs: each repeats a character of a seed. Rejects if the time is not bounded by the length.
 */
export const fuzzTime = async (target: FuzzTarget): Promise<void> => {
  if (target.isBounded === true) return;
  const inputs = target.seeds
    .map((seed) => Buffer.from(seed))
    .flatMap((seed) => placesIn(seed).map((at) => ({ seed, at })));
  const step = Math.ceil(inputs.length / maxTimedInputs);
  for (const [index, { seed, at }] of inputs.entries())
    if (index % step === 0) await runInTime(target, pumped(seed, at, 1));
};

const namesOf = (prototype: object): string => Reflect.ownKeys(prototype).map(String).join();
const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const untouched = prototypes.map(namesOf).join(';');

/**
 * Runs a target with an input, and with a long one made of it now and then. Rejects if something does not hold, if the
 * time is not bounded by the length, or if a prototype that all objects share has changed.
 */
export const fuzz = async (target: FuzzTarget, data: Buffer): Promise<void> => {
  await runInTime(target, data);
  const long = target.isBounded === true ? undefined : pumpedSometimes(data);
  if (long !== undefined) await runInTime(target, long);
  assert(prototypes.map(namesOf).join(';') === untouched, 'a shared prototype has changed');
};
