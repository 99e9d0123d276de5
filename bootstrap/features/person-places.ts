import type { PersonPlaces } from '../../application/person/gather-person.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Services } from './feature.ts';

/** Where traces of people are that no request to the service removes. */
const elsewhereOf = ({ audit, email, events, logging }: Configuration): readonly string[] => {
  const hosts = [...new Set(events?.webhooks.map(({ url }) => new URL(url).host) ?? [])];
  const mails =
    email?.type === 'outbox'
      ? 'Mails that were sent are in the folder email.directory of the configuration.'
      : 'The mail provider may keep the mails that it was given.';
  return [
    'Backups and exported files of the database are not changed.',
    `Lines of the log may name addresses, where they are collected${logging.requests === 'all' ? ', among them one for each request' : ''}.`,
    ...(audit === null
      ? []
      : [
          audit.to === 'file'
            ? `Lines of the audit are in ${audit.file}, and in what it was rotated to.`
            : 'Lines of the audit are in the log.',
        ]),
    ...(email === null ? [] : [mails]),
    ...hosts.map(
      (host) => `${host} received the events that were delivered, and is told of the deletion by user.deleted.`,
    ),
    'Events of webhooks that are not in the configuration any more are not found; a service that delivers events or mails deletes them after events.maxAge.',
    'Digests of client addresses with wrong passwords, and reserved addresses, end by themselves within minutes to hours.',
  ];
};

/** Where the service and its commands look for people. */
export const personPlacesOf = (
  configuration: Configuration,
  { attempts, tokenAttempts, verificationCodes, adapters: { store } }: Services,
): PersonPlaces => ({
  outbox: store.events,
  webhooks: configuration.events?.webhooks.map(({ destination }) => destination) ?? [],
  counters: (
    [
      ['passwords', attempts],
      ['tokens', tokenAttempts],
      ['codes', verificationCodes?.attempts],
    ] as const
  ).flatMap(([kind, counter]) => (counter === undefined ? [] : [{ kind, attempts: counter }])),
  elsewhere: elsewhereOf(configuration),
});
