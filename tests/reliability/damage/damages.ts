import * as fc from 'fast-check';

/** Part of damaged values: neither a response to others nor the log may repeat it. */
export const canary = 'canary-of-a-damaged-record';

/** What another program, or a fault of the disk, leaves in place of the value of a field. */
export type Damage =
  | { readonly kind: 'missing' }
  | { readonly kind: 'list' | 'map' }
  | { readonly kind: 'value'; readonly value: string | number | bigint | boolean | null }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  /** A regular expression of PCRE, which JavaScript may not know. */
  | { readonly kind: 'pattern'; readonly source: string; readonly flags: string }
  /** Text with bytes between these two that are no UTF-8. */
  | { readonly kind: 'invalidUtf8'; readonly before: string; readonly after: string };

const properties = [
  '',
  ' ',
  '{',
  '}',
  '{}}',
  '{"a":1}x}',
  '{"a":}',
  '{"a":1,}',
  `{"a":"${canary}}`,
  '{"a":"\n"}',
  '{"a":"\0"}',
  '{"a":NaN}',
  '[]',
  '"{}"',
  'null',
  ' {"a":1} ',
  '{"a":"\\ud800"}',
  '{"email":{"address":"other@example.com"}}',
  '{"password":"other"}',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"a":1e999}',
  '{"a":12345678901234567890}',
  '{"<script>":"</script>"}',
  `{"a":${'['.repeat(33)}${']'.repeat(33)}}`,
  `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  `{"a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`,
  `{"a":"${canary}${'x'.repeat(370_000)}"}`,
];

const texts = [
  '',
  ' ',
  '\0',
  '\r\nSet-Cookie: a=b',
  '"',
  'ß€漢💥',
  '\ufffd',
  '\ud800',
  canary,
  `<b>${canary}`,
  `${canary}@example.com`,
  'Other@example.com',
  'deleted 1',
  '$argon2id$v=19$m=1048577,t=100,p=255$AAAAAAAAAAA$AAAA',
  '$2b$31$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'x'.repeat(370_000),
];

const numbers = [0, -1, 1, 2, 1.5, -0, 8.64e15, 8.64e15 + 1, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e300];

const toDamage = (value: Extract<Damage, { kind: 'value' }>['value']): Damage => ({ kind: 'value', value });

/** Any damage of one field. */
export const damages: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Damage>({ kind: 'missing' }, toDamage(null)) },
  { weight: 1, arbitrary: fc.constantFrom<Damage>({ kind: 'list' }, { kind: 'map' }) },
  { weight: 1, arbitrary: fc.boolean().map(toDamage) },
  { weight: 3, arbitrary: fc.constantFrom(...numbers).map(toDamage) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 2n ** 62n, -(2n ** 62n)).map(toDamage),
  },
  { weight: 4, arbitrary: fc.constantFrom(...texts).map(toDamage) },
  { weight: 4, arbitrary: fc.constantFrom(...properties).map(toDamage) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(toDamage) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((value): Damage => ({ kind: 'bytes', value })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Damage>(
      { kind: 'pattern', source: '', flags: '' },
      { kind: 'pattern', source: canary, flags: 'i' },
      { kind: 'pattern', source: '(?i)a(?#comment)', flags: 'x' },
      { kind: 'pattern', source: '[', flags: 'imsu' },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Damage>(
      { kind: 'invalidUtf8', before: '', after: '' },
      { kind: 'invalidUtf8', before: '{"a":"', after: '"}' },
      { kind: 'invalidUtf8', before: 'a', after: '@example.com' },
    ),
  },
);

/** A damage in a few words. */
export const described = (damage: Damage): string => {
  if (damage.kind === 'invalidUtf8') return `${damage.before}(invalid UTF-8)${damage.after}`;
  if (damage.kind === 'pattern') return `/${damage.source}/${damage.flags}`;
  if (damage.kind !== 'value') return damage.kind;
  const text = typeof damage.value === 'string' ? JSON.stringify(damage.value) : String(damage.value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
};
