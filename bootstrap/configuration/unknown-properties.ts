import { clientKeysOf } from './auth-block.ts';
import type { Configuration } from './configuration.ts';

type Named = readonly [option: string, name: string];

const listed = (option: string, names: readonly string[] | null | undefined): readonly Named[] =>
  (names ?? []).map((name, index) => [`${option}[${index}]`, name]);

/** The options that name custom properties, besides email.localeProperty, which is refused. */
const namedProperties = ({ auth, admin, events }: Configuration): readonly Named[] => [
  ...clientKeysOf(auth).flatMap(({ properties }, index) => [
    ...listed(`auth.keys[${index}].properties.read`, properties?.read),
    ...listed(`auth.keys[${index}].properties.write`, properties?.write),
  ]),
  ...(admin.nameProperty === null ? [] : [['admin.nameProperty', admin.nameProperty] as const]),
  ...(events?.webhooks ?? []).flatMap(({ properties }, index) =>
    listed(`events.webhooks[${index}].properties`, properties),
  ),
];

/** Warnings of custom properties that no new user may have. */
export const unknownProperties = (configuration: Configuration): readonly string[] => {
  const { properties } = configuration;
  if (properties === undefined || properties.allowSuperset) return [];
  const known = new Set(properties.allowed.map(({ name }) => name));
  return namedProperties(configuration)
    .filter(([, name]) => !known.has(name))
    .map(([option]) => `${option} is not in properties.allowed, so that no new user has it`);
};
