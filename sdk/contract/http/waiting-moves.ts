import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReceivedMail } from '../received-mail.ts';
import { administrated } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress } from './client.ts';
import { type Blocks, type Harness, publicUrl } from './harness.ts';

export const pollMs = 50;
const arrivalTimeoutMs = 5_000;

/** The body of a user's email record in a response. */
export const emailOf = ({ json }: ApiResponse) => Object(json).email;

/** Requests a new address, and other changes. */
export const move = (
  client: Client,
  { address, password }: Account,
  to: string,
  others: object = {},
): Promise<ApiResponse> =>
  client.put('/users', { query: { email: address }, password, body: { email: { address: to }, ...others } });

/** The target of the only form on the page of a link. */
export const actionOf = (link: string, { text }: ApiResponse): string => {
  const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(text) ?? [];
  const { pathname, search } = new URL(action.replaceAll('&amp;', '&'), `${publicUrl}${link}`);
  return `${pathname}${search}`;
};

/** Services with `email.confirmChange`, and their mails. */
export class WaitingMoves {
  constructor(private readonly harness: Harness) {}

  async start(options: object = {}, blocks: Blocks = {}) {
    const email = { ...(await this.harness.queuedEmail()), queue: false, confirmChange: true, ...options };
    return administrated(this.harness, { ...blocks, email });
  }

  async mailsTo(address: string): Promise<readonly ReceivedMail[]> {
    const { directory } = await this.harness.queuedEmail();
    return (await this.harness.mailsIn(directory)).filter(({ to }) => to === address);
  }

  /** The path of the link in the mail to an address, once it has arrived. */
  async linkTo(address: string): Promise<string> {
    const deadline = performance.now() + arrivalTimeoutMs;
    for (;;) {
      const links = (await this.mailsTo(address)).flatMap(({ text }) => text.match(/https:\S+\/change\S*/g) ?? []);
      const link = links.at(-1);
      if (link !== undefined) {
        expect(link.startsWith(publicUrl), link).to.equal(true);
        return link.slice(publicUrl.length);
      }
      if (performance.now() > deadline) throw new Error('no link arrived');
      await sleep(pollMs);
    }
  }

  /** An account for which a new address waits, and the links of its mails. */
  async waiting(options: object = {}, blocks: Blocks = {}) {
    const { client, root } = await this.start(options, blocks);
    const account = await client.create();
    const to = newAddress();
    const response = await move(client, account, to);
    expect(response.status, response.text).to.equal(200);
    const confirm = await this.linkTo(to);
    const cancel = await this.linkTo(account.address);
    /** Opens a link as a browser does. */
    const open = (path: string, method = 'GET') => client.send(method, path, { authorization: null });
    /** Sends the token of a link as a program does. */
    const use = (link: string) => open(link.replace(/^\/change\?/, '/change/confirm?'), 'POST');
    return { client, root, account, to, response, open, use, links: { confirm, cancel } };
  }
}
