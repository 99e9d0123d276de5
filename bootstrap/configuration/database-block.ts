import { left } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, required } from '../../adapters/kit/option-block.ts';
import { choice } from '../../adapters/kit/option-codecs.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { OpenAdapter } from '../registry.ts';
import { stores } from '../registry.ts';
import { chosen, decodeNamedAdapter, moduleWord } from './adapter-block.ts';
import { member, problemAt } from './document.ts';

/** The decoded block `database` (specification, section 1). */
export interface Database {
  readonly type: string;
  readonly open: OpenAdapter<StorePorts>;
}

const types = [...Object.keys(stores), moduleWord];

/** The option of the block that doesn't depend on the type of the database. */
export const databaseBlock = block({
  type: required(choice(types), 'The database that stores the users. The other options depend on it.'),
});

/** Decodes the block, which is required. Adapters of other packages are searched in `folders`. */
export const decodeDatabase = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<Database>> => {
  if (given === undefined)
    return left([problemAt(context, `is required: a block with type: one of ${types.join(', ')}`)]);
  const type = chosen(databaseBlock.options.type, member(given, 'type'));
  const sources = { port: 'UserStore', registry: stores, folders } as const;
  return decodeNamedAdapter(databaseBlock, type, sources, given, context);
};
