import type { Document } from 'mongodb';

/** A command that changes one document, and what mongos does with it. */
export type Verdict =
  | { readonly refusal: Document }
  /** It goes to all shards, because it names `_id` and no shard key. */
  | { readonly broadcast: true };

/** The reply to a write command with one statement that failed. */
export const writeErrorReply = (details: Document): Document => ({
  ok: 1,
  n: 0,
  nModified: 0,
  writeErrors: [{ index: 0, ...details }],
});

const refusedWrite = (errmsg: string): Verdict => ({ refusal: writeErrorReply({ code: 61, errmsg }) });

const rule =
  'on a sharded collection must contain an exact match on _id (and have the collection default collation) or contain the shard key (and have the simple collation)';

/** The statement of a command that changes documents; undefined for other commands. */
export const statementOf = (command: Document): Document | undefined => {
  const statements: Document[] = command.updates ?? command.deletes ?? [];
  if (statements.length > 1) throw new Error('only commands with one statement are supported');
  return statements[0];
};

/** The value of a field in a filter, if there is only one. */
export const valueIn = (filter: Document | undefined, field: string): string | undefined => {
  const value: unknown = filter?.[field];
  return typeof value === 'string' ? value : undefined;
};

/**
 * Whether mongos 6.0 accepts a command that changes one document of a sharded collection; undefined if it does, and
 * sends it to one shard. Rules and texts are those of its sources (`targetUpdate` and `targetDelete` in
 * `src/mongo/s/chunk_manager_targeter.cpp`, and `src/mongo/s/commands/cluster_find_and_modify_cmd.cpp`). The manual
 * describes them: https://www.mongodb.com/docs/v6.0/core/sharded-cluster-query-router/. Later versions refuse less.
 */
export const verdictOn = (command: Document, field: string): Verdict | undefined => {
  if (command.findAndModify !== undefined)
    return valueIn(command.query, field) !== undefined
      ? undefined
      : {
          refusal: {
            ok: 0,
            code: 61,
            codeName: 'ShardKeyNotFound',
            errmsg: 'Query for sharded findAndModify must contain the shard key',
          },
        };
  const statement = statementOf(command);
  if (statement === undefined) return undefined;
  const { q, upsert, multi, limit, collation } = statement;
  if (collation !== undefined && collation.locale !== 'simple')
    throw new Error('only the simple collation is supported');
  if (valueIn(q, field) !== undefined) return undefined;
  if (upsert)
    return refusedWrite('An upsert on a sharded collection must contain the shard key and have the simple collation');
  if (multi || limit === 0) return undefined;
  return valueIn(q, '_id') === undefined
    ? refusedWrite(`A single ${command.update === undefined ? 'delete' : 'update'} ${rule}`)
    : { broadcast: true };
};
