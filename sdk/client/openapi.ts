// Generated from the OpenAPI document by `npm run client:types`. Do not edit.

export interface paths {
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Returns a user, and checks the password in the `password` header. With `Prefer: settled`, no earlier write of the user is applied after a 200 or 404.
         */
        get: operations["getUser"];
        /**
         * Update a user
         * @description Replaces a user. To change the address, send the existing one in `email` and the new one in the body; the change is atomic.
         */
        put: operations["updateUser"];
        /**
         * Create a user
         * @description Stores a new user whose address is not verified. The response is sent after the user was stored durably.
         */
        post: operations["createUser"];
        /**
         * Delete a user
         * @description Deletes a user and returns the deleted user.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change parts of a user
         * @description Applies a JSON merge patch to the newest version of the user, so that concurrent patches of different members are all kept. A patch that changes nothing writes nothing. To change the address, name the new one in the body; the change is atomic.
         */
        patch: operations["patchUser"];
        trace?: never;
    };
    "/users/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a password
         * @description Checks the password in the body as `GET /users` checks the header, and returns no user. Also with `passwordHash.headerCheck: false`.
         */
        post: operations["checkPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify an address
         * @description Marks the address as verified. The link in the mail leads here and can be followed several times. With `email.confirmPage` and `response_type=html`, nothing changes: the response is a page whose button verifies the address, or a redirect to the success page if it is verified already.
         */
        get: operations["confirmVerification"];
        put?: never;
        /**
         * Send a verification mail
         * @description Stores a new verification token, marks the address as not verified, and mails a link with the token. If the mail fails, the token stays, and another call replaces it.
         */
        post: operations["sendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the verification
         * @description Marks the address as not verified and removes the token.
         */
        post: operations["resetVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify/success": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The success page
         * @description The page at the end of the link.
         */
        get: operations["showSuccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page for a new password
         * @description The page that the link of a recovery mail opens. It looks up nothing and changes nothing. Errors are HTML pages.
         */
        get: operations["showRecovery"];
        put?: never;
        /**
         * Request a new password
         * @description Mails the user a link, or a code, with which a forgotten password is replaced. The response and its time are the same for every address, known or not. No mail is sent to a disabled user, or within `recovery.resendInterval` after another one.
         */
        post: operations["requestRecovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recovery/success": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page after a recovery
         * @description The page that says that the password was changed.
         */
        get: operations["showRecovered"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recovery/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a forgotten password
         * @description Sets the new password, verifies the address, and ends a block of the user. The token works once. A password that is refused leaves it as it is.
         */
        post: operations["confirmRecovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that confirms a new address
         * @description The link in the mail to a new address leads here. Nothing changes; the button of the page confirms.
         */
        get: operations["showChange"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/change/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a new address
         * @description Gives the user the new address, which is then verified. The token works once.
         */
        post: operations["confirmChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/change/success": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page after a change of address
         * @description The page at the end of the link to a new address.
         */
        get: operations["showChanged"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/change/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that cancels a change of address
         * @description The link in the notice to the present address leads here. Nothing changes; the button cancels.
         */
        get: operations["showCancellation"];
        put?: never;
        /**
         * Cancel a change of address
         * @description The user keeps the present address. The link to the new one stops working.
         */
        post: operations["cancelChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/change/cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page after a cancelled change
         * @description The page at the end of the link that cancels a change of address.
         */
        get: operations["showCancelled"];
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
                /** @description Null until a verification mail is requested. */
                verificationToken: string | null;
                /** Format: idn-email */
                pending?: string;
            };
            /** @description The stored form: a hash if the service hashes. */
            password?: string;
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
        Email: {
            /**
             * Format: idn-email
             * @description An address (RFC 5321, RFC 6531) of at most 254 bytes of UTF-8, 64 of them before the @, without a host in brackets.
             * @example jane@example.com
             */
            address: string;
            /** @description Null is the same as no member. */
            verified?: boolean | null;
            verificationToken?: string | null;
            /** @description Ignored. */
            readonly pending?: unknown;
        };
        NewUser: {
            email: components["schemas"]["Email"];
            password: string;
        } & {
            [key: string]: unknown;
        };
        UserUpdate: {
            email: components["schemas"]["Email"];
            password?: string;
        } & {
            [key: string]: unknown;
        };
        EmailPatch: {
            /**
             * Format: idn-email
             * @description An address (RFC 5321, RFC 6531) of at most 254 bytes of UTF-8, 64 of them before the @, without a host in brackets.
             * @example jane@example.com
             */
            address?: string;
            verified?: boolean;
            verificationToken?: string | null;
            /** @description Ignored. */
            readonly pending?: unknown;
        };
        UserPatch: {
            email?: components["schemas"]["EmailPatch"];
            password?: string;
        } & {
            [key: string]: unknown;
        };
        PasswordCheck: {
            email: {
                /**
                 * Format: idn-email
                 * @description An address (RFC 5321, RFC 6531) of at most 254 bytes of UTF-8, 64 of them before the @, without a host in brackets.
                 * @example jane@example.com
                 */
                address: string;
            };
            password: string;
        };
        NewPassword: {
            email: {
                /**
                 * Format: idn-email
                 * @description An address (RFC 5321, RFC 6531) of at most 254 bytes of UTF-8, 64 of them before the @, without a host in brackets.
                 * @example jane@example.com
                 */
                address: string;
            };
            token: string;
            password: string;
        };
        /** @description A problem document (RFC 9457). `code` is stable; texts are fixed. */
        Problem: {
            /** @description `urn:latchkey:problem:` followed by the code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "address_taken" | "body_too_large" | "client_unauthorized" | "conflict" | "contended" | "headers_too_large" | "internal_error" | "invalid_body" | "invalid_json" | "invalid_parameter" | "invalid_properties" | "keys_unavailable" | "mail_failed" | "malformed_request" | "method_not_allowed" | "overloaded" | "password_change_required" | "request_timeout" | "resend_too_soon" | "route_not_found" | "stale_user" | "store_rejected" | "store_unavailable" | "timed_out" | "token_expired" | "token_mismatch" | "too_many_attempts" | "unsuitable_address" | "unsuitable_password" | "unsupported_encoding" | "unsupported_media_type" | "user_disabled" | "user_exists" | "user_not_found" | "user_too_large" | "weak_password" | "wrong_password";
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
    getUser: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
            };
            header?: {
                /** @description `settled` responds with 200 or 404 only when no earlier write of this user that got 503, or no response, can be applied any more. Example: `settled`. */
                Prefer?: string;
                /**
                 * @description The user's password, in the form that the configured algorithm verifies. UTF-8. Instead of it, `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`; `password` is then absent or empty.
                 * @example correct horse battery staple
                 */
                password?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    /** @description The version of the user, for `If-Match`. */
                    ETag?: string;
                    /** @description `settled`, if it was asked for. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": {
                     *         "address": "jane@example.com",
                     *         "verified": false,
                     *         "verificationToken": null
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    updateUser: {
        parameters: {
            query?: {
                /** @description The existing address of the user; needed only if the body contains a new one. Example: `jane@example.com`. */
                email?: string;
            };
            header?: {
                /**
                 * @description The user's password, in the form that the configured algorithm verifies. UTF-8. Instead of it, `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`; `password` is then absent or empty.
                 * @example correct horse battery staple
                 */
                password?: string;
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
                /** @description The languages of the mail, for a user without a language of their own. Example: `de-AT, de;q=0.9, en;q=0.5`. */
                "Accept-Language"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The new state of the user. Custom properties are replaced. Without `password`, the password does not change. Without `email.verified` and `email.verificationToken`, these do not change either, unless the address changes, which resets them. With `email.confirmChange`, a new address waits until it is confirmed by the link that is mailed to it. No object has two members of one name or one named `__proto__`, nothing is nested deeper than 32 levels, and no number written as an integer is beyond ±9007199254740991. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description The user after the update. */
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
                     *         "verified": false,
                     *         "verificationToken": null
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767229200000,
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
             *     `unsuitable_address`: The new address is not in the spelling in which mails are sent to it, with its domain in ASCII. The errors say what to write.
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
            /**
             * @description `address_taken`: A user with the new email address exists already.
             *
             *     `conflict`: Others kept changing the user at the same time. Read it again and retry.
             */
            409: {
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
            /**
             * @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again.
             *
             *     `resend_too_soon`: A mail was sent to this user a short time ago. Retry-After gives the seconds until a new address is accepted.
             */
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
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The new user. Every other top-level member is a custom property and is stored exactly. `email.verified` and `email.verificationToken` are ignored, because a new user is not verified. No object has two members of one name or one named `__proto__`, nothing is nested deeper than 32 levels, and no number written as an integer is beyond ±9007199254740991. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description The user was created. */
            201: {
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
                     *         "verified": false,
                     *         "verificationToken": null
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
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
             *     `unsuitable_address`: The new address is not in the spelling in which mails are sent to it, with its domain in ASCII. The errors say what to write.
             *
             *     `unsuitable_password`: The configured algorithm cannot tell this password from every other one (bcrypt reads 72 bytes of UTF-8, and no NUL), or the password header cannot carry it; then the errors say why.
             *
             *     `weak_password`: The password breaks the rules of the service. The errors say which.
             *
             *     `user_too_large`: A user is at most 350 KiB of compact JSON.
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
            /** @description `user_exists`: A user with this email address exists already. */
            409: {
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
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    deleteUser: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
            };
            header?: {
                /**
                 * @description The user's password, in the form that the configured algorithm verifies. UTF-8. Instead of it, `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`; `password` is then absent or empty.
                 * @example correct horse battery staple
                 */
                password?: string;
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path?: never;
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
                     *         "verified": false,
                     *         "verificationToken": null
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    patchUser: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
            };
            header?: {
                /**
                 * @description The user's password, in the form that the configured algorithm verifies. UTF-8. Instead of it, `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`; `password` is then absent or empty.
                 * @example correct horse battery staple
                 */
                password?: string;
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
                /** @description The languages of the mail, for a user without a language of their own. Example: `de-AT, de;q=0.9, en;q=0.5`. */
                "Accept-Language"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON merge patch (RFC 7396) of the user. Members that it does not name keep their value, exactly as it was written; null removes a custom property, or a member of one. `email` may have any of its members, and neither it, its address nor `password` can be removed. Times are ignored. With `email.confirmChange`, a new address waits until it is confirmed by the link that is mailed to it. No object has two members of one name or one named `__proto__`, nothing is nested deeper than 32 levels, and no number written as an integer is beyond ±9007199254740991. */
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["UserPatch"];
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description The user after the patch. */
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
                     *         "verified": false,
                     *         "verificationToken": null
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767229200000,
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
             *     `unsuitable_address`: The new address is not in the spelling in which mails are sent to it, with its domain in ASCII. The errors say what to write.
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
            /**
             * @description `address_taken`: A user with the new email address exists already.
             *
             *     `conflict`: Others kept changing the user at the same time. Read it again and retry.
             */
            409: {
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
            /**
             * @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again.
             *
             *     `resend_too_soon`: A mail was sent to this user a short time ago. Retry-After gives the seconds until a new address is accepted.
             */
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
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    checkPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The address of the user, regardless of case, and the password in the form that the algorithm verifies. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordCheck"];
            };
        };
        responses: {
            /** @description The password is right. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
             *     `overloaded`: The service has too much to do at once. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    confirmVerification: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
                /**
                 * @description The verification token that was sent to the address.
                 * @example 4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11
                 */
                token: string;
                /** @description `json` returns the user; `html` redirects to the success page. In any case; an empty value means `json`. Example: `json`. */
                response_type?: "json" | "html";
            };
            header?: {
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verified user. */
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
                     *         "verified": true,
                     *         "verificationToken": "4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11"
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767229200000,
                     *       "passwordTime": 1767225600000,
                     *       "name": "Jane"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                    "text/html": string;
                };
            };
            /** @description With `response_type=html`: redirects to the success page. */
            303: {
                headers: {
                    /** @description The path of the success page. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `token_mismatch`: The verification token is not the one that was sent last, or none is outstanding.
             *
             *     `token_expired`: The verification token is older than the service accepts. A new verification mail brings a new one.
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
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
                };
            };
        };
    };
    sendVerification: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
            };
            header?: {
                /**
                 * @description The user's password, in the form that the configured algorithm verifies. UTF-8. Instead of it, `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`; `password` is then absent or empty.
                 * @example correct horse battery staple
                 */
                password?: string;
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
                /** @description The languages of the mail, for a user without a language of their own. Example: `de-AT, de;q=0.9, en;q=0.5`. */
                "Accept-Language"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail was sent; the user has the token. */
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
                     *         "verified": false,
                     *         "verificationToken": "4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11"
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767229200000,
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
            /**
             * @description `too_many_attempts`: Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again.
             *
             *     `resend_too_soon`: A verification mail was requested for this user a short time ago. Retry-After gives the seconds until the next one.
             */
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
             * @description `mail_failed`: The verification email could not be sent. Try again later.
             *
             *     `store_rejected`: The database rejected the request.
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
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    resetVerification: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
            };
            header?: {
                /**
                 * @description The user's password, in the form that the configured algorithm verifies. UTF-8. Instead of it, `password*` carries the same percent-encoded (RFC 8187): `password*: UTF-8''p%C3%A4ss`; `password` is then absent or empty.
                 * @example correct horse battery staple
                 */
                password?: string;
                /** @description The `ETag` of the user as it was read. If the user has changed since, the response is 412 and nothing changes. Several tags, separated by commas, accept any of them; `*` accepts every user. Example: `"7c1f6a52-8a5e-4c0e-9a53-2f1f4b0c7d11"`. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, not verified. */
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
                     *         "verified": false,
                     *         "verificationToken": null
                     *       },
                     *       "password": "$2b$10$0zU0Fq6hYy5J0l1pQ0Jb8uQ6Fh7m2n1oQm0lO2J3sT4vX5yZ6aB7c",
                     *       "creationTime": 1767225600000,
                     *       "lastUpdateTime": 1767229200000,
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
            /**
             * @description `client_unauthorized`: The Authorization header is missing or not accepted.
             *
             *     `wrong_password`: The password does not match the user.
             */
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
            /**
             * @description `user_disabled`: An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.
             *
             *     `password_change_required`: The user must set a new password first. An update with another password than the current one does.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
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
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    showSuccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description `malformed_request`: The request is not valid HTTP, or its target or Host is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error`: The service failed to answer. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showRecovery: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
                /**
                 * @description The token of the link.
                 * @example 4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11
                 */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
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
                    "text/html": string;
                };
            };
            /** @description `internal_error`: The service failed to answer. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html": string;
                };
            };
        };
    };
    requestRecovery: {
        parameters: {
            query: {
                /**
                 * @description The address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
            };
            header?: {
                /** @description The languages of the mail, for a user without a language of their own. Example: `de-AT, de;q=0.9, en;q=0.5`. */
                "Accept-Language"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is stored. A user with this address gets a mail. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
             *     `overloaded`: Too many requests for a new password are waiting. Try again later.
             *
             *     `timed_out`: The operation took longer than the operation timeout. It may have been applied.
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    showRecovered: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description `malformed_request`: The request is not valid HTTP, or its target or Host is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error`: The service failed to answer. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The address of the user, the token or code of the mail, and the new password. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description The user has the new password. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
             *     `token_mismatch`: The token is not the one that was sent last, was used already, or none is outstanding.
             *
             *     `token_expired`: The token is older than the service accepts. Request a new one.
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
            /** @description `password_change_required`: The user must set a new password first. An update with another password than the current one does. */
            403: {
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
            /** @description `too_many_attempts`: Too many wrong tokens were sent for this address. Retry-After says when to try again. */
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
             *
             *     `keys_unavailable`: The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.
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
    showChange: {
        parameters: {
            query: {
                /**
                 * @description The present address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
                /**
                 * @description The token of the link.
                 * @example 4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11
                 */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `token_mismatch`: The token is not the one that was sent last, was used already, or none is outstanding.
             *
             *     `token_expired`: The token is older than the service accepts. Request a new one.
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
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
                };
            };
        };
    };
    confirmChange: {
        parameters: {
            query: {
                /**
                 * @description The present address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
                /**
                 * @description The token of the link.
                 * @example 4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11
                 */
                token: string;
                /** @description `json` answers with 204; `html` redirects to a page. In any case; an empty value means `json`. Example: `json`. */
                response_type?: "json" | "html";
                /** @description The new address; only the page sends it. Example: `jane@example.com`. */
                address?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With `response_type=html`: redirects to a page. */
            303: {
                headers: {
                    /** @description The path of the page. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `user_too_large`: A user is at most 350 KiB of compact JSON.
             *
             *     `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `token_mismatch`: The token is not the one that was sent last, was used already, or none is outstanding.
             *
             *     `token_expired`: The token is older than the service accepts. Request a new one.
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
                    "text/html": string;
                };
            };
            /** @description `address_taken`: A user with the new email address exists already. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
                };
            };
        };
    };
    showChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description `malformed_request`: The request is not valid HTTP, or its target or Host is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error`: The service failed to answer. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showCancellation: {
        parameters: {
            query: {
                /**
                 * @description The present address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
                /**
                 * @description The token of the link.
                 * @example 4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11
                 */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `token_mismatch`: The token is not the one that was sent last, was used already, or none is outstanding.
             *
             *     `token_expired`: The token is older than the service accepts. Request a new one.
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
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
                };
            };
        };
    };
    cancelChange: {
        parameters: {
            query: {
                /**
                 * @description The present address of the user, regardless of case.
                 * @example jane@example.com
                 */
                email: string;
                /**
                 * @description The token of the link.
                 * @example 4f8c1b0e-6a53-4b57-9f0d-0c5c9f2f7f11
                 */
                token: string;
                /** @description `json` answers with 204; `html` redirects to a page. In any case; an empty value means `json`. Example: `json`. */
                response_type?: "json" | "html";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With `response_type=html`: redirects to a page. */
            303: {
                headers: {
                    /** @description The path of the page. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `invalid_parameter`: A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.
             *
             *     `token_mismatch`: The token is not the one that was sent last, was used already, or none is outstanding.
             *
             *     `token_expired`: The token is older than the service accepts. Request a new one.
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
                    "text/html": string;
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
                    "text/html": string;
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
                    "text/html": string;
                };
            };
        };
    };
    showCancelled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description `malformed_request`: The request is not valid HTTP, or its target or Host is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal_error`: The service failed to answer. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
