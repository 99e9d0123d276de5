import type { PropertyRules } from '../../domain/custom-properties.ts';
import type { Admin } from './administration.ts';
import type { Audit } from './audit.ts';
import type { Auth } from './auth.ts';
import type { Database } from './database.ts';
import type { Email, EmailOptions } from './email.ts';
import type { Events } from './events.ts';
import type { Logging } from './logging.ts';
import type { OpenApi } from './open-api.ts';
import type { PasswordHash } from './password-hash.ts';
import type { Privacy } from './privacy.ts';
import type { Secrets } from './secrets.ts';
import type { Server } from './server.ts';
import type { LoginThrottle } from './throttle.ts';

/** Everything that the configuration file decides, decoded and with its secrets and files read. */
export interface Configuration {
  readonly server: Server;
  readonly logging: Logging;
  readonly database: Database;
  /** Null when `email.type` is none: addresses are not verified. */
  readonly email: Email | null;
  /** Counts also when `email.type` is none. */
  readonly verificationOnUpdate: EmailOptions['verificationOnUpdate'];
  readonly secrets: Secrets;
  readonly passwordHash: PasswordHash;
  readonly privacy: Privacy;
  /** Null when wrong passwords are not counted. */
  readonly throttle: LoginThrottle | null;
  /** Null when custom properties are not checked. */
  readonly properties: PropertyRules | null;
  /** In milliseconds. */
  readonly operationTimeout: number;
  readonly openApi: OpenApi;
  /** Null when every protected request is denied. */
  readonly auth: Auth | null;
  /** Without keys nobody administrates. */
  readonly admin: Admin;
  /** Null when requests are not audited. */
  readonly audit: Audit | null;
  /** Null when nobody is told of what happens to users. */
  readonly events: Events | null;
}
