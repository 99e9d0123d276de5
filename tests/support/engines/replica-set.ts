import { MongoClient, MongoServerError } from 'mongodb';

/** Replies of `replSetInitiate` (https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml). */
const alreadyInitialized = 23;

const initiate = async (client: MongoClient): Promise<void> => {
  // The member's own name for itself; clients connect directly and never use it.
  const config = { _id: 'rs0', members: [{ _id: 0, host: 'localhost:27017' }] };
  try {
    await client.db('admin').command({ replSetInitiate: config });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === alreadyInitialized)) throw error;
  }
};

/** The connection string of the one member of a replica set, also behind a proxy: nothing else is looked for. */
export const connectionStringOf = (host: string, port: number): string =>
  `mongodb://${host}:${port}/?directConnection=true`;

/** Makes a started server the one member of a replica set, waits until it takes writes, and gives its connection string. */
export const asReplicaSet = async (host: string, port: number): Promise<string> => {
  const uri = connectionStringOf(host, port);
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 20_000 });
  try {
    await initiate(client);
    const deadline = performance.now() + 20_000;
    while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary) {
      if (performance.now() > deadline) throw new Error('the replica set elected no primary');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return uri;
  } finally {
    await client.close();
  }
};

/** Whether a MongoDB answers at a connection string; rejects when nothing does, or when it refuses the user. */
export const answersAsMongoDb = async (uri: string): Promise<boolean> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } finally {
    await client.close();
  }
};
