import { type Document, MongoClient, MongoServerError } from 'mongodb';

/** Replies of `replSetInitiate` (https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml). */
const alreadyInitialized = 23;

/** Initiates a replica set unless it is, and waits until its member accepts writes. */
export const initiate = async (client: MongoClient, config: Document): Promise<void> => {
  const admin = client.db('admin');
  try {
    await admin.command({ replSetInitiate: config });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === alreadyInitialized)) throw error;
  }
  const deadline = performance.now() + 20_000;
  while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
    if (performance.now() > deadline) throw new Error('the replica set elected no primary');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** The connection string of a replica set with one member. It connects directly, so it also works behind a proxy. */
export const connectionStringOf = (host: string, port: number): string =>
  `mongodb://${host}:${port}/?directConnection=true`;

/** Initiates a replica set with one member, and waits until it accepts writes. Resolves with the connection string. */
export const asReplicaSet = async (host: string, port: number): Promise<string> => {
  const uri = connectionStringOf(host, port);
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 20_000 });
  try {
    // The address that the member knows itself by. Clients connect directly, and never use it.
    await initiate(client, { _id: 'rs0', members: [{ _id: 0, host: 'localhost:27017' }] });
    return uri;
  } finally {
    await client.close();
  }
};

/**
 * Whether MongoDB responds at a connection string. Rejects when nothing responds, or when the credentials are wrong.
 */
export const answersAsMongoDb = async (uri: string): Promise<boolean> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } finally {
    await client.close();
  }
};
