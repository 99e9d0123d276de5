import { expect } from 'chai';
import { configured, database, problemsOf, warningsWith } from './read-configuration.ts';

const minutes = 60_000;

/** The block of a file that says this about the throttle. */
const throttleOf = async (options: string) => (await configured(`${database}\nthrottle: ${options}`)).throttle;

describe('the block throttle', () => {
  it('is undefined when it is absent', async () => {
    expect((await configured(database)).throttle).to.equal(undefined);
    expect(await throttleOf('null')).to.equal(undefined);
  });

  it('has a default for every option', async () => {
    expect(await throttleOf('{}')).to.deep.equal({
      limits: { failures: 10, clientFailures: 100, windowMs: 15 * minutes, blockMs: 15 * minutes },
      clientHeader: null,
    });
  });

  it('allows an address ten times the failures of a user by default', async () => {
    expect((await throttleOf('{failures: 3}'))?.limits.clientFailures).to.equal(30);
    expect((await throttleOf('{failures: 3, clientFailures: 7}'))?.limits.clientFailures).to.equal(7);
    expect((await throttleOf('{clientFailures: 0}'))?.limits.clientFailures).to.equal(0);
  });

  it('accepts durations and the name of a header', async () => {
    expect(await throttleOf('{failures: 1, window: 1h, block: 500ms, clientHeader: X-Client-Address}')).to.deep.equal({
      limits: { failures: 1, clientFailures: 10, windowMs: 60 * minutes, blockMs: 500 },
      clientHeader: 'X-Client-Address',
    });
  });

  it('reports every problem', async () => {
    const block = '{failures: 0, window: 5, block: soon, clientFailures: -1, clientHeader: "a b", windw: 1h}';
    expect(await problemsOf(`${database}\nthrottle: ${block}`)).to.deep.equal([
      'throttle.failures: expected a whole number from 1 to 1000000',
      'throttle.window: expected a duration such as 500ms, 30s, 2m or 1h',
      'throttle.block: expected a duration such as 500ms, 30s, 2m or 1h',
      'throttle.clientFailures: expected a whole number from 0 to 1000000',
      'throttle.clientHeader: expected the name of a header without another meaning, such as X-Client-Address',
      'throttle.windw: unknown key; did you mean window?',
    ]);
    expect(await problemsOf(`${database}\nthrottle: yes`)).to.deep.equal(['throttle: expected a block of options']);
  });

  it('refuses headers with another meaning', async () => {
    for (const name of ['password', 'Authorization', 'Transfer-Encoding', 'Host'])
      expect(await problemsOf(`${database}\nthrottle: {clientHeader: ${name}}`)).to.have.lengthOf(1);
  });

  it('is refused with a client header when addresses are not counted', async () => {
    expect(await problemsOf(`${database}\nthrottle: {clientFailures: 0, clientHeader: X-Client}`)).to.deep.equal([
      'throttle.clientHeader: has no effect with clientFailures: 0; remove one of them',
    ]);
  });

  it('warns when the address of the connection counts', async () => {
    expect(await warningsWith({ throttle: {} })).to.deep.equal([
      'throttle.clientHeader is absent: all users of an application that calls from one address share throttle.clientFailures',
    ]);
    for (const throttle of [{ clientFailures: 0 }, { clientHeader: 'X-Client' }])
      expect(await warningsWith({ throttle })).to.deep.equal([]);
  });
});
