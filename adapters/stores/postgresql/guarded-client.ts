import { Client, type ClientConfig } from 'pg';

/**
 * A client that ends its connection if the driver throws while it reads from it, for instance because the server asks for
 * Kerberos. Otherwise no code could catch the error, and it would end the process.
 */
export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const { connection } = this;
    // TLS replaces the stream. The driver reads from it already when it emits these.
    for (const connected of ['connect', 'sslconnect'])
      connection.prependListener(connected, () => {
        const { stream } = connection;
        const emit = stream.emit.bind(stream);
        stream.emit = (name: string | symbol, ...args: unknown[]): boolean => {
          try {
            return emit(name, ...args);
          } catch (error) {
            stream.destroy(new UnreadableReply('the driver cannot read what the server sent', { cause: error }));
            return true;
          }
        };
      });
  }
}

/** The server sent what the driver does not know. */
export class UnreadableReply extends Error {}
