import type { MailKind } from '../../application/outgoing/mail-queue.ts';

const hourMs = 60 * 60_000;

/** From the largest to the smallest, with the fewest that are shown: people say 24 hours, and 2 days. */
const units = [
  { unit: 'day', ms: 24 * hourMs, fewest: 2 },
  { unit: 'hour', ms: hourMs, fewest: 1 },
  { unit: 'minute', ms: 60_000, fewest: 1 },
] as const;

/** A duration in words, such as `24 hours` or `90 minutes`, in the largest unit of which it is a whole number. */
const durationIn = (tag: string, durationMs: number): string => {
  const whole = units.find(({ ms, fewest }) => durationMs % ms === 0 && durationMs >= fewest * ms);
  const { unit, ms } = whole ?? { unit: 'second', ms: 1_000 };
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(durationMs / ms);
};

/** How long the link or code of a mail works, in the words of a language; null if it works for ever. */
export type LifetimeTexts = (kind: MailKind, tag: string) => (() => string) | null;

/** Each text is made when the first mail or page needs it, because a start would wait for the tables of Intl. */
export const lifetimeTexts =
  (lifetimesMs: Readonly<Partial<Record<MailKind, number | null>>>): LifetimeTexts =>
  (kind, tag) => {
    const lifetimeMs = lifetimesMs[kind] ?? null;
    let made: string | undefined;
    return lifetimeMs === null
      ? null
      : () => {
          made ??= durationIn(tag, lifetimeMs);
          return made;
        };
  };
