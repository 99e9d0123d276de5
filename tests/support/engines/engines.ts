import type { GenericContainer } from 'testcontainers';
import { answersAsMongoDb, asReplicaSet } from './replica-set.ts';

/** MongoDB, DynamoDB, and the mail and secrets services of AWS. */
export type EngineName = 'mongodb' | 'dynamodb' | 'aws';

/** How an engine runs in Docker. Testcontainers is a parameter, because only runs that need an engine load it. */
export interface Engine {
  readonly name: EngineName;
  /** The environment variable with the endpoint of a running engine to use instead of a container. */
  readonly variable: string;
  /** The port inside the container. */
  readonly port: number;
  container(testcontainers: typeof import('testcontainers')): GenericContainer;
  /** Prepares a started engine. Resolves with the endpoint for clients. */
  ready(host: string, port: number): Promise<string>;
  /** Whether this engine responds at an endpoint. Rejects when nothing responds within 5 seconds. */
  answersAt(endpoint: string): Promise<boolean>;
}

/** The status of a GET request; timeout 5 seconds. */
const statusOf = async (address: string): Promise<number> => {
  const { status, body } = await fetch(address, { signal: AbortSignal.timeout(5_000) });
  await body?.cancel();
  return status;
};

const url = async (host: string, port: number): Promise<string> => `http://${host}:${port}`;

export const engines: Readonly<Record<EngineName, Engine>> = {
  mongodb: {
    name: 'mongodb',
    variable: 'MONGODB_URI',
    port: 27017,
    container: ({ GenericContainer, Wait }) =>
      new GenericContainer('mongo:6.0')
        .withCommand(['--replSet', 'rs0'])
        .withWaitStrategy(Wait.forLogMessage('Waiting for connections')),
    ready: asReplicaSet,
    answersAt: answersAsMongoDb,
  },
  dynamodb: {
    name: 'dynamodb',
    variable: 'DYNAMODB_ENDPOINT',
    port: 8000,
    container: ({ GenericContainer, Wait }) =>
      new GenericContainer('amazon/dynamodb-local:2.6.0')
        .withCommand(['-jar', 'DynamoDBLocal.jar', '-inMemory', '-sharedDb'])
        // The response to a request without a signature is 400.
        .withWaitStrategy(Wait.forHttp('/', 8000).forStatusCode(400)),
    ready: url,
    // DynamoDB on AWS responds with 200.
    answersAt: async (endpoint) => [200, 400].includes(await statusOf(endpoint)),
  },
  aws: {
    name: 'aws',
    variable: 'AWS_ENDPOINT_URL',
    port: 5000,
    container: ({ GenericContainer, Wait }) =>
      new GenericContainer('motoserver/moto:5').withWaitStrategy(Wait.forHttp('/moto-api/data.json', 5000)),
    ready: url,
    answersAt: async (endpoint) => (await statusOf(`${endpoint}/moto-api/data.json`)) === 200,
  },
};
