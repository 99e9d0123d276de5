import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Handler, Pipeline } from './pipelining.ts';
import { WriteProgress } from './write-progress.ts';

/** An open connection. */
interface Connection {
  readonly socket: Socket;
  readonly progress: WriteProgress;
  /** The answer to its newest request: the last one that is owed on it. */
  newest: ServerResponse | undefined;
  /** There once its client has sent a request before it had the answer to another one. */
  pipeline: Pipeline | undefined;
  /** Whether no further request is served on it. */
  isEnding: boolean;
}

/** The open connections of a server, and what is owed on each of them. */
export class Connections {
  /** The answers that were told to be the last ones. */
  private readonly concluding = new WeakSet<ServerResponse>();
  private readonly open = new Map<Duplex, Connection>();
  /** Those that have not agreed on TLS yet, by their peers. */
  private readonly unready = new Map<string, Socket>();
  private readonly waiting = { value: 0 };
  private phase: 'serving' | 'ending' | 'ended' = 'serving';

  constructor(private readonly handle: Handler) {}

  add(socket: Socket): void {
    this.unready.delete(peerOf(socket));
    const progress = new WriteProgress(socket);
    this.open.set(socket, { socket, progress, newest: undefined, pipeline: undefined, isEnding: false });
    socket.once('close', () => this.open.delete(socket));
  }

  /** Notes a connection that carries no request before TLS is agreed on; `add` is then given another socket for it. */
  addUnready(socket: Socket): void {
    const peer = peerOf(socket);
    this.unready.set(peer, socket);
    socket.once('close', () => this.unready.delete(peer));
  }

  /** Serves a request: at once, or when it is its turn among those that its client sent without waiting for answers. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.open.get(request.socket);
    // Closed by now: there is nobody to answer.
    if (connection === undefined) return;
    const previous = connection.newest;
    if (!this.owe(response, connection)) return;
    if (isOwed(previous)) {
      connection.pipeline ??= new Pipeline(connection.socket, this.handle, this.waiting);
      connection.pipeline.add(request, response, previous);
    } else this.handle(request, response);
  }

  /**
   * Ends a connection whose client takes too long for a request. While this side reads nothing, because other requests
   * are served first, the client can't be faster: it then has `patienceMs` from when it is read again.
   */
  endLate(socket: Duplex, end: () => void, patienceMs: number): void {
    const connection = this.open.get(socket);
    if (connection?.pipeline?.isPaused !== true) {
      this.endAfterAnswers(socket, end);
      return;
    }
    connection.pipeline.onceRead(() => {
      const { newest } = connection;
      const isComplete = newest?.req.complete;
      setTimeout(() => {
        const isSame = connection.newest === newest && newest?.req.complete === isComplete;
        if (isSame && !connection.socket.destroyed) this.endAfterAnswers(socket, end);
      }, patienceMs).unref();
    });
  }

  /**
   * Ends a connection on which something came that is no request: calls `end` once the answers before it are sent, so
   * that what `end` sends is not taken for one of them.
   */
  endAfterAnswers(socket: Duplex, end: () => void): void {
    const connection = this.open.get(socket);
    const newest = connection?.newest;
    if (connection === undefined || !isOwed(newest)) end();
    else if (newest.req.complete) {
      if (!connection.isEnding) newest.once('close', end);
      connection.isEnding = true;
    } else if (newest.socket === null) socket.destroy();
    // What came is the rest of its body, so that this is its answer.
    else end();
  }

  /** From now on every answer is the last one of its connection. */
  beginEnding(): void {
    this.phase = 'ending';
    for (const connection of this.open.values()) {
      if (isOwed(connection.newest)) this.conclude(connection.newest, connection);
    }
  }

  /**
   * Ends every connection on which no answer is owed: also those that never sent a byte, or half a request, which
   * Node.js takes for busy and no longer watches once its server is closed. The others end with their answer.
   */
  endIdle(): void {
    this.phase = 'ended';
    for (const { socket, newest } of this.open.values()) if (!isOwed(newest)) socket.destroySoon();
    this.endUnready();
  }

  /** Destroys the connections of clients that do not read what they asked for; to be called every few seconds. */
  destroyStalled(): void {
    for (const { socket, progress } of this.open.values()) if (progress.isStalled()) socket.destroy();
  }

  destroy(): void {
    for (const { socket } of this.open.values()) socket.destroy();
    this.endUnready();
  }

  private endUnready(): void {
    for (const socket of this.unready.values()) socket.destroy();
  }

  /**
   * Notes that a request arrived, and tells whether to serve it: not when an answer before it has said that it is the
   * last one of the connection. When the service is stopping, the newest answer is the last one.
   */
  private owe(response: ServerResponse, connection: Connection): boolean {
    if (connection.isEnding) return false;
    const previous = connection.newest;
    if (previous !== undefined && this.concluding.has(previous)) {
      if (previous.headersSent) return false;
      // A client that doesn't wait for answers sent the next request before it was told.
      previous.removeHeader('Connection');
      this.concluding.delete(previous);
    }
    connection.newest = response;
    if (this.phase !== 'serving') this.conclude(response, connection);
    return true;
  }

  private conclude(response: ServerResponse, connection: Connection): void {
    if (!response.headersSent && !response.hasHeader('Connection')) {
      response.setHeader('Connection', 'close');
      this.concluding.add(response);
    }
    // The answer whose headers had been sent before the service began to stop promised to keep the connection.
    response.once('close', () => {
      if (this.phase === 'ended' && connection.newest === response) connection.socket.destroySoon();
    });
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const isOwed = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished;
