import { type Either, isLeft } from 'fp-ts/lib/Either.js';
import type { CommandBus, QueryBus } from '../../../../application/bus.ts';
import type { VersionedUser } from '../../../../domain/entity-tag.ts';
import type { Failure, FailureCode } from '../../../../domain/failure.ts';
import type { User } from '../../../../domain/user.ts';
import type { UserKey } from '../../../../domain/user-name.ts';
import { usersTag } from '../../api/accounts/user-schema.ts';
import { ifMatch } from '../../api/parameters.ts';
import type { RequestRefusal } from '../../api/refusal.ts';
import { defineRoute, defineRouteWithBody } from '../../api/route.ts';
import type { Body, OperationDescription, Route, RouteBase, Tag } from '../../api/route-types.ts';
import type { Html } from '../../pages/html.ts';
import { userWithTag } from '../../server/response.ts';
import { type AdministeredOptions, presentAsPermitted } from './administered-user.ts';
import { reads } from './administration-parameters.ts';
import type { FormErrors } from './form-fields.ts';
import type { UserReference } from './user-references.ts';

/** The buses that the administration uses. */
export interface Buses {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
}

/** What the page of an action says. */
interface ActionPage {
  /** The text of the link on the page of the user. */
  readonly label: string;
  readonly title: string;
  readonly sentence: string;
  /** The text of the button; by default that of the link. */
  readonly button?: string;
  readonly isDangerous?: true;
  /** The message after success. */
  readonly done: string;
}

/** Returns the value of a form field; empty if it is missing. */
export type FieldReader = (name: string) => string;

/** A body of the API that can also be made from the fields of a form. */
export interface FormBody<B> extends Body<B> {
  /** What the fields are called in errors, by their paths. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * The fields of the form; `entered` returns the values of a refused submission, and `errors` has what is wrong. Links
   * name the user by `reference`.
   */
  fields(user: User, entered: FieldReader, errors: FormErrors, reference: UserReference): Html[];
  read(field: FieldReader): Either<RequestRefusal, B>;
  /** Whether the form replaces what the page showed, so that it must not undo later changes. */
  readonly replacesShown?: true;
}

/** What an administrator does to a user: a route of the API, and a page that asks for a confirmation first. */
export interface UserAction {
  readonly page: ActionPage;
  readonly route: Route;
  readonly form?: Pick<FormBody<unknown>, 'fields' | 'labels'>;
  /** Does what a form asks for. `entityTag` is that of the user on the page. */
  submit(
    key: UserKey,
    entityTag: string,
    field: FieldReader,
    startedMs: number,
  ): Promise<Either<RequestRefusal, unknown>>;
}

/** The user that an action is about. */
interface Target {
  readonly key: UserKey;
  readonly ifMatch?: readonly string[] | undefined;
}

/** An action; as in every route, a failure of `perform` that `refusals` omits does not compile. */
interface Definition<B, Code extends Listed, Listed extends FailureCode>
  extends Pick<RouteBase, 'method' | 'operation' | 'requires' | 'mayOverload' | 'sendsMail' | 'details'>,
    Pick<OperationDescription, 'summary' | 'description'> {
  readonly page: ActionPage;
  /** Below the path of the user. */
  readonly path: string;
  readonly tag?: Tag;
  /** The description of the response. */
  readonly response?: string;
  /** False for an action that changes nothing which an entity tag covers. */
  readonly isConditional?: false;
  /** Whether the page is refused if the user has changed since, because nothing brings back what is lost. */
  readonly isFinal?: true;
  readonly refusals: readonly (Listed & NoInfer<Code>)[];
  /** `reads` says whether the key may read users. */
  perform(target: Target, body: B, startedMs: number, reads: boolean): Promise<Either<Failure<Code>, VersionedUser>>;
}

/** Why a change is refused, whatever it changes. */
export const changeRefusals = ['user_not_found', 'stale_user', 'contended'] as const;

/** The path of a user in the API. */
export const userPath = '/admin/users/:address';

/** Makes actions of their definitions, without a body and with one. */
export const actionsFor = ({ writeUser, describeUser, userInPath }: AdministeredOptions) => {
  const present = presentAsPermitted(writeUser, (write) => userWithTag(200, write));
  const routeOf = <B, Code extends Listed, Listed extends FailureCode>(definition: Definition<B, Code, Listed>) => {
    const { path, tag = usersTag, response = 'The user after the change.', isConditional = true } = definition;
    return {
      ...definition,
      path: `${userPath}${path}`,
      tag,
      parameters: { key: userInPath, ...(isConditional && { ifMatch }), reads },
      responses: { 200: describeUser(response) },
      handle: ({ reads, ...target }: Target & { readonly reads: boolean }, body: B, startedMs: number) =>
        definition.perform(target, body, startedMs, reads),
      present,
    };
  };
  return {
    action: <Listed extends FailureCode, Code extends Listed>(
      definition: Definition<undefined, Code, Listed>,
    ): UserAction => ({
      page: definition.page,
      route: defineRoute(routeOf(definition)),
      submit: (key, entityTag, _field, startedMs) => {
        const target = { key, ...(definition.isFinal && { ifMatch: [entityTag] }) };
        return definition.perform(target, undefined, startedMs, true);
      },
    }),
    actionWithBody: <B, Listed extends FailureCode, Code extends Listed>(
      body: FormBody<B>,
      definition: Definition<B, Code, Listed>,
    ): UserAction => ({
      page: definition.page,
      route: defineRouteWithBody({ ...routeOf(definition), body }),
      form: body,
      submit: async (key, entityTag, field, startedMs) => {
        const read = body.read(field);
        if (isLeft(read)) return read;
        const target = { key, ...(body.replacesShown && { ifMatch: [entityTag] }) };
        // A form that shows what is stored was made for a key that may read it.
        return definition.perform(target, read.right, startedMs, true);
      },
    }),
  };
};
