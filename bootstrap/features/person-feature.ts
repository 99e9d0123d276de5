import { ErasePersonHandler, GatherPersonHandler } from '../../application/person/person-handlers.ts';
import { emptyOutbox, personPlaces } from '../../application/person/person-places.ts';
import { UnfinishedErasures } from '../../application/person/unfinished-erasures.ts';
import { Clock } from '../../application/ports/clock.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Feature, Services } from './feature.ts';

const inFolder = 'Mails that were sent are in the folder email.directory of the configuration.';
const atProvider = 'The mail provider may keep the mails that it was given.';

/** Where traces of people are that no request to the service removes. */
const elsewhereOf = ({ audit, email, events, logging }: Configuration): readonly string[] => {
  const hosts = new Set(events?.webhooks.map(({ url }) => new URL(url).host));
  const requests = logging.requests === 'all' ? ', among them one for each request' : '';
  return [
    'Backups and exported files of the database are not changed.',
    `Lines of the log may name addresses, where they are collected${requests}.`,
    ...(audit?.to === 'file' ? [`Lines of the audit are in ${audit.file}, and in what it was rotated to.`] : []),
    ...(audit?.to === 'log' ? ['Lines of the audit are in the log.'] : []),
    ...(email === undefined ? [] : [email.keepsMails ? inFolder : atProvider]),
    ...[...hosts].map((host) => `${host} received the events that were delivered, and is told by user.deleted.`),
    'Digests of client addresses with wrong passwords, and of addresses that got notices, and reserved addresses, end by themselves within a day.',
  ];
};

/** What is done about people, with everything that is stored about them. */
export const personFeature = (
  configuration: Configuration,
): Feature & Required<Pick<Feature, 'commands' | 'queries'>> => {
  const elsewhere = elsewhereOf(configuration);
  const parts = (services: Services) => {
    const { get, adapters, counters } = services;
    const { events: outbox = emptyOutbox } = adapters.store;
    const [users, clock] = [get(SettlingStore), get(Clock)];
    const places = personPlaces(outbox, counters, users, clock);
    return { users, places, unfinished: new UnfinishedErasures(outbox, clock) };
  };
  return {
    commands: (services) => {
      const { places, unfinished } = parts(services);
      return { ErasePerson: new ErasePersonHandler(services.get(OptimisticUpdate), places, unfinished, elsewhere) };
    },
    queries: (services) => {
      const { users, places, unfinished } = parts(services);
      return { GatherPerson: new GatherPersonHandler(users, places, unfinished, elsewhere) };
    },
  };
};
