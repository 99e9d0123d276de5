import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { html } from '@remix-run/html-template';
import { listenAt, type TestServer } from '../support/silent-server.ts';

/** Something that the service talks to, and that repeats what it was told in its refusals. */
export interface Tattler<Mood extends string> {
  readonly port: number;
  mood: Mood;
  close(): Promise<void>;
}

export type MailMood = 'refuses the password' | 'refuses the mail';
export type CloudMood = 'rejects' | 'denies' | 'fails' | 'babbles' | 'hangs up';

const answerLine = (line: string, mood: MailMood): string => {
  const [verb = ''] = line.toUpperCase().split(' ');
  if (verb === 'EHLO') return '250-tattler\r\n250 AUTH PLAIN LOGIN\r\n';
  if (verb === 'AUTH' && mood === 'refuses the password') {
    const said = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString();
    return `535 5.7.8 not with ${line} that is ${said.replaceAll('\0', ' ')}\r\n`;
  }
  if (verb === 'AUTH') return '235 welcome\r\n';
  if (verb === 'DATA') return '354 go on\r\n';
  return '250 ok\r\n';
};

/** A mail server that repeats passwords and mails when it refuses them. */
export const tattlingMailServer = async (): Promise<Tattler<MailMood>> => {
  let mood: MailMood = 'refuses the password';
  const meet = (socket: Socket): void => {
    let unread = '';
    let inData = false;
    socket.write('220 tattler\r\n');
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1');
      for (;;) {
        const ending = inData ? '\r\n.\r\n' : '\r\n';
        const end = unread.indexOf(ending);
        if (end < 0) return;
        const said = unread.slice(0, end);
        unread = unread.slice(end + ending.length);
        // As quoted-printable has it, with its lines joined again.
        const mail = said.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n', ' ');
        socket.write(inData ? `554 5.6.0 not this: ${mail}\r\n` : answerLine(said, mood));
        inData = !inData && /^data$/i.test(said);
      }
    });
  };
  const server: TestServer = await listenAt(meet);
  return {
    port: server.port,
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    close: () => server.close(),
  };
};

const errorNames: Readonly<Partial<Record<CloudMood, string>>> = {
  rejects: 'ValidationException',
  denies: 'AccessDeniedException',
  fails: 'InternalServerError',
};

/** An error in the form that the service of the request uses: SES writes XML, the others JSON. */
const errorText = (name: string, said: string, asXml: boolean): string =>
  asXml
    ? html`<ErrorResponse><Error><Code>${name}</Code><Message>${said}</Message></Error></ErrorResponse>`.toString()
    : JSON.stringify({ __type: name, message: said });

const reply = (mood: CloudMood, request: IncomingMessage, body: string): readonly [number, string] => {
  const said = `not authorized to perform: ${JSON.stringify(request.headers)} ${body}`;
  const asXml = request.headers['content-type']?.includes('urlencoded') ?? false;
  const name = errorNames[mood];
  return name === undefined
    ? [200, `<html>${said}</html>`]
    : [mood === 'fails' ? 500 : 400, errorText(name, said, asXml)];
};

/** Services of AWS that know the given secrets, and repeat everything else in errors. */
export const tattlingCloud = async (secrets: Readonly<Record<string, string>>): Promise<Tattler<CloudMood>> => {
  let mood: CloudMood = 'rejects';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue') {
      const SecretString = secrets[JSON.parse(body).SecretId];
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify({ SecretString }));
    } else if (mood === 'hangs up') request.socket.resetAndDestroy();
    else {
      const [status, said] = reply(mood, request, body);
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(said);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
