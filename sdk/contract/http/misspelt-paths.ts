import { expect } from 'chai';
import { basic } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const secretOfAdmin = 'the secret of an administrator';

/** Paths that contain an address and a token by mistake; `?` stands for both. */
const ofService = [
  '/verify%3F?',
  '/verify&?',
  '/verify;?',
  '/verify/?',
  '//verify/?',
  '/verify/success/?',
  '/users/?',
  '/users%3F?',
  '/users/check/?',
  '/users/Check?',
  '/users/check%3F?',
  '/Users/?',
  '/?',
  '/%ff?',
  '/%?',
  '/swagger/?',
  '/swagger/assets/?',
  '/swagger/assets/%ff?',
  '/openapi.json/?',
  'http://accounts.example.com/verify%3F?',
];

const ofAdmin = [
  '/admin?',
  '/admin/?',
  '/admin/user/?',
  '/admin/users/?',
  '/admin/users/%ff?',
  '/admin/users/?/reset',
  '/admin/users/?/nowhere',
  '/admin//users/?',
  '/admin/Users/?',
  '/admin%2Fusers/?',
  '/outbox/?',
  '/outbox/%ff?',
  '/outbox/?/body',
  '/metrics/?',
  '/healthcheck%3F?',
];

/** Paths with secrets must not be logged. */
export const misspeltPaths = (harness: Harness): void => {
  describe('a misspelt path', () => {
    const address = 'misspelt.leaked@example.com';
    const token = '5f0c1b0e-6a53-4b57-9f0d-leaked0leaked';
    const slips = [`email=${address}&token=${token}`, `${encodeURIComponent(address)}=${token}`];
    const service = () =>
      harness.service({
        admin: { keys: [{ application: 'root', secret: secretOfAdmin }] },
        audit: { to: 'log' },
        logging: { requests: 'all' },
      });

    for (const [port, paths] of [
      ['the service', ofService],
      ['the admin port', ofAdmin],
    ] as const) {
      it(`appears neither in the log nor in the audit nor in the metrics: ${port}`, async () => {
        const { client, url, adminUrl, log } = await service();
        const ofAdmin = port === 'the admin port';
        const authorization = ofAdmin ? basic('root', secretOfAdmin) : client.credentials;
        for (const path of paths.flatMap((path) => slips.map((slip) => path.replace('?', slip))))
          for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
            const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`];
            const [response] = responsesIn(await exchange(ofAdmin ? adminUrl : url, requestText(lines)));
            // Stores that cannot list users respond differently, which this test ignores.
            if (!ofAdmin) expect(response?.status, `${method} ${path}`).to.be.lessThan(500);
          }
        // The last log line is that of a later request.
        const last = [
          `GET ${ofAdmin ? '/admin' : '/users'} HTTP/1.1`,
          'Host: localhost',
          `Authorization: ${authorization}`,
        ];
        await exchange(ofAdmin ? adminUrl : url, requestText(last));
        const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
        const lines = await log();
        expect(lines.filter((line) => line.includes("route: 'other'"))).not.to.be.empty;
        // The audit contains the address of valid requests.
        const proper = /user: 'misspelt\.leaked@example\.com'/;
        const output = [...lines.filter((line) => !proper.test(line)), ...metrics.split('\n')];
        expect(output.filter((line) => /leaked/i.test(line))).to.deep.equal([]);
      });
    }
  });
};
