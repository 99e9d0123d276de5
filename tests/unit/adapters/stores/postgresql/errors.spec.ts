import { expect } from 'chai';
import { DatabaseError } from 'pg';
import { isFull, isRefusal, toFault } from '../../../../../adapters/stores/postgresql/errors.ts';

const canary = 'postgresql://owner:canary@host/';

/** An error of the server, or of a pooler, as the driver makes it. */
const reply = (code: string, { message = canary, severity = 'ERROR' } = {}): DatabaseError =>
  Object.assign(new DatabaseError(message, message.length, 'error'), { code, severity });

const withCode = (code: string): Error => Object.assign(new Error(canary), { code });

const unavailable: readonly unknown[] = [
  ...['08000', '08006', '08P01', '25006', '25P03', '25P04', '40001', '40003', '40P01', '53100', '53200', '53300'].map(
    (code) => reply(code),
  ),
  ...['53400', '55006', '55P03', '57014', '57P01', '57P02', '57P03', '57P04', '57P05', '58000', '58030'].map((code) =>
    reply(code),
  ),
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].map(withCode),
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'].map(withCode),
  new Error('Connection terminated unexpectedly'),
  new Error('Query read timeout'),
  new Error('timeout exceeded when trying to connect'),
];
const rejected: readonly unknown[] = [
  ...['22021', '23502', '28000', '28P01', '3D000', '42501', '42703', '42P01', '54000', 'XX001', 'XX002'].map((code) =>
    reply(code),
  ),
  reply('08P01', { message: 'unsupported startup parameter: options' }),
  reply('08P01', { message: 'no such database: canary' }),
  new TypeError(canary),
];

describe('errors of PostgreSQL', () => {
  const nameOf = (error: unknown): string =>
    String(Object(error).code ?? Object(error).message ?? error).replace(canary, '');

  for (const [code, errors] of Object.entries({ store_unavailable: unavailable, store_rejected: rejected }))
    for (const error of errors)
      it(`are ${code} for ${nameOf(error)}, and repeat nothing`, () => {
        const fault = toFault(error);
        expect(fault).to.include({ code, cause: error });
        expect(fault.message)
          .to.match(/^PostgreSQL: /)
          .and.not.include('canary');
      });

  it('say what is wrong with TLS and the password', () => {
    const reasonOf = (error: unknown) => toFault(error).message;
    expect(reasonOf(withCode('CERT_HAS_EXPIRED'))).to.include('not trusted (CERT_HAS_EXPIRED)');
    expect(reasonOf(withCode('ERR_TLS_CERT_ALTNAME_INVALID'))).to.include('names another host');
    expect(reasonOf(new Error('The server does not support SSL connections'))).to.include('sslmode=disable');
    const missing = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string';
    expect(reasonOf(new Error(missing))).to.include('expects a password');
  });

  it('are refusals of a statement only if the connection goes on, in any language of the server', () => {
    expect(isRefusal(reply('23505'))).to.equal(true);
    expect(isRefusal(reply('57014'))).to.equal(true);
    for (const code of ['57P01', '08006', '08P01', 'XX000'])
      expect(isRefusal(reply(code, { severity: 'FATALE' })), code).to.equal(false);
    expect(isRefusal(reply('53300', { severity: 'FATAL' }))).to.equal(false);
    expect(isRefusal(reply('53100', { severity: 'PANIC' }))).to.equal(false);
    expect(isRefusal(new Error('Connection terminated unexpectedly'))).to.equal(false);
  });

  it('say that no connection is left, as the server and as PgBouncer do', () => {
    const full = [reply('53300'), reply('08P01', { message: 'no more connections allowed (max_client_conn)' })];
    const others = [reply('08P01'), reply('53400'), new Error(canary)];
    expect([...full, ...others].map(isFull)).to.deep.equal([true, true, false, false, false]);
  });
});
