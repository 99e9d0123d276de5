import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { html } from '@remix-run/html-template';
import { startTcpServer, type TestServer } from '../support/tcp-servers.ts';

/** A server whose error responses contain what it received, to test that the service does not pass them on. */
export interface EchoingServer<Failure extends string> {
  readonly port: number;
  failure: Failure;
  close(): Promise<void>;
}

export type MailFailure = 'refuses the password' | 'refuses the mail';
export type CloudFailure = 'rejects' | 'denies' | 'fails' | 'echoes HTML' | 'hangs up';

const answerLine = (line: string, failure: MailFailure): string => {
  const [verb = ''] = line.toUpperCase().split(' ');
  if (verb === 'EHLO') return '250-echoing\r\n250 AUTH PLAIN LOGIN\r\n';
  if (verb === 'AUTH' && failure === 'refuses the password') {
    const said = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString();
    return `535 5.7.8 not with ${line} that is ${said.replaceAll('\0', ' ')}\r\n`;
  }
  if (verb === 'AUTH') return '235 welcome\r\n';
  if (verb === 'DATA') return '354 go on\r\n';
  return '250 ok\r\n';
};

/** A mail server whose refusals contain the password or the mail. */
export const startEchoingMailServer = async (): Promise<EchoingServer<MailFailure>> => {
  let failure: MailFailure = 'refuses the password';
  const onConnection = (socket: Socket): void => {
    let unread = '';
    let inData = false;
    socket.write('220 echoing\r\n');
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1');
      for (;;) {
        const ending = inData ? '\r\n.\r\n' : '\r\n';
        const end = unread.indexOf(ending);
        if (end < 0) return;
        const said = unread.slice(0, end);
        unread = unread.slice(end + ending.length);
        // Decode quoted-printable far enough to make one line of it.
        const mail = said.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n', ' ');
        socket.write(inData ? `554 5.6.0 not this: ${mail}\r\n` : answerLine(said, failure));
        inData = !inData && /^data$/i.test(said);
      }
    });
  };
  const server: TestServer = await startTcpServer(onConnection);
  return {
    port: server.port,
    get failure() {
      return failure;
    },
    set failure(next) {
      failure = next;
    },
    close: () => server.close(),
  };
};

const errorNames: Readonly<Partial<Record<CloudFailure, string>>> = {
  rejects: 'ValidationException',
  denies: 'AccessDeniedException',
  fails: 'InternalServerError',
};

/** An error in the format of the AWS service: XML for SES, JSON for the others. */
const errorText = (name: string, said: string, asXml: boolean): string =>
  asXml
    ? html`<ErrorResponse><Error><Code>${name}</Code><Message>${said}</Message></Error></ErrorResponse>`.toString()
    : JSON.stringify({ __type: name, message: said });

const reply = (failure: CloudFailure, request: IncomingMessage, body: string): readonly [number, string] => {
  const said = `not authorized to perform: ${JSON.stringify(request.headers)} ${body}`;
  const asXml = request.headers['content-type']?.includes('urlencoded') ?? false;
  const name = errorNames[failure];
  return name === undefined
    ? [200, `<html>${said}</html>`]
    : [failure === 'fails' ? 500 : 400, errorText(name, said, asXml)];
};

/**
 * Stand-in for the services of AWS. Secrets Manager returns the given secrets; all else fails with what it received.
 */
export const startEchoingCloud = async (
  secrets: Readonly<Record<string, string>>,
): Promise<EchoingServer<CloudFailure>> => {
  let failure: CloudFailure = 'rejects';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue') {
      const SecretString = secrets[JSON.parse(body).SecretId];
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify({ SecretString }));
    } else if (failure === 'hangs up') request.socket.resetAndDestroy();
    else {
      const [status, said] = reply(failure, request, body);
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(said);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    get failure() {
      return failure;
    },
    set failure(next) {
      failure = next;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
