import type { Document } from 'mongodb';

/** The shard key of a collection: one field, with 1 or 'hashed'. */
export type ShardKey = Readonly<Record<string, unknown>>;

const fieldOf = (key: ShardKey): string => Object.keys(key)[0] ?? '';

/** What a router does with a command that it does not simply pass on. */
export type Decision =
  | { readonly reply: Document }
  /** Whether the command goes to several shards, because it names `_id` and no shard key. */
  | { readonly broadcast: true }
  /** The update moves a document to another shard, if it matches one. */
  | { readonly move: Document };

const error = (code: number, codeName: string, errmsg: string): Decision => ({
  reply: { ok: 0, code, codeName, errmsg },
});
const writeError = (code: number, errmsg: string): Decision => ({ reply: writeErrorReply({ code, errmsg }) });

/** The reply to a write command with one statement that failed. */
export const writeErrorReply = (details: Document): Document => ({
  ok: 1,
  n: 0,
  nModified: 0,
  writeErrors: [{ index: 0, ...details }],
});

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
/** Whether a filter has one value for a field; with another collation than the simple one, texts have several. */
const names = (field: string, filter: Document, collation?: Document): boolean =>
  isPlain(filter[field]) && (collation === undefined || collation.locale === 'simple');

const single = 'on a sharded collection must contain an exact match on _id';
const orKey = '(and have the collection default collation) or contain the shard key (and have the simple collation)';

const onUpdate = ({ q, u, multi, upsert, collation }: Document, key: string): Decision | undefined => {
  const isTargeted = names(key, q, collation);
  if (upsert && !isTargeted)
    return writeError(61, 'An upsert on a sharded collection must contain the shard key and have the simple collation');
  if (!isTargeted && !multi && !names('_id', q)) return writeError(61, `A single update ${single} ${orKey}`);
  const next: unknown = u.$set?.[key];
  if (next !== undefined && next !== q[key]) {
    if (multi) return writeError(72, 'Multi-update operations are not allowed when updating the shard key field.');
    if (!isTargeted)
      return writeError(31025, 'Shard key update is not allowed without specifying the full shard key in the query');
    return { move: { q, u } };
  }
  return isTargeted || multi ? undefined : { broadcast: true };
};

const onDelete = ({ q, limit, collation }: Document, key: string): Decision | undefined => {
  if (limit === 0 || names(key, q, collation)) return undefined;
  return names('_id', q) ? { broadcast: true } : writeError(61, `A single delete ${single} ${orKey}`);
};

const onFindAndModify = ({ query, update, collation }: Document, key: string): Decision | undefined => {
  if (!names(key, query, collation))
    return error(61, 'ShardKeyNotFound', 'Query for sharded findAndModify must contain the shard key');
  const next: unknown = update?.$set?.[key];
  if (next !== undefined && next !== query[key]) throw new Error('findAndModify of a shard key is not simulated');
  return undefined;
};

/** Whether every value of a unique index is on one shard: its first field is the shard key, in the same order. */
export const keepsUnique = (index: Document, key: ShardKey): boolean =>
  '_id' in index || JSON.stringify(Object.entries(index)[0]) === JSON.stringify(Object.entries(key)[0]);

const onCreateIndexes = ({ indexes }: Document, key: ShardKey): Decision | undefined => {
  const refused = indexes.find((index: Document) => index.unique && !keepsUnique(index.key, key));
  return refused === undefined
    ? undefined
    : error(
        67,
        'CannotCreateIndex',
        `cannot create unique index over ${JSON.stringify(refused.key)} with shard key pattern ${JSON.stringify(key)}`,
      );
};

/**
 * What mongos 6.0 decides about a command on a sharded collection; undefined if it passes it on. The rules and texts are
 * those of its sources (`src/mongo/s/chunk_manager_targeter.cpp`, `cluster_find_and_modify_cmd.cpp` and
 * `src/mongo/db/exec/update_stage.cpp` of v6.0), which the manual describes:
 * https://www.mongodb.com/docs/v6.0/core/sharded-cluster-query-router/ and
 * https://www.mongodb.com/docs/v6.0/core/sharding-change-shard-key-value/. Later versions refuse less.
 */
export const decide = (command: Document, key: ShardKey): Decision | undefined => {
  const statements: Document[] = command.updates ?? command.deletes ?? [];
  if (statements.length > 1) throw new Error('only commands with one statement are simulated');
  const [statement] = statements;
  const field = fieldOf(key);
  if (command.update !== undefined && statement !== undefined) return onUpdate(statement, field);
  if (command.delete !== undefined && statement !== undefined) return onDelete(statement, field);
  if (command.findAndModify !== undefined) return onFindAndModify(command, field);
  if (command.createIndexes !== undefined) return onCreateIndexes(command, key);
  return undefined;
};
