import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const id: unique symbol = Symbol('the id of a request');

declare module 'node:http' {
  interface IncomingMessage {
    /** On the request itself: a table beside it would cost the collector more than all the rest. */
    [id]?: string;
  }
}

// What callers use for ids, and nothing that could be taken for something else where it is shown.
const plainId = /^[\w.~:/+=@-]{1,128}$/;
// W3C Trace Context, section 3.2: version, trace, span, flags.
const traceParent = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

const ownId = ({ headers }: IncomingMessage): string | undefined => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && plainId.test(given) ? given : undefined;
};

const callersTrace = ({ headers }: IncomingMessage): string | undefined => {
  const parent = headers.traceparent;
  return typeof parent === 'string' ? traceParent.exec(parent)?.[1] : undefined;
};

/**
 * The id by which a request is found again in the log and in its problem document: the caller's own `X-Request-Id`, the
 * trace of its `traceparent`, or a new one. It is made when somebody needs it, and stays the same.
 */
export const requestIdOf = (request: IncomingMessage): string => {
  request[id] ??= ownId(request) ?? callersTrace(request) ?? randomUUID();
  return request[id];
};

/** Gives a request the id of the trace that it is a part of, unless the caller has given it one of its own. */
export const nameByTrace = (request: IncomingMessage, trace: string): void => {
  if (ownId(request) === undefined) request[id] = trace;
};
