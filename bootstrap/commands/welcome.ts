import type { Configuration } from '../configuration/index.ts';
import type { RunningService } from '../service.ts';

/** The secret of the key in config/local.yaml. It is published with the source, so that it may be printed too. */
const developmentSecret = 'development-only';

const credentials = ({ auth }: Configuration): string | undefined => {
  if (auth?.type !== 'basic') return undefined;
  const [key] = auth.keys;
  if (key === undefined) return undefined;
  // Without a secret curl asks for it.
  return key.secret === developmentSecret ? `${key.application}:${developmentSecret}` : key.application;
};

/** A word as a shell takes it, whatever it holds. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const creation = (url: string, user: string | undefined): string =>
  [
    'curl',
    user === undefined ? `-H "Authorization: Bearer $TOKEN"` : `-u ${quoted(user)}`,
    `-H 'Content-Type: application/json'`,
    `-d '{"email":{"address":"jane@example.com"},"password":"correct horse"}'`,
    `${url}/users`,
  ].join(' ');

/** What a person reads who has just started the service; the last line creates a user when it is pasted. */
export const welcome = async (service: RunningService, configuration: Configuration): Promise<string> => {
  const url = service.url;
  const lines = [
    ['Service', url],
    ['Documentation', configuration.openApi.enabled ? `${url}/swagger` : 'switched off'],
    ['Mails', await service.mail()],
    ...(configuration.email?.type === 'outbox' ? [['Outbox', `${service.adminUrl}/outbox`] as const] : []),
    ...(configuration.admin.keys.length > 0 ? [['Users', `${service.adminUrl}/admin`] as const] : []),
    ['Health', `${service.adminUrl}/healthcheck`],
  ] as const;
  const table = lines.map(([name, value]) => `  ${`${name}:`.padEnd(15)}${value}`).join('\n');
  const ready = `\nLatchkey is ready.\n\n${table}\n\n`;
  // Without keys nobody can create one.
  if (configuration.auth === null) return ready;
  return `${ready}Create a user:\n\n  ${creation(url, credentials(configuration))}\n\n`;
};
