import { MongoClient } from 'mongodb';

// Turns a MongoDB server into a replica set with one member, unless it is one already:
// node initiate-replica-set.mjs HOST:PORT
const [host] = process.argv.slice(2);

/**
 * The error code of a repeated initiation (https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml).
 */
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
