import { SESClient, VerifyDomainIdentityCommand, VerifyEmailIdentityCommand } from '@aws-sdk/client-ses';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { simpleParser } from 'mailparser';
import { ses } from '../../../../adapters/mailers/ses/index.ts';
import { withTimeout } from '../../../../application/interceptor.ts';
import type { Mailer } from '../../../../application/ports/mailer.ts';
import { mailerContract, mailTo } from '../../../../sdk/contract/mailer.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { engine } from '../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../support/environment.ts';
import {
  answeringServer,
  closedPort,
  resettingServer,
  silentServer,
  type TestServer,
} from '../../../support/tcp-servers.ts';
import { startSesProxy } from './ses-proxy.ts';

const region = 'eu-west-1';

const openAt = (endpoint: string, fromAddress: string, operationTimeoutMs = 30_000): Promise<Mailer> => {
  const decoded = ses.configuration.decode({ endpoint, region, fromAddress });
  if (!isRight(decoded)) throw new TypeError('the options of the test are wrong');
  return ses.open(decoded.right, { ...silentContext, operationTimeoutMs });
};

/** A mail as the SES emulator stores it. */
interface StoredMail {
  readonly source: string;
  readonly subject: string;
  readonly body: string;
  readonly destinations: { readonly ToAddresses: readonly string[] };
}

const storedMails = async (endpoint: string): Promise<readonly StoredMail[]> =>
  JSON.parse(await (await fetch(`${endpoint}/moto-api/data.json`)).text()).ses.Message;

const verify = async (endpoint: string, identity: { readonly address?: string; readonly domain?: string }) => {
  const client = new SESClient({ endpoint, region });
  const { address: EmailAddress, domain: Domain } = identity;
  if (EmailAddress !== undefined) await client.send(new VerifyEmailIdentityCommand({ EmailAddress }));
  if (Domain !== undefined) await client.send(new VerifyDomainIdentityCommand({ Domain }));
  client.destroy();
};

describe('ses', () => {
  withAwsCredentials();
  const endpoint = engine('aws');

  mailerContract('ses', async () => {
    await verify(endpoint(), { address: 'no-reply@contract.test' });
    const proxy = await startSesProxy(endpoint());
    const mailer = await openAt(proxy.endpoint, 'no-reply@contract.test');
    return {
      mailer,
      embedsImages: true,
      sent: () => proxy.accepted(),
      dispose: async () => {
        await mailer.close();
        await proxy.close();
      },
    };
  });

  it('sends subject, body, recipient and sender', async () => {
    await verify(endpoint(), { domain: 'kept.test' });
    const mailer = await openAt(endpoint(), '"Acmé, Inc." <no-reply@mail.kept.test>');
    const mail = mailTo('jörg@bücher.example', { subject: 'Grüße 😀', html: '<p>你好</p>' });
    await verify(endpoint(), { address: 'no-reply@mail.kept.test' });
    await mailer.send(mail);
    const [stored] = (await storedMails(endpoint())).filter(({ source }) => source.includes('kept.test'));
    expect(stored?.subject).to.equal('Grüße 😀');
    expect(stored?.body).to.equal('<p>你好</p>');
    expect(stored?.destinations.ToAddresses).to.deep.equal(['jörg@xn--bcher-kva.example']);
    const { from } = await simpleParser(`From: ${stored?.source}\r\n\r\n`);
    expect(stored?.source).to.match(/^[ -~]+$/);
    expect(from?.value).to.deep.equal([{ name: 'Acmé, Inc.', address: 'no-reply@mail.kept.test' }]);
    await mailer.close();
  });

  for (const to of ['JANE@Example.COM', 'jane@XN--BCHER-KVA.test', 'jane@1.2', '"<boss>"@Example.com'])
    it(`sends to the address as it is stored: ${to}`, async () => {
      await verify(endpoint(), { domain: 'kept.test' });
      const mailer = await openAt(endpoint(), 'no-reply@kept.test');
      const subject = `to ${to}`;
      await mailer.send(mailTo(to, { subject }));
      const stored = (await storedMails(endpoint())).filter((mail) => mail.subject === subject);
      expect(stored.map(({ destinations }) => destinations.ToAddresses)).to.deep.equal([[to]]);
      await mailer.close();
    });

  it('reports an unverified sender, for a mail and for a check', async () => {
    const mailer = await openAt(endpoint(), 'nobody@unverified.test');
    expect((await faultOf(mailer.check())).message).to.equal(
      `SES at ${endpoint()} in ${region}: unverified sender: neither nobody@unverified.test nor its domain is verified in this region`,
    );
    const { code, message } = await faultOf(mailer.send(mailTo('alice@example.com')));
    expect(code).to.equal('mail_failed');
    expect(message).to.include('unverified sender nobody@unverified.test').and.not.include('alice');
    await mailer.close();
  });

  for (const [what, identity, fromAddress] of [
    ['with a verified address', { address: 'one@address.test' }, 'one@address.test'],
    ['with a verified domain', { domain: 'domain.test' }, 'Two <two@domain.test>'],
    ['with a verified parent domain', { domain: 'above.test' }, 'three@mail.above.test'],
    ['with a verified domain that is not ASCII', { domain: 'xn--bcher-kva.test' }, 'four@bücher.test'],
  ] as const) {
    it(`accepts a sender ${what}`, async () => {
      await verify(endpoint(), identity);
      const mailer = await openAt(endpoint(), fromAddress);
      expect(await mailer.check()).to.match(/^mails are sent from \S+ through SES at \S+ in eu-west-1$/);
      await mailer.close();
    });
  }
});

describe('ses during failures', () => {
  withAwsCredentials();
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const at = async (port: number, operationTimeoutMs?: number): Promise<Mailer> => {
    const mailer = await openAt(`http://127.0.0.1:${port}`, 'no-reply@acme.test', operationTimeoutMs);
    closing.push(() => mailer.close());
    return mailer;
  };
  const started = async (starting: Promise<TestServer>): Promise<TestServer> => {
    const server = await starting;
    closing.push(() => server.close());
    return server;
  };
  const refusing = (status: number, code: string, message = '') =>
    started(
      answeringServer(
        status,
        `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
        'Content-Type: text/xml\r\nConnection: close\r\n',
      ),
    );
  const reasons = async (mailer: Mailer): Promise<readonly [string, string]> => {
    const faults = [await faultOf(mailer.send(mailTo('alice@example.com'))), await faultOf(mailer.check())] as const;
    for (const { code, message } of faults) {
      expect(code).to.equal('mail_failed');
      expect(message)
        .to.match(/^SES at \S+ in eu-west-1: [^\n]+$/)
        .and.not.match(/alice|confidential/);
    }
    return [faults[0].message, faults[1].message];
  };

  it('reports that it is unreachable', async () => {
    for (const reason of await reasons(await at(await closedPort())))
      expect(reason).to.match(/: unreachable \(ECONNREFUSED\)$/);
  });

  it('gives up before the operation timeout without a response', async () => {
    const server = await started(silentServer());
    const mailer = await at(server.port, 1000);
    const calls = Promise.all([faultOf(mailer.send(mailTo('a@b.test'))), faultOf(mailer.check())]);
    const faults = await withTimeout(1000, calls, () => new Error('the operation timed out'));
    for (const { message } of faults) expect(message).to.match(/: no response in time$/);
  });

  it('does not retry after a lost response', async () => {
    const server = await started(resettingServer());
    const { message } = await faultOf((await at(server.port)).send(mailTo('a@b.test')));
    expect(message).to.match(/: the connection broke \(ECONNRESET\)$/);
    expect(server.connections).to.have.length(1);
  });

  it('does not retry after an internal error of SES', async () => {
    const server = await refusing(500, 'InternalFailure');
    const { message } = await faultOf((await at(server.port)).send(mailTo('a@b.test')));
    expect(message).to.match(/: internal error of the service \(HTTP 500\)$/);
    expect(server.connections).to.have.length(1);
  });

  it('retries a throttled request twice', async () => {
    const server = await refusing(400, 'Throttling', 'Maximum sending rate exceeded.');
    const { message } = await faultOf((await at(server.port)).send(mailTo('a@b.test')));
    expect(message).to.match(/: too many requests \(Throttling\)$/);
    expect(server.connections).to.have.length(3);
  });

  for (const [code, text, reason] of [
    ['SignatureDoesNotMatch', "Credential should be scoped to a valid region, not 'eu-west-1'.", 'wrong region'],
    ['InvalidClientTokenId', 'The security token included in the request is invalid', 'the credentials are refused'],
    ['ExpiredToken', 'confidential', 'the credentials have expired'],
  ] as const) {
    it(`explains ${code}`, async () => {
      const server = await refusing(403, code, text);
      for (const line of await reasons(await at(server.port))) expect(line).to.include(`: ${reason}`);
    });
  }

  for (const [code, text, refusal] of [
    ['MessageRejected', 'Address blacklisted.', 'permanent'],
    ['MessageRejected', 'Email address is not verified: alice@example.com', 'permanent'],
    ['MessageRejected', 'Email address is not verified: no-reply@acme.test', undefined],
    ['InvalidParameterValue', 'Local address contains control or whitespace', 'permanent'],
    ['MailFromDomainNotVerifiedException', 'confidential', undefined],
    ['AccountSendingPausedException', 'confidential', undefined],
    ['Throttling', 'Maximum sending rate exceeded.', undefined],
  ] as const) {
    it(`takes ${code}, ${text} for ${refusal ?? 'no'} refusal of the mail`, async () => {
      const fault = await faultOf((await at((await refusing(400, code, text)).port)).send(mailTo('alice@example.com')));
      expect([fault.code, fault.refusal]).to.deep.equal(['mail_failed', refusal]);
    });
  }

  const unverified = 'Email address is not verified. The following identities failed the check in region EU-WEST-1:';
  for (const [text, to, refusal] of [
    [`${unverified} alice@acme.test`, 'alice@acme.test', 'permanent'],
    ['Domain of "alice@Acme.test" is blocked.', 'alice@acme.test', 'permanent'],
    [`${unverified} a/no-reply@acme.test`, 'a/no-reply@acme.test', 'permanent'],
    [`${unverified} x.no-reply@acme.test.example.com`, 'x.no-reply@acme.test.example.com', 'permanent'],
    ['No-Reply@acme.test is blocked', 'no-reply@acme.test', 'permanent'],
    [`${unverified} alice@acme.test, No-Reply@acme.test`, 'alice@acme.test', undefined],
    [`${unverified} Acme.test, alice@acme.test`, 'alice@acme.test', undefined],
    ['No access to arn:aws:ses:eu-west-1:123456789012:identity/acme.test.', 'alice@acme.test', undefined],
    ["The sender 'no-reply@acme.test' is not allowed", 'alice@acme.test', undefined],
  ] as const) {
    it(`takes ${text}, to ${to}, for ${refusal ?? 'no'} refusal of the mail`, async () => {
      const xml = text.replaceAll('"', '&quot;');
      const fault = await faultOf((await at((await refusing(400, 'MessageRejected', xml)).port)).send(mailTo(to)));
      expect([fault.code, fault.refusal]).to.deep.equal(['mail_failed', refusal]);
      expect(fault.message).to.not.include(to);
    });
  }

  it('reports an endpoint that is not SES', async () => {
    const server = await started(answeringServer(200, 'hello', 'Connection: close\r\n'));
    for (const line of await reasons(await at(server.port))) expect(line).to.include('does not answer as SES does');
  });

  it('reports the HTML page of a proxy', async () => {
    const page = '<html><body>Welcome to the proxy</body></html>';
    const server = await started(answeringServer(200, page, 'Content-Type: text/html\r\nConnection: close\r\n'));
    const { code, message } = await faultOf((await at(server.port)).send(mailTo('a@b.test')));
    expect(code).to.equal('mail_failed');
    expect(message).to.include('does not answer as SES does');
  });

  it('names the missing permission', async () => {
    const server = await refusing(403, 'AccessDenied', 'User: arn:aws:iam::1:user/confidential is not authorized');
    const [send, check] = await reasons(await at(server.port));
    expect(send).to.match(/: access denied: the credentials do not permit ses:SendEmail$/);
    expect(check).to.match(/: access denied: the credentials do not permit ses:GetIdentityVerificationAttributes$/);
  });
});
