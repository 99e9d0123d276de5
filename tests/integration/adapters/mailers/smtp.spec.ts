import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { simpleParser } from 'mailparser';
import type { SMTPServerOptions } from 'smtp-server';
import { isLoopback } from '../../../../adapters/kit/address-codecs.ts';
import { problemsOf } from '../../../../adapters/kit/option-block.ts';
import { smtp } from '../../../../adapters/mailers/smtp/index.ts';
import { withTimeout } from '../../../../application/interceptor.ts';
import type { Mailer } from '../../../../application/ports/mailer.ts';
import { mailerContract, mailTo } from '../../../../sdk/contract/mailer.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';
import { spellings } from '../../../../sdk/contract/spellings.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import {
  type Certificate,
  certificateFor,
  type MailServer,
  password,
  startMailServer,
  user,
} from '../../../support/mail-server.ts';
import { closedPort, silentServer, startTcpServer, type TestServer } from '../../../support/tcp-servers.ts';

const refused = 'unknown@example.com';
const fromAddress = '"Acmé, Inc." <no-reply@acme.test>';

const openWith = (options: Readonly<Record<string, unknown>>, operationTimeoutMs = 30_000): Promise<Mailer> => {
  const decoded = smtp.configuration.decode({ host: 'localhost', fromAddress, ...options });
  if (!isRight(decoded)) throw new TypeError('the options of the test are wrong');
  return smtp.open(decoded.right, { ...silentContext, operationTimeoutMs });
};

const problemsWith = (options: Readonly<Record<string, unknown>>): readonly string[] => {
  const decoded = smtp.configuration.decode({ host: 'mail.acme.test', fromAddress, ...options });
  return isRight(decoded) ? [] : problemsOf(decoded.left).map(({ path, message }) => `${path}: ${message}`);
};

const rejectionWith = (status: number): Error => Object.assign(new Error('Rejected, alice'), { responseCode: status });

const rejectWith =
  (status: number) =>
  (_address: unknown, _session: unknown, done: (error?: Error) => void): void =>
    done(rejectionWith(status));

const rejectData =
  (status: number) =>
  (stream: Readable, _session: unknown, done: (error?: Error) => void): void => {
    stream.resume().on('end', () => done(rejectionWith(status)));
  };

/** A mail server without TLS whose reply to a mail is up to `reply`. */
const plainServer = (reply: (socket: Socket) => void): Promise<TestServer> =>
  startTcpServer((socket) => {
    let received = '';
    socket.write('220 here\r\n');
    socket.on('data', (data) => {
      received += data;
      if (received.endsWith('\r\n.\r\n')) reply(socket);
      else if (received.endsWith('DATA\r\n')) socket.write('354 go on\r\n');
      else if (/(?:EHLO|MAIL|RCPT) [^\n]*\n$/.test(received)) socket.write('250 ok\r\n');
    });
  });

let certificate: Certificate;
before(async () => {
  certificate = await certificateFor('localhost');
});
after(() => certificate.remove());

/** Options for a server with a trusted certificate and a known user. */
const trusted = () => ({ requireTls: true, caFile: certificate.file, user, password });

describe('smtp', () => {
  // One server for all tests, because it delays every new connection by 100 ms.
  let server: MailServer;
  let mailer: Mailer;
  before(async () => {
    server = await startMailServer(certificate, {
      onRcptTo: ({ address }, _session, done) => done(address === refused ? rejectionWith(550) : null),
    });
    mailer = await openWith({ ...trusted(), port: server.port });
  });
  after(async () => {
    await mailer.close();
    await server.close();
  });

  mailerContract('smtp', async () => {
    const dispose = async () => server.clear();
    return { mailer, embedsImages: true, sent: server.mails, refused, dispose };
  });
});

describe('smtp with a mail server', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const start = async (differences: SMTPServerOptions = {}, port = 0): Promise<MailServer> => {
    const server = await startMailServer(certificate, differences, port);
    closing.push(() => server.close());
    return server;
  };
  const openTo = async (
    { port }: { readonly port: number },
    options: Readonly<Record<string, unknown>> = trusted(),
    operationTimeoutMs = 30_000,
  ): Promise<Mailer> => {
    const mailer = await openWith({ port, ...options }, operationTimeoutMs);
    closing.push(() => mailer.close());
    return mailer;
  };
  const stopped = async (server: Promise<TestServer>): Promise<TestServer> => {
    const started = await server;
    closing.push(() => started.close());
    return started;
  };

  /** The message of the Fault, which is the same for a mail and for a check. */
  const failureOf = async (mailer: Mailer): Promise<string> => {
    const sending = await faultOf(mailer.send(mailTo('alice@example.com')));
    const checking = await faultOf(mailer.check());
    expect([sending.code, checking.code]).to.deep.equal(['mail_failed', 'mail_failed']);
    expect(sending.message).to.equal(checking.message);
    expect(checking.message).to.match(/^mail server localhost:\d+: [^\n]+$/);
    expect(checking.message).to.not.include(password).and.not.include('alice');
    return checking.message;
  };

  it('sends mails over STARTTLS from the configured sender', async () => {
    const server = await start();
    await (await openTo(server)).send(mailTo('jörg@bücher.example'));
    expect(server.secured()).to.equal(true);
    const [mail] = await server.mails();
    expect(mail?.from).to.equal('no-reply@acme.test');
    expect(mail?.to).to.match(/^jörg@(bücher|xn--bcher-kva)\.example$/);
  });

  describe('sends to the address as it is stored', () => {
    /** What a client sends to a mail server, as bytes in Latin-1. */
    const recorded = async () => {
      const server = await start({ authOptional: true, hideSTARTTLS: true, disabledCommands: ['AUTH', 'STARTTLS'] });
      let sent = '';
      const proxy = await stopped(
        startTcpServer((client) => {
          const target = connect(server.port, '127.0.0.1').on('error', () => client.destroy());
          client.on('data', (data) => {
            sent += data.toString('latin1');
          });
          client.on('close', () => target.destroy());
          client.pipe(target).pipe(client);
        }),
      );
      return { mailer: await openTo(proxy, {}), sent: () => sent };
    };
    const inLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
    const everySpelling = spellings.flatMap(({ one, other }) => [one, other]).filter((to) => !to.includes('<'));

    for (const to of new Set([
      ...everySpelling,
      'jörg@xn--bcher-kva.test',
      'jane@1.2',
      '"jane,doe"@Example.com',
      'jane@0x7f.1',
    ]))
      it(`in the envelope and in the header: ${to}`, async () => {
        const { mailer, sent } = await recorded();
        await mailer.send(mailTo(to));
        const at = to.lastIndexOf('@') + 1;
        const domain = to.slice(at);
        // Users of former versions may have a domain that mail servers know in ASCII only.
        const mailed = inLatin1(to.slice(0, at) + (/^[!-~]+$/.test(domain) ? domain : domainToASCII(domain)));
        const recipients = [...sent().matchAll(/^RCPT TO:(.*)\r$/gm)].map(([, recipient]) => recipient);
        expect(recipients).to.deep.equal([`<${mailed}>`]);
        const headers = [...sent().matchAll(/^To: (.*)\r$/gm)].map(([, value]) => value);
        expect(headers).to.deep.equal([to.startsWith('"') ? `<${mailed}>` : mailed]);
      });

    for (const to of ['"<boss>"@example.com', '"a> NOTIFY=NEVER <b"@example.com'])
      it(`or not at all: ${to}`, async () => {
        const { mailer, sent } = await recorded();
        const { code, refusal } = await faultOf(mailer.send(mailTo(to)));
        expect([code, refusal]).to.deep.equal(['mail_failed', 'permanent']);
        expect(sent()).to.not.include('RCPT').and.not.include('boss');
        await mailer.send(mailTo('alice@example.com'));
        expect(sent()).to.include('RCPT TO:<alice@example.com>');
      });
  });

  it('gives a mail that is sent again the same Message-ID', async () => {
    const ids: (string | undefined)[] = [];
    const server = await start({
      onData: (stream, _session, done) => {
        simpleParser(stream).then(({ messageId }) => {
          ids.push(messageId);
          done();
        }, done);
      },
    });
    const mailer = await openTo(server);
    for (let attempt = 0; attempt < 2; attempt++)
      await mailer.send(mailTo('alice@example.com', { id: '1800000000000-5b4f2b9e' }));
    expect(ids).to.deep.equal(Array.from({ length: 2 }, () => '<1800000000000-5b4f2b9e@acme.test>'));
  });

  it('sends mails over TLS from the start of the connection', async () => {
    const server = await start({ secure: true });
    const mailer = await openTo(server, { ...trusted(), secure: true });
    await mailer.send(mailTo('alice@example.com'));
    expect(server.secured()).to.equal(true);
    expect(await mailer.check()).to.equal(`mails are sent through the mail server localhost:${server.port}`);
  });

  it('sends mails without TLS and user to a server on this machine', async () => {
    const server = await start({ authOptional: true, hideSTARTTLS: true, disabledCommands: ['AUTH', 'STARTTLS'] });
    const mailer = await openTo(server, {});
    await mailer.check();
    await mailer.send(mailTo('alice@example.com'));
    expect(await server.mails()).to.have.length(1);
    expect(server.secured()).to.equal(false);
  });

  it('encrypts for a server on this machine with an untrusted certificate', async () => {
    const server = await start();
    await (await openTo(server, { user, password })).send(mailTo('alice@example.com'));
    expect(server.secured()).to.equal(true);
  });

  it('reuses a connection for consecutive mails, and closes it with the mailer', async () => {
    const server = await start();
    const mailer = await openTo(server);
    for (const to of ['a@b.test', 'c@b.test', 'd@b.test']) await mailer.send(mailTo(to));
    expect(server.connections).to.deep.equal({ total: 1, open: 1 });
    await mailer.close();
    while (server.connections.open > 0) await new Promise(setImmediate);
  });

  it('reports a server that is stopped', async () => {
    const mailer = await openTo({ port: await closedPort() });
    expect(await failureOf(mailer)).to.match(/: unreachable \(ECONNREFUSED\)$/);
  });

  it('sends mails again after the server was restarted', async () => {
    const server = await startMailServer(certificate);
    const mailer = await openTo(server);
    await mailer.send(mailTo('alice@example.com'));
    await server.close();
    expect(await failureOf(mailer)).to.match(/: unreachable \(ECONNREFUSED\)$/);
    const back = await start({}, server.port);
    await mailer.send(mailTo('bob@example.com'));
    expect((await back.mails()).map(({ to }) => to)).to.deep.equal(['bob@example.com']);
  });

  it('reports a wrong password', async () => {
    const server = await start();
    const mailer = await openTo(server, { ...trusted(), password: 'another confidential' });
    const failure = await failureOf(mailer);
    expect(failure).to.match(/: authentication was refused: user or password is wrong \(535\)$/);
    expect(failure).to.not.include('confidential');
  });

  it('reports a server without authentication', async () => {
    const server = await start({ authOptional: true, disabledCommands: ['AUTH'] });
    expect(await failureOf(await openTo(server))).to.match(/: authentication (failed|was refused)/);
    expect(await server.mails()).to.deep.equal([]);
  });

  it('reports an untrusted certificate', async () => {
    const server = await start();
    const { caFile: _, ...unknown } = trusted();
    expect(await failureOf(await openTo(server, unknown))).to.match(/: the certificate of the server is not accepted/);
    expect(await failureOf(await openTo(server, { ...unknown, requireTls: true }))).to.include('SELF_SIGNED');
  });

  it('reports the certificate of another host', async () => {
    const other = await certificateFor('elsewhere.test');
    closing.push(() => other.remove());
    const server = await startMailServer(other, { secure: true });
    closing.push(() => server.close());
    const mailer = await openTo(server, { ...trusted(), caFile: other.file, secure: true });
    expect(await failureOf(mailer)).to.include(
      'certificate of the server is not accepted (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  it('sends nothing, not even the password, to a server that does not encrypt', async () => {
    const received: string[] = [];
    const server = await stopped(
      startTcpServer((socket) => {
        socket.write('220 here\r\n');
        socket.on('data', (data) => {
          received.push(String(data));
          socket.write(String(data).startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : '502 no\r\n');
        });
      }),
    );
    expect(await failureOf(await openTo(server))).to.match(
      /: the server does not encrypt the connection \(STARTTLS\)$/,
    );
    expect(received.join('')).to.match(/^(EHLO [^\r]+\r\nSTARTTLS\r\n(QUIT\r\n)?)+$/);
  });

  it('reports a port that does not start with TLS', async () => {
    const server = await start();
    expect(await failureOf(await openTo(server, { ...trusted(), secure: true }))).to.include('write secure: false');
  });

  for (const [what, differences, reason, refusal] of [
    ['sender', { onMailFrom: rejectWith(550) }, 'the server does not accept the sender (550)', undefined],
    ['size', { onMailFrom: rejectWith(552) }, 'the server does not accept the sender (552)', 'permanent'],
    ['recipient', { onRcptTo: rejectWith(550) }, 'the server does not accept the recipient (550)', 'permanent'],
    ['recipient', { onRcptTo: rejectWith(451) }, 'the server does not accept the recipient (451)', 'temporary'],
    ['recipient', { onRcptTo: rejectWith(421) }, 'the server refused the connection (421)', 'temporary'],
    ['mail', { onData: rejectData(554) }, 'the server does not accept the mail (554)', 'permanent'],
    ['mail', { onData: rejectData(450) }, 'the server does not accept the mail (450)', 'temporary'],
  ] as const) {
    it(`reports a ${refusal ?? 'general'} rejection of the ${what} without the text of the server`, async () => {
      const mailer = await openTo(await start(differences));
      const fault = await faultOf(mailer.send(mailTo('alice@example.com')));
      expect(fault.refusal).to.equal(refusal);
      expect(fault.message)
        .to.match(/^mail server localhost:\d+: /)
        .and.include(reason);
      expect(fault.message).to.not.include('alice').and.not.include('Rejected');
      expect(await mailer.check()).to.include('mails are sent');
    });
  }

  it('gives up on a silent server before the operation timeout', async () => {
    const server = await stopped(silentServer());
    const mailer = await openTo(server, trusted(), 1000);
    const calls = Promise.all([faultOf(mailer.send(mailTo('a@b.test'))), faultOf(mailer.check())]);
    const faults = await withTimeout(1000, calls, () => new Error('the operation timed out'));
    for (const { message } of faults) expect(message).to.match(/: no response in time$/);
    expect(faults.map(({ refusal }) => refusal)).to.deep.equal([undefined, undefined]);
  });

  it('gives up on a slow reply before the operation timeout', async () => {
    const server = await stopped(
      plainServer((socket) => {
        const drip = setInterval(() => socket.write('2'), 20);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    const mailer = await openTo(server, {}, 1000);
    const call = faultOf(mailer.send(mailTo('a@b.test')));
    const { message, refusal } = await withTimeout(1000, call, () => new Error('the operation timed out'));
    expect(message).to.include('no response in time');
    expect(refusal).to.equal('temporary');
  });

  it('takes a late answer to one recipient for a refusal of that mail, and sends others meanwhile', async () => {
    const waiting: (() => void)[] = [];
    const server = await start({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith('slow')) waiting.push(() => done());
        else done();
      },
    });
    const mailer = await openWith({ host: '127.0.0.1', port: server.port }, 3_000);
    closing.push(() => mailer.close());
    const slow = Promise.all(Array.from({ length: 16 }, (_, n) => faultOf(mailer.send(mailTo(`slow-${n}@b.test`)))));
    await mailer.send(mailTo('alice@example.com'));
    for (const { refusal } of await slow) expect(refusal).to.equal('temporary');
    for (const answer of waiting) answer();
  });

  it('sends a mail once when the server closes the connection without a reply', async () => {
    let mails = 0;
    const server = await stopped(
      plainServer((socket) => {
        mails += 1;
        socket.destroy();
      }),
    );
    const mailer = await openTo(server, {}, 5000);
    const fault = await faultOf(mailer.send(mailTo('a@b.test')));
    expect(fault.message).to.match(/closed the connection|unreachable/);
    expect(fault.refusal).to.equal('temporary');
    expect(mails).to.equal(1);
  });
});

describe('the options of smtp', () => {
  it('have defaults', () => {
    const decoded = smtp.configuration.decode({ host: 'mail.acme.test', fromAddress });
    expect(isRight(decoded) && decoded.right).to.deep.equal({
      host: 'mail.acme.test',
      port: 587,
      secure: false,
      requireTls: null,
      caFile: null,
      user: null,
      password: null,
      fromAddress,
    });
  });

  it('report missing options', () => {
    expect(problemsWith({ host: null, fromAddress: null })).to.deep.equal([
      'host: is required: text (in quotes if it looks like a number)',
      'fromAddress: is required: text (in quotes if it looks like a number)',
    ]);
  });

  it('require both user and password, or neither', () => {
    expect(problemsWith({ user })).to.deep.equal(['password: is required with user; write both or neither']);
    expect(problemsWith({ password })).to.deep.equal(['user: is required with password; write both or neither']);
  });

  it('reject a file without a certificate', () => {
    const [problem = ''] = problemsWith({ caFile: import.meta.filename });
    expect(problem).to.match(/^caFile: expected the path of a file with certificates in PEM format/);
  });

  for (const [host, required] of [
    ['localhost', false],
    ['127.0.0.1', false],
    ['::1', false],
    ['mail.acme.test', true],
    ['localhost.acme.test', true],
    ['127.acme.test', true],
  ] as const) {
    it(`${required ? 'require' : 'do not require'} TLS for ${host} by default`, () => {
      expect(isLoopback(host)).to.equal(!required);
    });
  }
});
