import { left } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, required } from '../../adapters/kit/option-block.ts';
import { choice } from '../../adapters/kit/option-codecs.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { OpenAdapter } from '../registry.ts';
import { stores } from '../registry.ts';
import { chosen } from './adapter-block.ts';
import { member } from './document.ts';
import { decodeNamedAdapter, moduleWord } from './named-adapter.ts';
import { problemAt } from './validation.ts';

/** The block `database` (specification, section 1). */
export interface Database {
  readonly type: string;
  readonly open: OpenAdapter<StorePorts>;
}

const types = [...Object.keys(stores), moduleWord];

/** The options of the block that don't depend on the type of the database. */
export const databaseBlock = block({
  type: required(choice(types), 'Which database keeps the users; the other options depend on it.'),
});

/** Decodes the block; one that is absent is an error. `folders` are those from which a module is looked for. */
export const decodeDatabase = async (
  given: unknown,
  context: t.Context,
  folders: readonly string[],
): Promise<t.Validation<Database>> => {
  if (given === undefined) {
    const error = problemAt(context, `is required: a block with type: one of ${types.join(', ')}`);
    return left([error]);
  }
  const type = chosen(databaseBlock.options.type, member(given, 'type'));
  const sources = { port: 'UserStore', registry: stores, folders } as const;
  return decodeNamedAdapter(databaseBlock, type, sources, given, context);
};
