import { isLeft } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { EmailAddress, keyOf } from '../../../../../domain/email-address.ts';
import { problems } from '../../../api/problems.ts';
import type { RequestRefusal } from '../../../api/refusal.ts';
import { keepSubject } from '../../../api/request-audit.ts';
import { permits } from '../../../authentication/permissions.ts';
import { html, nothing } from '../../../pages/html.ts';
import type { AdminSite } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { Reply } from '../../../server/response.ts';
import { newAddressField } from '../form-bodies.ts';
import { problemOf } from '../form-fields.ts';
import type { FieldReader } from '../user-action.ts';
import type { UserCreation } from '../user-creation.ts';
import type { UserReferences } from '../user-references.ts';
import { pathTo } from './page-frame.ts';
import type { FormTokens } from './page-inputs.ts';
import { PageReplies, redirect } from './page-replies.ts';

/** Names the form in its token, and in the message after it. */
export const creationForm = 'create-user';

/** The message after a user was created. */
export const createdMessage = 'The user was created.';

const labels = {
  address: 'Address',
  password: 'Password',
  properties: 'Custom properties',
};

/** The page on which administrators create or invite a user. */
export class CreationPage extends PageReplies {
  constructor(
    private readonly creation: UserCreation,
    private readonly names: UserReferences,
    site: AdminSite,
    tokens: FormTokens,
  ) {
    super(site, tokens);
  }

  show(request: KoaRequest, status = 200, entered: FieldReader = () => '', refused?: RequestRefusal): Reply {
    const token = this.tokens.of(request.headers.authorization, creationForm);
    const content = html`<form class="card part" method="post" action="${adminPaths.createUser}">
${refused === undefined ? nothing : problemOf(refused, labels)}
<input type="hidden" name="token" value="${token}">
${this.creation.fields(entered, refused?.errors ?? [])}
<div class="choices"><button class="action">Create user</button></div>
</form>`;
    return this.single(request, status, 'Create a user', content);
  }

  async submission(request: KoaRequest, field: FieldReader, startedMs: number): Promise<Reply> {
    const { state } = request.ctx;
    if (!this.tokens.isValid(field('token'), request.headers.authorization, creationForm))
      return this.foreignForm(request);
    const address = field(newAddressField).trim();
    if (EmailAddress.is(address)) state.user = keyOf(address);
    const outcome = await this.creation.submit(field, startedMs);
    keepSubject(state, outcome);
    if (isLeft(outcome)) {
      state.code = outcome.left.code;
      return this.show(request, problems[outcome.left.code].status, field, outcome.left);
    }
    return permits(state.client, 'read')
      ? redirect(pathTo(adminPaths.user, { ...this.names.referenceTo(outcome.right.user), done: creationForm }))
      : this.notice(request, 200, 'Done', createdMessage);
  }
}
