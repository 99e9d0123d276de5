import { isListed } from '../../application/sign-up/sign-up-rules.ts';
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

const unknownProperties = (configuration: Configuration): readonly string[] => {
  const { properties } = configuration;
  if (properties === undefined || properties.allowSuperset) return [];
  const known = new Set(properties.allowed.map(({ name }) => name));
  return namedProperties(configuration)
    .filter(([, name]) => !known.has(name))
    .map(([option]) => `${option} is not in properties.allowed, so that no new user has it`);
};

/** Warnings of options that do nothing beside the others, or at present. */
export const ineffectiveOptions = (configuration: Configuration): readonly (string | false)[] => {
  const { activity, events, openApi, passwordRules, signUp } = configuration;
  return [
    passwordRules?.onCheck === 'event' &&
      !events?.webhooks.some(({ types }) => types.includes('password.listed')) &&
      'passwordRules.onCheck is event: no webhook receives password.listed; write it in events.webhooks[].types',
    openApi.redirectRoot &&
      !openApi.enabled &&
      'openApi.redirectRoot has no effect with openApi.enabled: false; remove one of them',
    [...(signUp?.allowedDomains ?? [])].some((domain) => isListed(domain, signUp?.blockedDomains ?? null)) &&
      'signUp.allowedDomains has a domain that signUp.blockedDomains blocks; remove it from one of them',
    (activity?.since ?? 0) > Date.now() && 'activity.since is in the future: until then, nobody counts as inactive',
    ...unknownProperties(configuration),
  ];
};
