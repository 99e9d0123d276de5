/** A block whose other keys depend on its `type`. */
interface AdapterBlock {
  readonly type: string;
  readonly [option: string]: unknown;
}

/** A duration such as 500ms, 30s, 2m or 1h. */
type Duration = `${number}${'ms' | 's' | 'm' | 'h'}`;

/** A duration such as 60s, 24h or 7d. */
type Span = Duration | `${number}d`;

/** Where the service listens. */
export interface ServerOptions {
  readonly host?: string;
  /** 0 takes a port that is free. */
  readonly port?: number;
  readonly adminHost?: string;
  readonly adminPort?: number;
  /** The host names under which the admin port is called, besides localhost and IP addresses. */
  readonly adminHosts?: readonly string[];
  readonly publicUrl?: string;
  /** How many proxies are in front of the service, or their networks; true is one. */
  readonly trustProxy?: boolean | number | readonly string[];
  readonly [option: string]: unknown;
}

/** Verification mails; `type: none` switches them off. */
export interface EmailOptions {
  readonly type?: string;
  readonly verificationOnUpdate?: 'body' | 'server';
  /** Whether the link opens a page with a button that verifies. */
  readonly confirmPage?: boolean;
  /** For how long the link in a mail verifies. */
  readonly tokenLifetime?: Span;
  /** How much time there is between two mails to a user at least. */
  readonly resendInterval?: Span;
  readonly messageOptions?: {
    readonly subject?: string;
    readonly bodyHtmlFilePath?: string;
    readonly bodyTextFilePath?: string;
    readonly urlPlaceholderString?: string;
    readonly successHtmlFilePath?: string;
    readonly successHtml?: string;
  };
  readonly [option: string]: unknown;
}

/** How passwords are hashed and compared; further options depend on the algorithm. */
export interface PasswordHashOptions {
  readonly algorithm?: string;
  readonly serverSideHash?: boolean;
  readonly headerCheck?: boolean;
  readonly allowCommonMistakes?: boolean;
  readonly [option: string]: unknown;
}

/** What the service keeps to itself. */
export interface PrivacyOptions {
  readonly hideUnknownUsers?: boolean;
  readonly hidePasswords?: boolean;
}

/** How many wrong passwords are too many. */
export interface ThrottleOptions {
  readonly failures?: number;
  readonly window?: Duration;
  readonly block?: Duration;
  readonly clientFailures?: number;
  readonly clientHeader?: string;
}

/** Which custom properties a user may and must have. */
export interface PropertiesOptions {
  readonly allowSubset?: boolean;
  readonly allowSuperset?: boolean;
  readonly allowed?: readonly { readonly name: string; readonly type: string }[];
}

/** Who may call the service. */
export type AuthOptions =
  | {
      readonly type?: 'basic';
      readonly keys: readonly { readonly application: string; readonly secret: string }[];
    }
  | {
      readonly type: 'oauth';
      readonly hmacSecret?: string;
      readonly rsaPublicKeyFilePath?: string;
      readonly jwksUrl?: string;
      readonly issuer: string;
      readonly audience?: string | readonly string[];
      readonly requireExpiry?: boolean;
    };

/** Who may administrate users on the admin port. */
export interface AdminOptions {
  readonly keys?: readonly { readonly application: string; readonly secret: string }[];
}

export interface OpenApiOptions {
  readonly enabled?: boolean;
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly contact?: string;
  readonly contactEmail?: string;
  readonly license?: string;
  readonly licenseUrl?: string;
}

export interface LoggingOptions {
  readonly level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'off' | 'all';
  readonly requests?: 'failed' | 'all' | 'none';
}

/** The configuration file as an object: the same blocks, keys and values. */
export interface LatchkeyConfiguration {
  readonly server?: ServerOptions;
  readonly logging?: LoggingOptions;
  readonly database?: AdapterBlock;
  readonly email?: EmailOptions;
  readonly secrets?: { readonly provider?: string; readonly [option: string]: unknown };
  readonly passwordHash?: PasswordHashOptions;
  readonly privacy?: PrivacyOptions;
  readonly throttle?: ThrottleOptions;
  readonly properties?: PropertiesOptions;
  readonly operationTimeout?: Duration;
  readonly openApi?: OpenApiOptions;
  /** Null denies every request to a protected path. */
  readonly auth?: AuthOptions | null;
  readonly admin?: AdminOptions;
}
