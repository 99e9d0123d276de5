import { expect } from 'chai';
import { administered, administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { linkOf } from './mails.ts';
import { emailOf, WaitingMoves } from './waiting-moves.ts';

/** What administrators do about addresses, and the export of a user. */
export const administeredAddresses = (harness: Harness): void => {
  describe('the addresses of users', () => {
    it('are marked as verified without a link, and a link that was sent goes on to work', async () => {
      const { client, root } = await administrated(harness);
      const account = await client.create();
      const token = await client.token(account);
      const response = await root.post(`${pathOf(account.address)}/mark-verified`);
      expect(response.status, response.text).to.equal(200);
      expect(emailOf(response)).to.deep.equal({ address: account.address, verified: true });
      const again = await root.post(`${pathOf(account.address)}/mark-verified`);
      expect(again.headers.get('etag'), 'nothing changes').to.equal(response.headers.get('etag'));
      expect((await client.read(account)).user.email.verified).to.equal(true);
      const query = { email: account.address, token };
      expect((await client.get('/verify', { query })).status).to.equal(200);
    });

    it('get a verification mail, whose link verifies and replaces that of an earlier mail', async () => {
      const { client, root, mailsTo } = await administrated(harness);
      const account = await client.create();
      const earlier = await client.token(account);
      const response = await root.post(`${pathOf(account.address)}/send-verification`);
      expect(response.status, response.text).to.equal(200);
      const token = String((await client.read(account)).user.email.verificationToken);
      expect(token).to.not.equal(earlier);
      expect(response.text).to.not.include(token);
      const texts = (await mailsTo(account.address)).map(({ text }) => text);
      expect(texts).to.have.lengthOf(2);
      expect(texts.at(-1)).to.include(linkOf(account.address, token));
      const follow = (given: string) => client.get('/verify', { query: { email: account.address, token: given } });
      expect((await follow(earlier)).refusal).to.equal('400 token_mismatch');
      expect((await follow(token)).status).to.equal(200);
    });

    it('get no verification mail too soon after another one, and none while the user is disabled', async () => {
      const email = { ...(await harness.queuedEmail()), queue: false, resendInterval: '1h' };
      const { client, root } = await administrated(harness, { email });
      const account = await client.create();
      const path = `${pathOf(account.address)}/send-verification`;
      await root.post(`${pathOf(account.address)}/disable`, { body: { reason: 'ticket 4711' } });
      expect((await root.post(path)).refusal).to.equal('403 user_disabled');
      await root.post(`${pathOf(account.address)}/enable`);
      expect((await root.post(path)).status).to.equal(200);
      const refused = await root.post(path);
      expect(refused.refusal).to.equal('429 resend_too_soon');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(3_500, 3_600);
    });

    it('get none where no mails are sent', async () => {
      const { client, root } = await administrated(harness, { email: null });
      const { address } = await client.create();
      expect((await root.post(`${pathOf(address)}/send-verification`)).refusal).to.equal('404 route_not_found');
      expect((await root.post(`${pathOf(address)}/cancel-address-change`)).refusal).to.equal('404 route_not_found');
    });

    if (!harness.lacks('events'))
      it('stay when their change is cancelled, and its links end', async () => {
        const { client, root, account, open, use, links } = await new WaitingMoves(harness).waiting();
        const path = `${pathOf(account.address)}/cancel-address-change`;
        const { text } = await root.get('/admin/user', { query: { address: account.address } });
        expect(text).to.include('Cancel address change');
        const response = await root.post(path);
        expect(response.status, response.text).to.equal(200);
        expect(emailOf(response)).to.deep.equal({ address: account.address, verified: false });
        expect((await client.read(account)).user.email.address).to.equal(account.address);
        for (const link of [links.confirm, links.cancel]) expect((await open(link)).status, link).to.equal(400);
        expect((await use(links.confirm)).refusal).to.equal('400 token_mismatch');
        const again = await root.post(path);
        expect(again.headers.get('etag'), 'nothing changes').to.equal(response.headers.get('etag'));
      });
  });

  describe('the export of one user', () => {
    const exported = async (response: Promise<ApiResponse>): Promise<ApiResponse> => {
      const { status, text } = await response;
      expect(status, text).to.equal(200);
      return response;
    };

    it('has everything that is stored but passwords, tokens and digests, as a line of an export', async () => {
      const { client, root } = await administrated(harness);
      const account = await client.create({ properties: { rate: 1.5, note: 'a\nb' } });
      await client.token(account);
      await root.put(`${pathOf(account.address)}/password`, { body: { password: newPassword() } });
      await root.post(`${pathOf(account.address)}/disable`, { body: { reason: 'ticket 4711' } });
      const response = await exported(root.get(`${pathOf(account.address)}/export`));
      expect(response.headers.get('content-disposition')).to.equal(`attachment; filename="${account.address}.jsonl"`);
      expect(response.text.endsWith('}\n')).to.equal(true);
      expect(response.text.indexOf('\n')).to.equal(response.text.length - 1);
      const { email, ...others } = Object(response.json);
      expect(email).to.include({ address: account.address, verified: false, disabledReason: 'ticket 4711' });
      expect(email.disabledTime).to.be.a('number');
      const { email: _, lastUpdateTime: __, ...stored } = administered(account.user);
      expect(others).to.deep.include(stored);
    });

    it('is saved under a name without characters that mean something to a header or a disk', async () => {
      const { client, root } = await administrated(harness);
      const address = "o'ha\\/r?*ü@example.com".replace('\\', '');
      await client.create({ address });
      const response = await exported(root.get(`${pathOf(address)}/export`));
      expect(response.headers.get('content-disposition')).to.equal(
        'attachment; filename="o_ha_r___@example.com.jsonl"',
      );
    });

    it('404: no user has the address', async () => {
      const { root } = await administrated(harness);
      expect((await root.get(`${pathOf('nobody@example.com')}/export`)).refusal).to.equal('404 user_not_found');
    });
  });
};
