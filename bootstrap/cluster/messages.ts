import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const health = t.type({ healthy: t.boolean, message: t.string });

const primaryMessage = t.union([
  t.type({ kind: t.literal('stop') }),
  t.type({ kind: t.literal('reload') }),
  t.type({ kind: t.literal('check'), id: t.number, component: t.string }),
  t.type({ kind: t.literal('metrics'), id: t.number }),
]);

const workerMessage = t.union([
  t.type({ kind: t.literal('listening'), url: t.string, components: t.array(t.string) }),
  t.type({ kind: t.literal('health'), id: t.number, health }),
  t.type({ kind: t.literal('metrics'), id: t.number, metrics: t.array(t.object) }),
]);

/** A message from the primary to a worker. */
export type PrimaryMessage = t.TypeOf<typeof primaryMessage>;
/** A message from a worker to the primary. */
export type WorkerMessage = t.TypeOf<typeof workerMessage>;
/** A request of the primary, without the id that the response repeats. */
export type WorkerRequest = { readonly kind: 'check'; readonly component: string } | { readonly kind: 'metrics' };

// Node.js sends messages of its own on the same channel; they decode to undefined.
const decoder =
  <Message>(codec: t.Type<Message, unknown, unknown>) =>
  (message: unknown): Message | undefined => {
    const decoded = codec.decode(message);
    return isRight(decoded) ? decoded.right : undefined;
  };

export const decodePrimaryMessage = decoder(primaryMessage);
export const decodeWorkerMessage = decoder(workerMessage);
