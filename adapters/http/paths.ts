/** The paths on the public port that other parts of the service link to. */
export const publicPaths = { users: '/users', verification: '/verify', documentation: '/swagger' } as const;

/** The paths on the admin port that other parts of the service link to. */
export const adminPaths = { administration: '/admin', outbox: '/outbox', health: '/healthcheck' } as const;

/** The link of a verification mail, which a person opens. `baseUrl` is the public address, without a trailing slash. */
export const verificationLink = (baseUrl: string, address: string, token: string): string =>
  `${baseUrl}${publicPaths.verification}?email=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}&response_type=html`;
