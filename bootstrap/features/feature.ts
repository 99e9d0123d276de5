import type { Container } from 'inversify';
import type { Middleware } from 'koa';
import type { PageLanguageChoice } from '../../adapters/http/api/page-routes.ts';
import type { RouteOptions, SignUpOptions } from '../../adapters/http/api/route-options.ts';
import type { Parameter, Route } from '../../adapters/http/api/route-types.ts';
import type { PageLanguage, PageTexts } from '../../adapters/http/pages/page-texts.ts';
import { verificationLink } from '../../adapters/http/paths.ts';
import type { Observer } from '../../adapters/http/server/pipeline.ts';
import type { JsonObject } from '../../adapters/kit/exact-json.ts';
import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import { type SignUpRules, withoutSignUpRules } from '../../application/accounts/create-user.ts';
import type { AddressMoves } from '../../application/address-moves/address-moves.ts';
import type { Commands, Queries, SomeHandlers } from '../../application/bus.ts';
import { Fault } from '../../application/fault.ts';
import type { Invitations } from '../../application/invitations/invite-user.ts';
import { plainTokens } from '../../application/mailed-tokens.ts';
import type { DomainEvents, Subscription } from '../../application/outgoing/domain-events.ts';
import type { LocaleChoice, MailQueue, MailTexts } from '../../application/outgoing/mail-queue.ts';
import type { NoticeLimit } from '../../application/outgoing/notice-limit.ts';
import type { Notices } from '../../application/outgoing/notices.ts';
import type { CheckHelpers } from '../../application/passwords/password-check.ts';
import { type NewPasswordRules, withoutRules } from '../../application/passwords/password-update.ts';
import { type AttemptCounters, type AttemptThrottle, unlimited } from '../../application/ports/attempt-counter.ts';
import type { Log } from '../../application/ports/log.ts';
import { unlikeCodes, type VerificationMethod } from '../../application/verification/verification-codes.ts';
import type { UserId } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { UniqueProperty } from '../../domain/user-name.ts';
import type { Inactivity } from '../../domain/user-state.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Adapters } from '../service/adapters.ts';
import type { DeliveryGroup } from '../service/event-delivery.ts';

/** What the use cases need for mails. */
export interface Mails {
  readonly texts: MailTexts;
  readonly localeOf: LocaleChoice;
}

/** The pages that links of mails open, and what all pages show of the product. */
export interface LinkPages extends Pick<PageLanguage, 'brand' | 'product'> {
  /** Opens the pages of one kind of link in all languages. */
  languageOf(kind: keyof PageTexts): Promise<PageLanguageChoice>;
}

const noMails = (): Fault => new Fault('mail_failed', 'email is disabled in the configuration');

/** Used where no mails are sent. */
const withoutMails: Mails = {
  texts: {
    compose: () => {
      throw noMails();
    },
  },
  localeOf: () => 'en',
};

const withoutPages: LinkPages = {
  languageOf: async () => {
    throw noMails();
  },
  brand: null,
  product: null,
};

/** What use cases get from features. Each does nothing where its feature is not configured. */
export interface Collaborators {
  readonly throttle: AttemptThrottle;
  readonly passwordRules: NewPasswordRules;
  /** The texts of mails, and the choice of their language. */
  readonly mails: Mails;
  readonly pages: LinkPages;
  /** The custom properties that no two users share. */
  readonly unique: readonly UniqueProperty[];
  /** Who may sign up. */
  readonly signUpRules: SignUpRules;
  /** Whether each mailbox may have one account. */
  readonly namesMailboxes: boolean;
  /** Returns a new id of a user; undefined where users have no ids. */
  readonly newUserId?: () => UserId;
  /** Undefined where users get no notices. */
  readonly noticeLimit?: NoticeLimit;
  /** Undefined where users are not invited. */
  readonly invitations?: (services: Services) => Invitations;
  readonly verification: VerificationMethod;
}

/** Without features. Verification mails contain links. */
export const noCollaborators = ({ newToken }: Pick<Adapters, 'newToken'>): Collaborators => ({
  throttle: unlimited,
  passwordRules: withoutRules,
  signUpRules: withoutSignUpRules,
  mails: withoutMails,
  pages: withoutPages,
  unique: [],
  namesMailboxes: false,
  verification: { tokens: unlikeCodes(plainTokens(newToken)), throttle: unlimited, secretOf: verificationLink },
});

/** An option for which mails are queued. `remedy` is a clause that says how to do without, such as `write queue: false`. */
export interface MailOption {
  readonly path: string;
  readonly remedy: string;
}

/** What a feature changes in the routes and in their description. */
export interface ApiAdditions {
  /** Reads the address of the client, for which wrong passwords are counted. */
  readonly client?: Parameter<string | undefined>;
  /** Reads the languages for a mail; undefined if all mails are in one language. */
  readonly mailLanguages?: Parameter<readonly string[]>;
  readonly signUp?: SignUpOptions;
  /** Responses say when the password was set, so that applications can end the sessions from before. */
  readonly passwordTime?: boolean;
  /** Administrators see when passwords were last right, which is recorded since this time. */
  readonly activity?: Pick<Inactivity, 'recordedSince'>;
  /** Administrators see the mails that wait. */
  readonly queuesMails?: boolean;
  /** Responses have the id of a user, bodies may have one, and a query can name a user by it. */
  readonly ids?: boolean;
  /** The custom properties that no two users share, by which a query can name a user. */
  readonly unique?: readonly UniqueProperty[];
  /** Responses show a new address that waits for its confirmation, and bodies may repeat it. */
  readonly addressMove?: Pick<RouteOptions, 'writeUser'> & {
    readonly trimBody: (body: JsonObject) => JsonObject;
    readonly lifetimeMs: number;
  };
}

/** What a feature is opened with. */
export interface FeatureContext {
  readonly configuration: Configuration;
  readonly adapters: Adapters;
  readonly log: Log;
}

/** The address with which links start. The configuration refuses features with links where there is none. */
export const linkBaseOf = ({ server: { publicUrl } }: Configuration): string => {
  if (publicUrl === null) throw new TypeError('links need server.publicUrl');
  return publicUrl;
};

/** The use cases of a process, for the handlers and targets of a feature. */
export interface Services extends Collaborators, Pick<Container, 'get'> {
  readonly limits: UserLimits;
  readonly counters: AttemptCounters;
  /** Of the subscriptions of all features. */
  readonly events: DomainEvents;
  /** Makes the mails that are stored with a change. */
  readonly mailQueue: MailQueue;
  /** Measured and traced. */
  readonly adapters: Adapters;
}

/**
 * What an optional block of the configuration adds to a service. It is opened only where it is configured, and has only
 * the members that it needs.
 */
export interface Feature {
  /** What takes the place of collaborators that do nothing. */
  readonly collaborators?: Partial<Collaborators>;
  /** What it counts attempts with. */
  readonly counters?: Partial<AttemptCounters>;
  /** The domain events that are stored with changes for its targets. */
  readonly subscriptions?: readonly Subscription[];
  /** What an update does with a new address that needs a confirmation. */
  addressMoves?(services: Services): AddressMoves;
  /** The mails that are stored with a change. */
  notices?(services: Services): Pick<Notices, 'of'>;
  /** What password checks use. */
  checkHelpers?(services: Services): CheckHelpers;
  commands?(services: Services): SomeHandlers<Commands>;
  queries?(services: Services): SomeHandlers<Queries>;
  readonly api?: ApiAdditions;
  /** The routes on the public port. */
  routes?(services: Services, options: RouteOptions): Promise<readonly Route[]>;
  /** The events, mails or requests that are delivered, with their health line and metrics. */
  deliveries?(services: Services): Promise<readonly DeliveryGroup[]>;
  /** Called after each request, on both ports. */
  readonly observer?: Observer;
  /** Runs before the routes of the public port. */
  readonly middleware?: Middleware;
  /** What it needs of the database works; resolves with a line for operators, and throws a Fault otherwise. */
  checkDatabase?(): Promise<string>;
  metrics?(): readonly MetricFamily[];
  /** Ends before the database is closed. */
  close?(): Promise<void>;
  /** Sends what is left after everything else was closed, within about `remainingMs`. */
  flush?(remainingMs: number): Promise<void>;
}
