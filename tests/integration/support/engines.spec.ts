import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { engine, privateEngine } from '../../support/engines/index.ts';
import { eventually } from '../../support/eventually.ts';

describe('the engines of the test run', () => {
  describe('mongodb', () => {
    const uri = engine('mongodb');

    it('takes transactions, as a replica set does', async () => {
      const client = new MongoClient(uri(), { serverSelectionTimeoutMS: 5000 });
      try {
        const write = client.withSession((session) =>
          session.withTransaction(() => client.db('engines').collection('tries').insertOne({ a: 1 }, { session })),
        );
        expect(await write).to.include({ acknowledged: true });
      } finally {
        await client.db('engines').dropDatabase();
        await client.close();
      }
    });
  });

  describe('dynamodb', () => {
    const endpoint = engine('dynamodb');

    it('answers', async () => {
      const response = await fetch(endpoint(), { headers: { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' } });
      expect(response.status).to.equal(400);
    });
  });

  describe('aws', () => {
    const endpoint = engine('aws');

    it('lists stored objects', async () => {
      const response = await fetch(`${endpoint()}/moto-api/data.json`);
      expect(await response.json()).to.be.an('object');
    });
  });

  describe('a private engine', () => {
    const server = privateEngine('mongodb');

    it('has the same endpoint after a restart', async function () {
      this.timeout(30_000);
      const client = new MongoClient(server().endpoint, { serverSelectionTimeoutMS: 10_000 });
      const tries = client.db('engines').collection('tries');
      try {
        await tries.insertOne({ a: 1 }, { writeConcern: { w: 'majority', journal: true } });
        await server().stop();
        await server().start();
        // Docker takes connections for a server that does not listen yet, and closes them.
        expect(await eventually(() => tries.countDocuments(), 10_000)).to.equal(1);
      } finally {
        await client.close();
      }
    });
  });
});
