import { expect } from 'chai';
import { Fault } from '../../../../application/fault.ts';
import { Secrets } from '../../../../application/ports/secrets.ts';
import { fill } from '../../../../bootstrap/configuration/placeholders.ts';

/** A provider that remembers what it was asked for, and can be out of reach. */
class AskedSecrets extends Secrets {
  readonly asked: string[] = [];
  reachable = true;

  async get(name: string): Promise<string> {
    this.asked.push(name);
    if (!this.reachable) throw new Fault('secrets_unavailable', 'out of reach');
    return name.toLowerCase();
  }

  async check(): Promise<string> {
    return 'asked';
  }

  async close(): Promise<void> {}
}

describe('filling in secrets', () => {
  it('asks for each name once, and never for what is escaped', async () => {
    const secrets = new AskedSecrets();
    const { value } = await fill({ a: '${A}${B}', b: ['${A}', '$${C}', 5, null] }, [], secrets);

    expect(value).to.eql({ a: 'ab', b: ['a', '${C}', 5, null] });
    expect(secrets.asked.sort()).to.eql(['A', 'B']);
  });

  it('takes the names of the cloud, paths too', async () => {
    expect((await fill('${PROD/db+x=y.z@1-2_3}', [], new AskedSecrets())).value).to.equal('prod/db+x=y.z@1-2_3');
  });

  it('is given up when the provider is out of reach', async () => {
    const secrets = new AskedSecrets();
    secrets.reachable = false;
    const fault: unknown = await fill('${A}', [], secrets).catch((error: unknown) => error);

    expect(fault).to.be.instanceOf(Fault).with.property('code', 'secrets_unavailable');
  });
});
