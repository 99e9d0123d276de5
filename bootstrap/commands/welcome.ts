import type { Configuration } from '../configuration/index.ts';
import type { RunningService } from '../service.ts';

/** The secret of the key in config/local.yaml. It is published with the source, so it may be printed. */
const developmentSecret = 'development-only';

/** The argument of `curl -u`; curl asks for a secret that is not in it. Undefined where clients use tokens. */
const curlCredentials = ({ auth }: Configuration): string | undefined => {
  if (auth?.type !== 'basic') return undefined;
  const [key] = auth.keys;
  if (key === undefined) return undefined;
  return key.secret === developmentSecret ? `${key.application}:${developmentSecret}` : key.application;
};

/** Quotes any text as one word of a shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curlCommand = (url: string, credentials: string | undefined): string =>
  [
    'curl',
    credentials === undefined ? `-H "Authorization: Bearer $TOKEN"` : `-u ${shellQuote(credentials)}`,
    `-H 'Content-Type: application/json'`,
    `-d '{"email":{"address":"jane@example.com"},"password":"correct horse"}'`,
    `${url}/users`,
  ].join(' ');

/** The text for a person who has started the service: its addresses, and a command that creates a user. */
export const welcome = async (service: RunningService, configuration: Configuration): Promise<string> => {
  const { url, adminUrl } = service;
  const { openApi, email, admin, auth } = configuration;
  const lines = [
    ['Service', url],
    ['Documentation', openApi.enabled ? `${url}/swagger` : 'switched off'],
    ['Mails', await service.mailStatus()],
    ...(email?.type === 'outbox' ? [['Outbox', `${adminUrl}/outbox`] as const] : []),
    ...(admin.keys.length > 0 ? [['Users', `${adminUrl}/admin`] as const] : []),
    ['Health', `${adminUrl}/healthcheck`],
  ] as const;
  const table = lines.map(([name, value]) => `  ${`${name}:`.padEnd(15)}${value}`).join('\n');
  const ready = `\nLatchkey is ready.\n\n${table}\n\n`;
  // Without authentication every request is denied.
  if (auth === null) return ready;
  return `${ready}Create a user:\n\n  ${curlCommand(url, curlCredentials(configuration))}\n\n`;
};
