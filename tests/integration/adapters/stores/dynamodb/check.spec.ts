import { CreateTableCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { healthOf } from '../../../../../application/health.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../support/arbitraries.ts';
import { engine } from '../../../../support/engines/index.ts';
import { Environment } from '../../../../support/environment.ts';
import { rejection } from '../../../../support/outcomes.ts';
import { Between, type Mishap, refusal, silence } from './between.ts';
import { FreshTable, region, withCredentials } from './fresh-table.ts';

const denial =
  'User: arn:aws:iam::123456789012:user/jane is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb';

describe('the check of a DynamoDB table', () => {
  const endpoint = engine('dynamodb');
  withCredentials();
  const environment = new Environment();
  let table: FreshTable;
  beforeEach(() => {
    table = new FreshTable(endpoint());
  });
  afterEach(async () => {
    environment.restore();
    await table.dispose();
  });

  const says = async (code: string, what: RegExp, at = endpoint()): Promise<void> => {
    const store = await table.open({ endpoint: at });
    const fault = await rejection(store.check());
    expect(fault).to.include({ code });
    expect(fault).to.have.property('message').that.matches(what);
    expect(fault)
      .to.have.property('message')
      .that.satisfies((line: string) => line.startsWith(`DynamoDB table ${table.name} in ${region} at ${at}: `));
    expect(fault).to.have.property('message').that.does.not.match(/\n/);
  };

  it('says that a table is read and written, and leaves nothing in it', async () => {
    const fresh = await FreshTable.create(endpoint());
    try {
      const line = await (await fresh.open()).check();
      expect(line).to.equal(`DynamoDB table ${fresh.name} in ${region} at ${endpoint()} is read and written`);
      const { Count } = await fresh.client.send(new ScanCommand({ TableName: fresh.name }));
      expect(Count).to.equal(0);
    } finally {
      await fresh.dispose();
    }
  });

  it('says that there is no such table', async () => {
    await says('store_rejected', /no such table in this region.*email \(S\).*createTable/);
  });

  it('says that the key is another', async () => {
    await table.client.send(
      new CreateTableCommand({
        TableName: table.name,
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await says('store_rejected', /email \(S\) alone/);
  });

  it('says that the credentials are not known', async () => {
    environment.set('AWS_ACCESS_KEY_ID', 'no-key-of-this-engine');
    await says(
      'store_rejected',
      /credentials are refused, or belong to another region \(UnrecognizedClientException\)$/,
    );
  });

  it('says that there are no credentials', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) environment.set(name, undefined);
    environment.set('AWS_CONFIG_FILE', '/nowhere/config');
    environment.set('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
    environment.set('AWS_EC2_METADATA_DISABLED', 'true');
    await says('store_unavailable', /no credentials are found/);
  });

  it('says that nothing listens there, and that no such host is known', async () => {
    const between = await Between.start(endpoint());
    await between.close();
    await says('store_unavailable', /unreachable \(ECONNREFUSED\)$/, between.endpoint);
    await says('store_unavailable', /unreachable \((ENOTFOUND|EAI_AGAIN)\)$/, 'http://dynamodb.invalid');
  });

  const answers: Readonly<Record<string, readonly [Mishap, RegExp]>> = {
    'that the region is another': [
      refusal('InvalidSignatureException', 400, {
        message: "Credential should be scoped to a valid region, not 'eu-central-1'.",
      }),
      /wrong region: the endpoint belongs to another one$/,
    ],
    'that the key is wrong': [refusal('InvalidSignatureException'), /the credentials are refused, or belong to/],
    'that the credentials have expired': [refusal('ExpiredTokenException'), /have expired/],
    'which permission is missing': [
      refusal('AccessDeniedException', 400, { message: denial }),
      /access denied: the credentials do not permit dynamodb:PutItem$/,
    ],
  };
  for (const [what, [mishap, line]] of Object.entries(answers)) {
    it(`says ${what}, when only writing is refused`, async () => {
      const fresh = await FreshTable.create(endpoint());
      const between = await Between.start(endpoint());
      try {
        between.next([mishap], 'TransactWriteItems');
        const fault = await rejection((await fresh.open({ endpoint: between.endpoint })).check());
        expect(fault).to.include({ code: 'store_rejected' }).and.to.have.property('message').that.matches(line);
      } finally {
        await fresh.dispose();
        await between.close();
      }
    });
  }

  const strangers: Readonly<Record<string, readonly [status: number, text: string]>> = {
    'a page that is not found': [404, '<html>canary</html>'],
    'a page': [200, '<html>canary</html>'],
    'an empty object': [200, '{}'],
    nothing: [200, ''],
    'an error of another service': [400, '{"error":"canary"}'],
  };
  for (const [what, [status, text]] of Object.entries(strangers)) {
    it(`says that something else answers, with ${what}`, async () => {
      const between = await Between.start(endpoint());
      try {
        between.every(async () => ({ status, text }));
        await says(
          'store_rejected',
          /the endpoint does not answer as DynamoDB does( \(HTTP \d+\))?$/,
          between.endpoint,
        );
      } finally {
        await between.close();
      }
    });
  }

  it('says that a silent endpoint gives no answer, before the health check would say so', async () => {
    const between = await Between.start(endpoint());
    try {
      between.every(silence);
      const start = performance.now();
      const store = await table.open({ endpoint: between.endpoint });
      const { message } = await healthOf({ name: 'database', check: () => store.check() });
      expect(message).to.match(/^DynamoDB table .*: no answer in time$/);
      expect(performance.now() - start).to.be.at.least(2400);
    } finally {
      await between.close();
    }
  });

  it('is passed by a table with the item of another program, whose address is refused when it is asked for', async () => {
    const fresh = await FreshTable.create(endpoint());
    try {
      const Item = { email: { S: 'ada@example.com' }, secret: { S: 'canary' } };
      await fresh.client.send(new PutItemCommand({ TableName: fresh.name, Item }));
      const store = await fresh.open();
      await store.check();
      const fault = await rejection(store.find(keyOf(addressOf('ada@example.com'))));
      expect(fault).to.include({
        code: 'store_rejected',
        message: 'DynamoDB: an item of the table is not a user',
      });
      expect(await store.insert(userOf('Ada@example.com'))).to.equal('taken');
    } finally {
      await fresh.dispose();
    }
  });
});
