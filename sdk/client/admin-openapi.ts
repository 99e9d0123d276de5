// Generated from the OpenAPI document by `npm run client:types`. Do not edit.

export interface paths {
    "/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description A page of users in a stable order. It can hold fewer users than `limit` although more follow.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user without its password
         * @description Returns a user, without the stored form of its password and without the token of its verification mail.
         */
        get: operations["inspectUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user without its password
         * @description Removes a user and returns what was removed.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /**
         * Edit custom properties
         * @description Applies a JSON merge patch to the custom properties of the newest version of the user.
         */
        patch: operations["editProperties"];
        trace?: never;
    };
    "/admin/users/{address}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a verification without the password
         * @description Marks the address of a user as not verified, with no token outstanding.
         */
        post: operations["forceReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a user
         * @description Refuses every request with the password of the user, for good or until a time.
         */
        post: operations["disableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a user
         * @description Lets a disabled user log in again.
         */
        post: operations["enableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/require-password-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Require a new password
         * @description Refuses every request with the password of the user except for an update that sets another one.
         */
        post: operations["requirePasswordChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/withdraw-password-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Require no new password any more
         * @description Lets a user who had to set a new password keep the current one.
         */
        post: operations["withdrawPasswordChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a password
         * @description Gives a user another password. A change that was required stays required.
         */
        put: operations["setPassword"];
        post?: never;
        /**
         * Clear a password
         * @description Removes the password of a user: every password is wrong until a new one is set.
         */
        delete: operations["clearPassword"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the wrong passwords of a user
         * @description How many wrong passwords are counted for a user, and how long they block it; with recoveries, the same about wrong tokens.
         */
        get: operations["inspectAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/unblock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unblock a user
         * @description Resets the counts of wrong passwords, tokens and codes of a user, which ends every block. Client addresses stay blocked.
         */
        post: operations["unblockUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{address}/recovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a user a link for a new password
         * @description Does the same as `POST /recovery`. No mail is sent to a disabled user, or within `recovery.resendInterval` after another one.
         */
        post: operations["startRecovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mails that wait to be sent
         * @description A page of queued mails that the mail provider has not accepted yet, without their links.
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        User: {
            email: {
                /** Format: idn-email */
                address: string;
                verified: boolean;
                /**
                 * Format: int64
                 * @description Milliseconds since the epoch.
                 */
                disabledTime?: number;
                /**
                 * Format: int64
                 * @description Milliseconds since the epoch.
                 */
                disabledUntil?: number;
                disabledReason?: string;
                /**
                 * Format: int64
                 * @description Milliseconds since the epoch.
                 */
                changeRequiredTime?: number;
                /** Format: idn-email */
                pending?: string;
            };
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            creationTime: number;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            lastUpdateTime: number;
            /**
             * Format: int64
             * @description When the password was last set by a user or an administrator, in milliseconds since the epoch.
             */
            passwordTime?: number;
        } & {
            [key: string]: unknown;
        };
        UserPage: {
            users: components["schemas"]["User"][];
            unreadable?: string[];
            next: string | null;
        };
        PropertiesPatch: {
            [key: string]: unknown;
        };
        Disablement: {
            reason: string;
            /**
             * Format: int64
             * @description A time in the future, in milliseconds since the epoch.
             */
            until?: number;
        };
        NewPassword: {
            password: string;
        };
        AttemptCount: {
            failures: number;
            blockedForSeconds: number;
            /** @description The wrong tokens and codes; only with the block `recovery`. */
            recovery?: {
                failures: number;
                blockedForSeconds: number;
            };
        };
        QueuedMail: {
            kind: string;
            /** Format: idn-email */
            to: string;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            since: number;
            attempts: number;
            /**
             * Format: int64
             * @description Milliseconds since the epoch.
             */
            nextAttempt: number;
        };
        MailPage: {
            mails: components["schemas"]["QueuedMail"][];
            next: string | null;
        };
        /** @description A problem document (RFC 9457). `code` is stable; texts are fixed. */
        Problem: {
            /** @description `urn:latchkey:problem:` followed by the code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "body_too_large" | "client_unauthorized" | "contended" | "cross_site" | "headers_too_large" | "internal_error" | "invalid_body" | "invalid_json" | "invalid_parameter" | "invalid_properties" | "malformed_request" | "method_not_allowed" | "misdirected_request" | "overloaded" | "request_timeout" | "route_not_found" | "stale_user" | "store_rejected" | "store_unavailable" | "timed_out" | "too_many_attempts" | "unsuitable_password" | "unsupported_encoding" | "unsupported_media_type" | "user_not_found" | "user_too_large" | "weak_password";
            /** @description Identifies the request in the log: the `X-Request-Id` of the request, or the trace id of its `traceparent`, if present. */
            requestId?: string;
            /** @description The invalid fields, if known. */
            errors?: {
                path: string;
                message: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Identifies the request in the log; equal to `requestId` of the problem document. */
        "X-Request-Id": string;
        /** @description How the client authenticates; with `wrong_password`, the scheme `Password`, for which browsers ask nothing. */
        "WWW-Authenticate": string;
        /** @description When the request may succeed, in seconds, if that is known. */
        "Retry-After": number;
        /** @description With `unsupported_media_type`: the media types that are accepted (RFC 5789). */
        "Accept-Patch": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listUsers: {
        parameters: {
            query?: {
                /** @description The maximum number of users in the page, up to 200. Example: `50`. */
                limit?: number;
                /** @description The `next` of the previous page; left out for the first page. Example: `amFuZUBleGFtcGxlLmNvbQ`. */
                after?: string;
                /** @description The beginning of the addresses, in any case. Example: `jane`. */
                address?: string;
                /** @description Lists only users whose address is verified, or only those whose address is not. Example: `false`. */
                verified?: boolean;
                /** @description Lists only disabled users, those who have to set a new password, or those whom wrong passwords block now. Example: `disabled`. */
                state?: "disabled" | "password_change_required" | "blocked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users, without their passwords and tokens; `next` is null after the last one. `unreadable` has the keys of damaged records, if there are any. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inspectUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user that was removed. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    editProperties: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        /** @description A JSON merge patch (RFC 7396) of the custom properties: null removes one. These names are refused: email, password, creationTime, lastUpdateTime. No object has two members of one name or one named `__proto__`, nothing is nested deeper than 32 levels, and no number written as an integer is beyond ±9007199254740991. */
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["PropertiesPatch"];
                "application/json": components["schemas"]["PropertiesPatch"];
            };
        };
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_json`: The body is not a JSON object that can be kept exactly.
             *
             *     `invalid_body`: Some fields of the body are missing or malformed.
             *
             *     `invalid_properties`: Some custom properties break the configured rules.
             *
             *     `user_too_large`: A user is at most 350 KiB of compact JSON.
             *
             *     `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: A body is at most 1 MiB, also when it is sent compressed. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `unsupported_media_type`: The body must be application/json in UTF-8; a PATCH may also be application/merge-patch+json.
             *
             *     `unsupported_encoding`: The body may be sent as it is, or encoded with gzip, deflate or br.
             */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Accept-Patch": components["headers"]["Accept-Patch"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forceReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user after the reset. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disableUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        /** @description Why the user is disabled, for administrators only, and until when; for good without `until`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Disablement"];
            };
        };
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_json`: The body is not a JSON object that can be kept exactly.
             *
             *     `invalid_body`: Some fields of the body are missing or malformed.
             *
             *     `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: A body is at most 1 MiB, also when it is sent compressed. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `unsupported_media_type`: The body must be application/json in UTF-8; a PATCH may also be application/merge-patch+json.
             *
             *     `unsupported_encoding`: The body may be sent as it is, or encoded with gzip, deflate or br.
             */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enableUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requirePasswordChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawPasswordChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        /** @description The new password in clear or, where clients hash passwords, its hash. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_json`: The body is not a JSON object that can be kept exactly.
             *
             *     `invalid_body`: Some fields of the body are missing or malformed.
             *
             *     `unsuitable_password`: The configured algorithm cannot tell this password from every other one (bcrypt reads 72 bytes of UTF-8, and no NUL), or the password header cannot carry it; then the errors say why.
             *
             *     `weak_password`: The password breaks the rules of the service. The errors say which.
             *
             *     `user_too_large`: A user is at most 350 KiB of compact JSON.
             *
             *     `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: A body is at most 1 MiB, also when it is sent compressed. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `unsupported_media_type`: The body must be application/json in UTF-8; a PATCH may also be application/merge-patch+json.
             *
             *     `unsupported_encoding`: The body may be sent as it is, or encoded with gzip, deflate or br.
             */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    clearPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `user_too_large`: A user is at most 350 KiB of compact JSON.
             *
             *     `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `stale_user`: The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `contended`: Others kept changing the user at the same time. Try again.
             *
             *     `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inspectAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count, and the remaining seconds of a block; 0 without one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptCount"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unblockUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user after the change. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The address of the user, percent-encoded, in any case.
                 * @example jane@example.com
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, who gets a mail. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false
                     *       },
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767225600000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `cross_site`: A page of another site made the browser send this request. Send it from a page of this site. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user_not_found`: No user has this email address. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMails: {
        parameters: {
            query?: {
                /** @description The maximum number of users in the page, up to 200. Example: `50`. */
                limit?: number;
                /** @description The `next` of the previous page; left out for the first page. Example: `amFuZUBleGFtcGxlLmNvbQ`. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of mails, without their links; `next` is null after the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailPage"];
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `malformed_request`: The request is not valid HTTP, or its target or Host is malformed.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `client_unauthorized`: The Authorization header is missing or not accepted. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `misdirected_request`: The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts. */
            421: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_rejected`: The database rejected the request.
             *
             *     `internal_error`: The service failed to answer.
             */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `store_unavailable`: The database cannot be reached, or does not respond. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
