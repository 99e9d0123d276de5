// For programs preloaded into a service under test: what its drivers send to a database on the network for a request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import { Socket } from 'node:net';

const requests = new AsyncLocalStorage();

/** Calls `handle(request, response, serve)` for each request; what `serve()` starts belongs to the request. */
export const onRequest = (handle) => {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, ...values) {
    if (event !== 'request') return emit.call(this, event, ...values);
    const [request, response] = values;
    requests.run(request, handle, request, response, () => emit.call(this, event, ...values));
    return true;
  };
};

/** Calls `handle(request, chunk, send, socket)` instead of each write to a database. */
export const onSend = (handle) => {
  const { write } = Socket.prototype;
  Socket.prototype.write = function (...values) {
    const request = requests.getStore();
    // Of a connection that a server accepted, or of the output of the process.
    if (request === undefined || this.server || this._isStdio) return write.apply(this, values);
    handle(request, values[0], () => write.apply(this, values), this);
    return true;
  };
};
