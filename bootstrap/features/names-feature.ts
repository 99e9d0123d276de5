import { v7 } from 'uuid';
import { uniqueProperty } from '../../domain/property-folding.ts';
import { UserId } from '../../domain/user.ts';
import { requiredPort } from '../service/adapters.ts';
import type { Feature, FeatureContext } from './feature.ts';
import { type Naming, withoutNames } from './names-block.ts';

/** UUIDs of version 7 (RFC 9562), which sort by the time at which they were made. */
const newUserId = (): UserId => {
  const id = v7();
  if (!UserId.is(id)) throw new TypeError('a UUID is an id');
  return id;
};

/** `users.ids` and the unique properties: what users are found by besides the address. */
export const open = async (
  { ids, unique, mailboxes, path }: Naming,
  { configuration, adapters }: Pick<FeatureContext, 'configuration' | 'adapters'>,
): Promise<Feature> => {
  requiredPort(adapters.store.names, path, withoutNames(configuration.database.type));
  const properties = unique.map(({ name, type, fold }) => uniqueProperty(name, type, fold));
  return {
    collaborators: { unique: properties, namesMailboxes: mailboxes, ...(ids && { newUserId }) },
    api: { ids, unique: properties },
  };
};
