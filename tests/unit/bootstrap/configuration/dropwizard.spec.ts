import { expect } from 'chai';
import { configured, database, problemsOf, read } from './read-configuration.ts';

const file = `
server:
  type: default
  rootPath: /*
  applicationConnectors:
    - type: http
      port: 9000
      bindHost: 10.0.0.1
      useForwardedHeaders: true
  adminConnectors:
    - {type: http, port: 9001}
  requestLog: {appenders: [{type: console}]}
  gzip: {enabled: true}
  shutdownGracePeriod: 10s
logging:
  level: WARN
  loggers: {"com.example": DEBUG}
  appenders: [{type: console, logFormat: "%d %m%n"}]
metrics: {reporters: []}
emailAddressValidation: {enabled: true}
maxMemoryPercentage: 80
${database}
options: {operationTimeout: 10s}
auth: {type: basic, keys: [{application: app, secret: a secret of an application}]}
`;

const noTls =
  'TLS with a key store is not supported; write type: http and end TLS in a proxy, or write server.tls (server.adminTls for the admin port)';

describe('a configuration file of Dropwizard', () => {
  it('sets addresses, ports and the log level', async () => {
    expect((await configured(file)).server).to.include({
      host: '10.0.0.1',
      port: 9000,
      adminHost: '0.0.0.0',
      adminPort: 9001,
    });
    expect((await configured(file)).logging.level).to.equal('warn');
  });

  it('warns of an admin port on every address', async () => {
    const open = 'server.adminConnectors has no bindHost: the admin port accepts connections from other machines';
    const isOpen = async (text: string) => (await read(text)).warnings.some((line) => line.startsWith(open));
    expect(await isOpen(file)).to.equal(true);
    expect(await isOpen(file.replace('port: 9001', 'port: 9001, bindHost: 127.0.0.1'))).to.equal(false);
  });

  it('may be that of a simple server, which has one connector', async () => {
    const simple = `${database}\nserver: {type: simple, connector: {type: http, port: 9000, bindHost: 10.0.0.1}}`;
    const { server } = await configured(simple);
    expect(server).to.include({ host: '10.0.0.1', port: 9000, adminHost: '127.0.0.1', adminPort: 8081 });
    const { warnings } = await read(simple);
    expect(warnings.filter((line) => line.startsWith('server.type is simple'))).to.have.lengthOf(1);
  });

  it('may write units of time as words', async () => {
    for (const [written, milliseconds] of [
      ['30 seconds', 30_000],
      ['1 minute', 60_000],
      ['2min', 120_000],
      ['500 milliseconds', 500],
      ['1 hour', 3_600_000],
    ] as const)
      expect((await configured(`${database}\noperationTimeout: ${written}`)).operationTimeoutMs).to.equal(milliseconds);
    expect(await problemsOf(`${database}\noperationTimeout: 1 fortnight`)).to.have.lengthOf(1);
    expect(await problemsOf(`${database}\noperationTimeout: 1 day`)).to.have.lengthOf(1);
  });

  it('needs no secrets for keys without effect', async () => {
    const idle = file.replace('{type: console, logFormat', '{type: console, token: "${NOT_SET_ANYWHERE}", logFormat');
    expect((await configured(idle)).logging.level).to.equal('warn');
  });

  it('causes a warning for each key without effect', async () => {
    const { warnings } = await read(file);
    expect(warnings.filter((line) => line.includes('has no effect')).sort()).to.eql([
      'emailAddressValidation has no effect: the service always checks the form of addresses',
      'logging.appenders has no effect: the service logs JSON lines to standard output',
      'logging.loggers has no effect',
      'maxMemoryPercentage has no effect: limit the memory of the container, or use passwordHash.ceiling',
      'metrics has no effect',
      'server.applicationConnectors[0].useForwardedHeaders has no effect: use server.trustProxy',
      'server.gzip has no effect',
      'server.requestLog has no effect: use logging.requests',
      'server.rootPath has no effect: paths start at /',
      'server.shutdownGracePeriod has no effect',
      'server.type has no effect',
    ]);
  });

  it('is refused when it has a key store', async () => {
    const keyStore = `${database}
server:
  applicationConnectors: [{type: https, port: 8443, keyStorePath: a.jks, keyStorePassword: hunter2, validateCerts: false}]
  adminConnectors: [{type: h2, port: 8444, keyStorePath: a.jks}]`;

    expect(await problemsOf(keyStore)).to.eql([
      `server.applicationConnectors[0].type: ${noTls}`,
      `server.adminConnectors[0].type: ${noTls}`,
    ]);
  });

  it('is refused when one of several connectors has a key store', async () => {
    const both = '[{type: http, port: 8080}, {type: https, port: 8443, keyStorePath: a.jks}]';
    expect(await problemsOf(`${database}\nserver: {applicationConnectors: ${both}}`)).to.eql([
      `server.applicationConnectors[1].type: ${noTls}`,
    ]);
  });

  it('may have one valid connector per port', async () => {
    const one = 'expected a list of one connector: {type: http, port, bindHost}';
    for (const connectors of ['[]', '[{port: 1}, {port: 2}]', '{port: 1}', 'http']) {
      expect(await problemsOf(`${database}\nserver: {applicationConnectors: ${connectors}}`)).to.eql([
        `server.applicationConnectors: ${one}`,
      ]);
    }
    expect(await problemsOf(`${database}\nserver: {adminConnectors: [{type: ftp, port: x, prot: 1}]}`)).to.eql([
      'server.adminConnectors[0].type: expected one of http',
      'server.adminConnectors[0].port: expected a whole number from 0 to 65535',
      'server.adminConnectors[0].prot: unknown key; did you mean port?',
    ]);
  });

  it('must not mix keys of Dropwizard with their equivalents', async () => {
    expect(await problemsOf(`${database}\nserver: {port: 1, applicationConnectors: [{port: 1}]}`)).to.eql([
      'server.port: means the same as applicationConnectors; keep one of them',
    ]);
  });
});
