import { isLeft, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { administrator as by } from '../../../../../application/administration/administrator.ts';
import type { HealthReport } from '../../../../../application/health.ts';
import type { Clock } from '../../../../../application/ports/clock.ts';
import type { Failure } from '../../../../../domain/failure.ts';
import { problems } from '../../../api/problems.ts';
import type { AdminSite } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { Reply } from '../../../server/response.ts';
import { defaultLimit } from '../administration-parameters.ts';
import { cursorOf, positionIn } from '../list-cursors.ts';
import { withAuditedRecipient } from '../mail-routes.ts';
import type { Buses, FieldReader } from '../user-action.ts';
import { discardPage, inDeliveryPage, mailActions, mailsPage } from './mail-pages.ts';
import { pathTo } from './page-frame.ts';
import { type FormTokens, parameterOf } from './page-inputs.ts';
import { PageReplies, redirect } from './page-replies.ts';

type MailAction = keyof typeof mailActions;

/** The pages about mails that wait to be sent. */
export class WaitingMailPages extends PageReplies {
  constructor(
    private readonly buses: Buses,
    private readonly clock: Clock,
    private readonly health: () => Promise<HealthReport>,
    site: AdminSite,
    tokens: FormTokens,
  ) {
    super(site, tokens);
  }

  async list(request: KoaRequest): Promise<Reply> {
    const cursor = parameterOf(request, 'after');
    const position = cursor === '' ? right(undefined) : positionIn(cursor);
    if (isLeft(position)) return this.problem(request, 'invalid_parameter');
    const message = { type: 'ListMails', by, limit: defaultLimit, after: position.right } as const;
    const [listed, health] = await Promise.all([this.buses.queries.dispatch(message), this.health()]);
    if (isLeft(listed)) return listed.left;
    const { mails, next } = listed.right;
    const done = parameterOf(request, 'done');
    const view = {
      mails,
      nextCursor: next === undefined ? undefined : cursorOf(next),
      health,
      tokenOf: (id: string) => this.tokenOf(request, 'retry', id),
      message: done === 'retry' || done === 'discard' ? mailActions[done].done : undefined,
    };
    return this.page(request, 200, mailsPage(view, this.clock.now()));
  }

  confirmation(request: KoaRequest): Reply {
    const id = parameterOf(request, 'id');
    return this.page(request, 200, discardPage(id, this.tokenOf(request, 'discard', id)));
  }

  async submission(action: MailAction, request: KoaRequest, field: FieldReader, startedMs: number): Promise<Reply> {
    const id = field('id');
    const { authorization } = request.headers;
    if (!this.tokens.isValid(field('token'), authorization, action, id)) return this.foreignForm(request);
    const outcome = await this.buses.commands.dispatch({ type: mailActions[action].command, by, id }, startedMs);
    withAuditedRecipient(request, outcome);
    if (isLeft(outcome)) return this.refused(request, outcome.left);
    return redirect(pathTo(adminPaths.waitingMails, { done: action }));
  }

  private refused(request: KoaRequest, { code, retryAfterSeconds }: Failure): Reply {
    if (retryAfterSeconds === undefined) return this.problem(request, code);
    const until = this.clock.now() + retryAfterSeconds * 1000;
    const reply = this.page(request, problems[code].status, inDeliveryPage(until));
    return { ...reply, headers: { ...reply.headers, 'Retry-After': String(retryAfterSeconds) } };
  }

  private tokenOf({ headers }: KoaRequest, action: MailAction, id: string): string {
    return this.tokens.of(headers.authorization, action, id);
  }
}
