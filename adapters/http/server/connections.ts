import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PipelinedRequests } from './pipelining.ts';
import { StallDetector } from './stall-detector.ts';

/** An open connection. */
export interface Connection {
  readonly socket: Socket;
  /** The response to the latest request. Responses are sent in the order of the requests, so this is the last one. */
  latest: ServerResponse | undefined;
  /** Set once the client has sent a request before it had the response to the one before. */
  pipelined: PipelinedRequests | undefined;
  /** Whether no further request is served on it. */
  isEnding: boolean;
}

/** Decides whether to serve a request while the service stops. */
export interface Admission {
  admit(connection: Connection, response: ServerResponse): boolean;
}

/** Whether a response has not been sent completely. */
export const isPending = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished;

/** The open connections of a server, and the requests that are being served on them. */
export class Connections {
  private readonly open = new Map<Duplex, Connection>();
  /** Connections whose TLS handshake is not finished, by their peers. */
  private readonly handshakes = new Map<string, Socket>();
  private readonly stalls = new StallDetector();
  private readonly waitingRequests = { count: 0 };
  private admission: Admission | undefined;

  constructor(private readonly handle: RequestListener) {}

  add(socket: Socket): void {
    // Node.js keeps the address once it is read, and cannot tell it after the client has closed the connection.
    this.handshakes.delete(peerOf(socket));
    this.open.set(socket, { socket, latest: undefined, pipelined: undefined, isEnding: false });
    socket.once('close', () => this.open.delete(socket));
  }

  /** Registers a connection that carries no request before the TLS handshake, after which `add` gets another socket. */
  addHandshake(socket: Socket): void {
    const peer = peerOf(socket);
    this.handshakes.set(peer, socket);
    socket.once('close', () => this.handshakes.delete(peer));
  }

  /** Serves a request: immediately, or queued if pipelined. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.open.get(request.socket);
    // Undefined when the connection is closed already.
    if (connection === undefined || connection.isEnding) return;
    if (this.admission !== undefined && !this.admission.admit(connection, response)) return;
    const previous = connection.latest;
    connection.latest = response;
    if (isPending(previous)) {
      connection.pipelined ??= new PipelinedRequests(connection.socket, this.handle, this.waitingRequests);
      connection.pipelined.add(request, response, previous);
    } else this.handle(request, response);
  }

  find(socket: Duplex): Connection | undefined {
    return this.open.get(socket);
  }

  all(): Iterable<Connection> {
    return this.open.values();
  }

  /** From now on `admission` decides which requests are served. */
  admitBy(admission: Admission): void {
    this.admission = admission;
  }

  /** Destroys the connections of clients that read nothing; to be called every `stallCheckIntervalMs`. */
  destroyStalled(): void {
    this.stalls.check(this.open.keys());
  }

  destroyHandshakes(): void {
    for (const socket of this.handshakes.values()) socket.destroy();
  }

  destroy(): void {
    for (const socket of this.open.keys()) socket.destroy();
    this.destroyHandshakes();
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
