import { expect } from 'chai';
import { configured, database, problemsOf } from './read-configuration.ts';

const privacy = (options: string): string => `${database}\nprivacy: ${options}`;

describe('the block privacy', () => {
  it('hides nothing by default', async () => {
    const nothing = { hideUnknownUsers: false, hidePasswords: false, quietSignUp: false };
    expect((await configured(database)).privacy).to.eql(nothing);
    expect((await configured(privacy('{}'))).privacy).to.eql(nothing);
    const both = privacy('{hideUnknownUsers: true, hidePasswords: "true"}');
    expect((await configured(both)).privacy).to.eql({ ...nothing, hideUnknownUsers: true, hidePasswords: true });
  });

  it('reports every problem', async () => {
    expect(await problemsOf(privacy('{hideUnknownUser: true, hidePasswords: 1}'))).to.eql([
      'privacy.hidePasswords: expected true or false',
      'privacy.hideUnknownUser: unknown key; did you mean hideUnknownUsers?',
    ]);
    expect(await problemsOf(privacy('true'))).to.eql(['privacy: expected a block of options']);
  });
});
