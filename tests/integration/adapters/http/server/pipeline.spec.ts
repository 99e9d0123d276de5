import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Pipeline } from '../../../../../adapters/http/server/pipeline.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';

describe('the pipeline', () => {
  it('closes the connection of a request whose error cannot be reported, and serves the next one', async () => {
    const serve = async ({ path, res }: { readonly path: string; readonly res: NodeJS.WritableStream }) => {
      res.end(path);
    };
    const pipeline = new Pipeline(serve, () => {}, new Set(), [], silentContext.log);
    const server = createServer(pipeline.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const responseTo = (target: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      return text(socket);
    };
    try {
      // Koa cannot read the path of this target, neither to serve the request nor to log that this failed.
      expect(await responseTo('//a@[b#')).to.equal('');
      expect(await responseTo('/next')).to.contain('/next');
    } finally {
      server.close();
    }
  });
});
