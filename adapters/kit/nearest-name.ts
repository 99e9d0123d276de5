import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped word most likely means; undefined if none is near. */
export const nearestName = (word: string, known: readonly string[]): string | undefined =>
  known
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(2, name.length / 3))
    .sort((one, other) => one.far - other.far)[0]?.name;
