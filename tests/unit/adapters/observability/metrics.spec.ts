import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import type { MetricFamily } from '../../../../adapters/observability/metric-families.ts';
import { ServiceMetrics } from '../../../../adapters/observability/metrics.ts';
import { serviceMetricFamilies } from '../../../../adapters/observability/service-metrics.ts';
import { Fault } from '../../../../application/fault.ts';
import { failure } from '../../../../domain/failure.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

/** The samples of a metric as `label,label: value`. */
const samplesOf = (metrics: ServiceMetrics, name: string): readonly string[] => {
  const family: MetricFamily | undefined = serviceMetricFamilies(metrics).find((each) => each.name === name);
  return (family?.values ?? []).map(({ labels, value }) => `${Object.values(labels).join()}: ${value}`);
};

describe('the metrics of the service', () => {
  it('count messages by type and outcome', async () => {
    const metrics = new ServiceMetrics();
    const { messageInterceptor } = metrics;
    const refused = left(failure('wrong_password'));
    expect(await messageInterceptor('GetUser', async () => refused)).to.equal(refused);
    for (let count = 0; count < 2; count++) await messageInterceptor('GetUser', async () => right('a user'));
    for (const error of [new Fault('store_unavailable', 'secret'), new Error('secret')])
      expect(await rejection(messageInterceptor('CreateUser', () => Promise.reject(error)))).to.equal(error);
    expect(samplesOf(metrics, 'latchkey_bus_messages_total')).to.deep.equal([
      'GetUser,wrong_password: 1',
      'GetUser,ok: 2',
      'CreateUser,store_unavailable: 1',
      'CreateUser,unexpected: 1',
    ]);
  });

  it('count a request in the bucket of its duration and in all higher ones', () => {
    const metrics = new ServiceMetrics();
    for (const durationMs of [0.5, 0.6, 9_999, 10_001])
      metrics.recordRequest({ method: 'GET', status: 200, state: {} }, '/users', durationMs);
    metrics.recordRequest({ method: 'GET', status: 401, state: {} }, '/users', 1);
    const samples = samplesOf(metrics, 'latchkey_http_request_duration_seconds');
    expect(samples).to.include.members([
      '0.0005,GET,/users,200: 1',
      '0.001,GET,/users,200: 2',
      '5,GET,/users,200: 2',
      '10,GET,/users,200: 3',
      '+Inf,GET,/users,200: 4',
      'GET,/users,200: 4',
      '0.001,GET,/users,401: 1',
    ]);
  });

  it('measure the duration of failed calls too', async () => {
    const metrics = new ServiceMetrics();
    expect(samplesOf(metrics, 'latchkey_password_failures_total'), 'the first scrape').to.deep.equal([
      'hash,overloaded: 0',
      'verify,overloaded: 0',
    ]);
    const fault = new Fault('overloaded', 'too many password hashes are waiting');
    expect(await rejection(metrics.passwords.interceptor('verify', () => Promise.reject(fault)))).to.equal(fault);
    expect(samplesOf(metrics, 'latchkey_password_call_duration_seconds')).to.include('+Inf,verify: 1');
    expect(samplesOf(metrics, 'latchkey_password_failures_total')).to.deep.equal([
      'hash,overloaded: 0',
      'verify,overloaded: 1',
    ]);
  });

  it('count only mails that the provider accepted', async () => {
    const metrics = new ServiceMetrics();
    await metrics.mailer.interceptor('send', async () => undefined);
    await metrics.mailer.interceptor('check', async () => 'available');
    await rejection(metrics.mailer.interceptor('send', () => Promise.reject(new Fault('mail_failed', 'refused'))));
    expect(samplesOf(metrics, 'latchkey_mails_sent_total')).to.deep.equal([': 1']);
  });
});
