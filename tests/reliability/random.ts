/** A random integer from 0 to `sides - 1`. */
export const randomBelow = (sides: number): number => Math.floor(Math.random() * sides);

export const pick = <T>(choices: readonly T[]): T => choices[randomBelow(choices.length)]!;

export const chance = (probability: number): boolean => Math.random() < probability;
