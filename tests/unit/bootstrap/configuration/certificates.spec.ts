import { duplexPair } from 'node:stream';
import { connect, createSecureContext, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { endOfChain } from '../../../../bootstrap/configuration/server-block.ts';
import { certificateWarnings } from '../../../../bootstrap/configuration/warnings.ts';
import { certificateFor } from '../../../support/mail-server.ts';
import { configured, database, problemsOf } from './read-configuration.ts';
import { type UnusualCertificate, unusualCertificates } from './unusual-certificates.ts';

/** Whether a client that trusts any certificate can connect to a server with this one. */
const isAnswered = async (pair: UnusualCertificate): Promise<boolean> => {
  const [serverSide, clientSide] = duplexPair();
  const server = new TLSSocket(serverSide, { isServer: true, secureContext: createSecureContext(pair) });
  const client = connect({ socket: clientSide, rejectUnauthorized: false });
  try {
    return await new Promise((resolve) => {
      for (const side of [server, client]) side.once('error', () => resolve(false));
      client.once('secureConnect', () => resolve(true));
    });
  } finally {
    for (const side of [server, client]) side.on('error', () => undefined).destroy();
  }
};

const filesOf = ({ key, cert }: UnusualCertificate) => ({ 'cert.pem': cert, 'key.pem': key });

const dayMs = 24 * 3_600_000;

describe('certificates', () => {
  const endMs = Date.UTC(2040, 0, 31, 12);
  let soon: Awaited<ReturnType<typeof certificateFor>>;
  let later: Awaited<ReturnType<typeof certificateFor>>;
  before(async () => {
    soon = await certificateFor('localhost', new Date(endMs));
    later = await certificateFor('localhost', new Date(endMs + 400 * dayMs));
  });
  after(() => Promise.all([soon.remove(), later.remove()]));

  it('end with the first one of the chain', () => {
    for (const chain of [`${soon.cert}\n${later.cert}`, `Subject: CN=a\n${later.cert}\n\n${soon.cert}`])
      expect(endOfChain(chain)).to.equal(endMs);
  });

  it('are warned about in the last 14 days, and after their end', async () => {
    const yaml = `${database}\nserver: {adminTls: {certFile: '@/cert.pem', keyFile: '@/key.pem'}}`;
    const { server } = await configured(yaml, { 'cert.pem': soon.cert, 'key.pem': soon.key });
    expect(certificateWarnings(server, endMs - 14 * dayMs)).to.eql([]);
    expect(certificateWarnings(server, endMs - 14 * dayMs + 1)).to.eql([
      'server.adminTls.certFile: a certificate ends on 2040-01-31; renew it and reload the service',
    ]);
    expect(certificateWarnings(server, endMs)).to.eql([
      'server.adminTls.certFile: a certificate ended on 2040-01-31: clients refuse it; renew it and reload the service',
    ]);
  });

  it('are refused with a kind of key that fails every handshake', async () => {
    const yaml = `${database}\nserver: {tls: {certFile: '@/cert.pem', keyFile: '@/key.pem'}}`;
    const { secp256k1, ...usable } = unusualCertificates;
    expect(await isAnswered(secp256k1)).to.equal(false);
    expect(await problemsOf(yaml, filesOf(secp256k1))).to.eql([
      'server.tls: no client can use this kind of key; expected RSA, Ed25519, or the curve P-256, P-384 or P-521',
    ]);
    for (const [kind, pair] of Object.entries({ ...usable, soon })) {
      expect(await isAnswered(pair), kind).to.equal(true);
      const { server } = await configured(yaml, filesOf(pair));
      expect(server.tls?.key, kind).to.equal(pair.key);
    }
  });

  it('are not looked for without TLS', async () => {
    const { server } = await configured(database);
    expect(certificateWarnings(server)).to.eql([]);
  });
});
