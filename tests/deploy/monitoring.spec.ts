import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { knownHosts } from '../../adapters/http/admin/known-hosts.ts';
import { openAuditFile } from '../../adapters/observability/audit-file.ts';
import {
  eventMetricFamilies,
  mailMetricFamilies,
  requestMetricFamilies,
} from '../../adapters/observability/delivery-metrics.ts';
import { ServiceMetrics } from '../../adapters/observability/metrics.ts';
import { processMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { secretExpiryFamilies } from '../../adapters/observability/secret-metrics.ts';
import {
  adminMetricFamilies,
  hashQueueMetricFamilies,
  serviceMetricFamilies,
} from '../../adapters/observability/service-metrics.ts';
import { ReloadStatus } from '../../bootstrap/reload/reload-status.ts';
import { silentContext } from '../support/doubles/silent-context.ts';

const read = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly expr: string;
}
interface Panel {
  readonly targets: readonly Rule[];
}

/** The names of metrics in an expression, without those of Prometheus itself. */
const namesIn = (expression: string): readonly string[] => expression.match(/\b(?:latchkey|nodejs|process)_\w+/g) ?? [];

/** The metrics that exist in every configuration. */
const families = [
  ...serviceMetricFamilies(new ServiceMetrics()),
  ...hashQueueMetricFamilies({ length: 0, rejected: 0 }),
  ...adminMetricFamilies(true, []),
  ...new ReloadStatus().metrics(),
];

const none = { delivered: 0, failed: 0, refused: 0, expired: 0, pending: 0, oldestAgeMs: 0 };
const audit = openAuditFile('/dev/null', silentContext.log);

/** The metrics of queued mails, of the blocks `events` and `audit`, and of the block `recovery`, and of secrets that expire. */
const optional = [
  ...secretExpiryFamilies([{ option: 'auth.keys[0].secrets[0]', expires: 0 }]),
  ...eventMetricFamilies([]),
  ...audit.metrics(),
  ...mailMetricFamilies(none),
  ...requestMetricFamilies(none),
];

describe('dashboard, alerts and scrape configuration', () => {
  after(() => audit.close());

  /** The names of all exposed series. */
  const exposed = async (): Promise<readonly string[]> => {
    const readings = await processMetrics([...families, ...optional]);
    const series = readings.flatMap((reading) => {
      const { name, type } = Object(reading);
      return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
    });
    const ofBackups = /latchkey_\w+_seconds/.exec(read('systemd/latchkey-backup.service'));
    return [...series, String(ofBackups)];
  };
  const panels: readonly Panel[] = JSON.parse(read('grafana/latchkey.json')).panels;
  const dashboard = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const groups: readonly { readonly rules: readonly Rule[] }[] = parse(read('prometheus/latchkey.rules.yaml')).groups;
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));

  for (const [what, expressions] of Object.entries({ 'the dashboard': dashboard, 'the alerts': alerts })) {
    it(`${what}: use only existing metrics`, async () => {
      expect(expressions).to.have.lengthOf.above(5);
      for (const expression of expressions) {
        if (!expression.startsWith('up{')) expect(namesIn(expression), expression).to.not.be.empty;
      }
      expect(await exposed()).to.include.members([...new Set(expressions.flatMap(namesIn))]);
    });
  }

  it('the documented scrape configuration uses a host name that the admin port accepts', () => {
    const documentation = read('../docs/deployment.md');
    const [, scraping = ''] = /```yaml\n(rule_files:[^`]*)```/.exec(documentation) ?? [];
    const targets: readonly string[] = parse(scraping).scrape_configs[0].static_configs[0].targets;
    expect(targets).to.not.be.empty;
    for (const file of [
      '../config/container.yaml',
      ...['mongodb', 'postgresql', 'dynamodb'].map((n) => `compose/${n}.yaml`),
    ]) {
      const isKnown = knownHosts(parse(read(file)).server.adminHosts);
      for (const target of targets) expect(isKnown(target), `${target} in ${file}`).to.equal(true);
    }
  });

  it('the dashboard and the alerts tell of events and mails that wait or expire, the audit file and backups', () => {
    for (const name of [
      'latchkey_events_pending',
      'latchkey_events_expired_total',
      'latchkey_queued_mails_oldest_age_seconds',
      'latchkey_queued_mails_expired_total',
      ...audit.metrics().map((family) => family.name),
      'latchkey_backup_last_success_timestamp_seconds',
    ]) {
      expect(dashboard.flatMap(namesIn)).to.include(name);
      expect(alerts.flatMap(namesIn)).to.include(name);
    }
  });

  it('the dashboard shows every metric of the service', () => {
    const shown = dashboard.flatMap(namesIn);
    for (const { name } of families) {
      expect(
        shown.some((shownName) => shownName === name || shownName.startsWith(`${name}_`)),
        name,
      ).to.equal(true);
    }
  });
});
