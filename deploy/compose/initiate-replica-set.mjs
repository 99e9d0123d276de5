import { MongoClient } from 'mongodb';

// Makes a MongoDB server the one member of a replica set, unless it is one already: node initiate-replica-set.mjs HOST:PORT
const [host] = process.argv.slice(2);

/** What MongoDB answers to a second initiation (https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml). */
const alreadyInitialized = 23;

const client = new MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: 60_000 });
try {
  const members = [{ _id: 0, host }];
  await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members } });
} catch (error) {
  if (error.code !== alreadyInitialized) throw error;
} finally {
  await client.close();
}
