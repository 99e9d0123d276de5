import { CreateTableCommand, DeleteItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { healthOf } from '../../../../../application/health.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { Environment, withAwsCredentials } from '../../../../support/environment.ts';
import { FreshTable, region } from './fresh-table.ts';
import { errorResponse, HttpFaultProxy, type InjectedFault, noResponse } from './http-fault-proxy.ts';

const denial =
  'User: arn:aws:iam::123456789012:user/jane is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb';

describe('the check of a DynamoDB table', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();
  const environment = new Environment();
  let table: FreshTable;
  beforeEach(() => {
    table = new FreshTable(endpoint());
  });
  afterEach(async () => {
    environment.restore();
    await table.dispose();
  });

  const expectFault = async (code: string, what: RegExp, at = endpoint()): Promise<void> => {
    const store = await table.open({ endpoint: at });
    const fault = await rejection(store.check());
    expect(fault).to.include({ code });
    expect(fault).to.have.property('message').that.matches(what);
    expect(fault)
      .to.have.property('message')
      .that.satisfies((line: string) => line.startsWith(`DynamoDB table ${table.name} in ${region} at ${at}: `));
    expect(fault).to.have.property('message').that.does.not.match(/\n/);
  };

  it('says that the table can be read and written, and leaves only its mark in it', async () => {
    const fresh = await FreshTable.create(endpoint());
    try {
      const line = await (await fresh.open()).check();
      expect(line).to.equal(`DynamoDB table ${fresh.name} in ${region} at ${endpoint()} is read and written`);
      const { Items = [] } = await fresh.client.send(new ScanCommand({ TableName: fresh.name }));
      expect(Items.map(({ email }) => email)).to.deep.equal([{ S: 'check format' }]);
    } finally {
      await fresh.dispose();
    }
  });

  it('says that the table does not exist', async () => {
    await expectFault('store_rejected', /table does not exist in this region.*email \(S\).*createTable/);
  });

  it('says that the partition key has another name', async () => {
    await table.client.send(
      new CreateTableCommand({
        TableName: table.name,
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await expectFault('store_rejected', /email \(S\) alone/);
  });

  it('refuses a table with the items of another program, and accepts it when they are gone', async () => {
    await table.createForUsers();
    const Item = { email: { S: 'ada@example.com' }, version: { N: '3' }, document: { S: '{"password":"secret"}' } };
    await table.client.send(new PutItemCommand({ TableName: table.name, Item }));
    await expectFault('store_rejected', /: its items are no users of Latchkey; write the name of another table$/);
    const Key = { email: Item.email };
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key }));
    expect(await (await table.open()).check()).to.match(/is read and written$/);
  });

  it('accepts a table of users of which the first ones are damaged', async () => {
    await table.createForUsers();
    for (let index = 0; index < 60; index++) {
      const version = index === 0 ? { version: { S: 'one' } } : {};
      const Item = { email: { S: `user-${index}@example.com` }, ...version };
      await table.client.send(new PutItemCommand({ TableName: table.name, Item }));
    }
    expect(await (await table.open()).check()).to.match(/is read and written$/);
  });

  it('says that the credentials are unknown', async () => {
    environment.set('AWS_ACCESS_KEY_ID', 'no-key-of-this-engine');
    await expectFault(
      'store_rejected',
      /credentials are refused, or belong to another region \(UnrecognizedClientException\)$/,
    );
  });

  it('says that there are no credentials', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) environment.set(name, undefined);
    environment.set('AWS_CONFIG_FILE', '/nowhere/config');
    environment.set('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
    environment.set('AWS_EC2_METADATA_DISABLED', 'true');
    await expectFault('store_unavailable', /no credentials are found/);
  });

  it('says that the connection is refused, or that the host is unknown', async () => {
    const proxy = await HttpFaultProxy.start(endpoint());
    await proxy.close();
    await expectFault('store_unavailable', /unreachable \(ECONNREFUSED\)$/, proxy.endpoint);
    await expectFault('store_unavailable', /unreachable \((ENOTFOUND|EAI_AGAIN)\)$/, 'http://dynamodb.invalid');
  });

  const responses: Readonly<Record<string, readonly [InjectedFault, RegExp]>> = {
    'that the region is wrong': [
      errorResponse('InvalidSignatureException', 400, {
        message: "Credential should be scoped to a valid region, not 'eu-central-1'.",
      }),
      /wrong region: the endpoint belongs to another one$/,
    ],
    'that the key is wrong': [errorResponse('InvalidSignatureException'), /the credentials are refused, or belong to/],
    'that the credentials have expired': [errorResponse('ExpiredTokenException'), /have expired/],
    'which permission is missing': [
      errorResponse('AccessDeniedException', 400, { message: denial }),
      /access denied: the credentials do not permit dynamodb:PutItem$/,
    ],
  };
  for (const [what, [injected, line]] of Object.entries(responses)) {
    it(`says ${what} when only writes are refused`, async () => {
      const fresh = await FreshTable.create(endpoint());
      const proxy = await HttpFaultProxy.start(endpoint());
      try {
        proxy.next([injected], 'TransactWriteItems');
        const fault = await rejection((await fresh.open({ endpoint: proxy.endpoint })).check());
        expect(fault).to.include({ code: 'store_rejected' }).and.to.have.property('message').that.matches(line);
      } finally {
        await fresh.dispose();
        await proxy.close();
      }
    });
  }

  const foreignResponses = {
    'an HTML page with status 404': ['store_rejected', 404, '<html>canary</html>'],
    'an HTML page with status 200': ['store_rejected', 200, '<html>canary</html>'],
    'an empty object': ['store_unavailable', 200, '{}'],
    'an empty response': ['store_unavailable', 200, ''],
    'an error of another service': ['store_rejected', 400, '{"error":"canary"}'],
  } as const;
  for (const [what, [code, status, text]] of Object.entries(foreignResponses)) {
    it(`says that the endpoint is not DynamoDB: ${what}`, async () => {
      const proxy = await HttpFaultProxy.start(endpoint());
      try {
        proxy.every(async () => ({ status, text }));
        await expectFault(code, /the endpoint does not answer as DynamoDB does( \(HTTP \d+\))?$/, proxy.endpoint);
      } finally {
        await proxy.close();
      }
    });
  }

  it('reports a silent endpoint before the health check times out', async () => {
    const proxy = await HttpFaultProxy.start(endpoint());
    try {
      proxy.every(noResponse);
      const start = performance.now();
      const store = await table.open({ endpoint: proxy.endpoint });
      const { message } = await healthOf({ name: 'database', check: () => store.check() });
      expect(message).to.match(/^DynamoDB table .*: no response in time$/);
      expect(performance.now() - start).to.be.at.least(2400);
    } finally {
      await proxy.close();
    }
  });

  it('succeeds with an item of another program beside users; reading that item fails', async () => {
    const fresh = await FreshTable.create(endpoint());
    try {
      const Item = { email: { S: 'ada@example.com' }, secret: { S: 'canary' } };
      await fresh.client.send(new PutItemCommand({ TableName: fresh.name, Item }));
      const store = await fresh.open();
      await store.insert(userOf('kim@example.com'));
      await store.check();
      const fault = await rejection(store.find(keyOf(addressOf('ada@example.com'))));
      expect(fault).to.include({
        code: 'store_rejected',
        message: 'a stored user has no readable version',
        record: 'ada@example.com',
      });
      expect(await store.insert(userOf('Ada@example.com'))).to.deep.equal({ taken: 'ada@example.com' });
    } finally {
      await fresh.dispose();
    }
  });
});
