import { expect } from 'chai';
import { configured, problemsOf } from '../../../bootstrap/configuration/read-configuration.ts';

const block = (changes: object): string =>
  JSON.stringify({
    database: {
      type: 'mongodb',
      connectionString: 'mongodb://localhost/',
      databaseName: 'accounts',
      collectionName: 'users',
      ...changes,
    },
  });

describe('the configuration of MongoDB', () => {
  it('needs all three options', async () => {
    const problems = await problemsOf('database: {type: mongodb}');
    expect(problems.map((line) => line.split(':')[0])).to.deep.equal([
      'database.connectionString',
      'database.databaseName',
      'database.collectionName',
    ]);
  });

  const accepted = [
    'mongodb://user:p%40ss@one.example.com:27017,two.example.com/?replicaSet=rs0&tls=true&authSource=admin',
    'mongodb+srv://user:secret@cluster.example.com/?retryWrites=true&maxPoolSize=20',
    'mongodb://localhost:27017/?directConnection=true&retryWrites=false',
  ];
  for (const connectionString of accepted) {
    it(`takes ${connectionString}, whether or not a server answers`, async () => {
      expect((await configured(block({ connectionString }))).database).to.include({ type: 'mongodb' });
    });
  }

  const refused = {
    connectionString: [
      'canary',
      'http://canary/',
      'mongodb://user:can@ry@host/',
      'mongodb://canary:99999/',
      'mongodb://localhost/?canary=1',
      'mongodb://localhost/?tls=canary',
    ],
    databaseName: ['ca nary', 'canary/', 'can.ary', 'canary$', 'canary'.repeat(11)],
    collectionName: ['system.canary', 'canary$', '.canary', 'canary.', 'can..ary', 'canary'.repeat(40)],
  };
  for (const [option, values] of Object.entries(refused)) {
    for (const value of values) {
      it(`refuses ${option} ${value.slice(0, 40)} without repeating it`, async () => {
        const problems = await problemsOf(block({ [option]: value }));
        expect(problems).to.have.length(1);
        expect(problems[0])
          .to.match(new RegExp(`^database\\.${option}: expected a `))
          .and.not.include('can');
      });
    }
  }
});
