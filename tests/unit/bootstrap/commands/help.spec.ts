import { expect } from 'chai';
import { commandsOf } from '../../../../bootstrap/commands/command-line.ts';
import { helpText } from '../../../../bootstrap/commands/help.ts';
import { commandHelp } from '../../../../bootstrap/commands/help-texts.ts';

const optionsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, option]) => String(option));

describe('the help of the commands', () => {
  it('fits a terminal of 80 columns, also with the commands as npx starts them', () => {
    for (const name of [undefined, ...Object.keys(commandHelp)])
      for (const line of helpText(name)
        .replaceAll(/\blatchkey (?=[a-z[])/g, 'npx latchkey ')
        .split('\n'))
        expect(line.length, line).to.be.most(80);
  });

  it('of help is the overview', () => expect(helpText('help')).to.equal(helpText(undefined)));

  for (const [name, { text, example }] of Object.entries(commandHelp)) {
    it(`names every option of ${name}, and no other one`, () => {
      const accepted = Object.keys(commandsOf).filter((option) => commandsOf[option]?.includes(name));
      const required = /--production/.test(text) ? ['production'] : [];
      expect([...optionsIn(text), ...required]).to.have.members(accepted);
    });

    it(`has an example of ${name}`, () => {
      expect(example).to.match(new RegExp(`^latchkey ${name} `));
      const used = [...example.matchAll(/ --([a-z-]+)/g)].map(([, option]) => String(option));
      for (const option of used) expect(commandsOf[option]).to.include(name);
    });
  }
});
