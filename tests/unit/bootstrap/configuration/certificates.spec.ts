import { expect } from 'chai';
import { endOfChain } from '../../../../bootstrap/configuration/server-block.ts';
import { certificateWarnings } from '../../../../bootstrap/configuration/warnings.ts';
import { certificateFor } from '../../../support/mail-server.ts';
import { configured, database } from './read-configuration.ts';

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
      'server.adminTls.certFile: a certificate ends on 2040-01-31; renew it and restart the service',
    ]);
    expect(certificateWarnings(server, endMs)).to.eql([
      'server.adminTls.certFile: a certificate ended on 2040-01-31: clients refuse it; renew it and restart the service',
    ]);
  });

  it('are not looked for without TLS', async () => {
    const { server } = await configured(database);
    expect(certificateWarnings(server)).to.eql([]);
  });
});
