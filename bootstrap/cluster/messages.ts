import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

/** What the first process asks a worker. */
export type Question = { readonly kind: 'check'; readonly component: string } | { readonly kind: 'readings' };

const health = t.type({ healthy: t.boolean, message: t.string });

/** What the first process says to a worker. */
const fromFirst = t.union([
  t.type({ kind: t.literal('stop') }),
  t.type({ kind: t.literal('check'), id: t.number, component: t.string }),
  t.type({ kind: t.literal('readings'), id: t.number }),
]);

/** What a worker says to the first process. */
const fromWorker = t.union([
  t.type({ kind: t.literal('listening'), url: t.string, components: t.array(t.string) }),
  t.type({ kind: t.literal('health'), id: t.number, health }),
  t.type({ kind: t.literal('readings'), id: t.number, readings: t.array(t.object) }),
]);

export type FromFirst = t.TypeOf<typeof fromFirst>;
export type FromWorker = t.TypeOf<typeof fromWorker>;

const read =
  <Message>(codec: t.Type<Message, unknown, unknown>) =>
  (message: unknown): Message | undefined => {
    const decoded = codec.decode(message);
    return isRight(decoded) ? decoded.right : undefined;
  };

/** A message for a worker; undefined when it is none of ours: Node.js sends its own on the same channel. */
export const readFromFirst = read(fromFirst);
/** A message of a worker; undefined when it is none of ours. */
export const readFromWorker = read(fromWorker);
