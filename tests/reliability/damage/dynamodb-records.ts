import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { userFields } from '../../../domain/user-fields.ts';
import { awsCredentials } from '../../support/environment.ts';
import type { Damage } from './damages.ts';
import { accepted, eventMembers, type RawRecords } from './raw-records.ts';

type Item = Record<string, AttributeValue>;

const attributeOf = (damage: Exclude<Damage, { kind: 'missing' }>): AttributeValue | undefined => {
  switch (damage.kind) {
    case 'bytes':
      return { B: damage.value };
    case 'pattern':
    case 'invalidUtf8':
      // DynamoDB stores valid UTF-8 only, and no patterns.
      return undefined;
    case 'list':
      return { L: [{ S: 'a' }] };
    case 'map':
      return { M: { a: { N: '1' } } };
    default: {
      const { value } = damage;
      if (value === null) return { NULL: true };
      if (typeof value === 'string') return { S: value };
      return typeof value === 'boolean' ? { BOOL: value } : { N: String(value) };
    }
  }
};

/** The item with a damaged attribute; undefined if DynamoDB has no such value. */
const damaged = (item: Item, field: string, damage: Damage): Item | undefined => {
  const { [field]: _, ...others } = item;
  if (damage.kind === 'missing') return others;
  const attribute = attributeOf(damage);
  return attribute && { ...others, [field]: attribute };
};

/** The items of a table of users, and those of its tables of events and counters. */
export const dynamodbRecords = (endpoint: string, region: string, tableName: string): RawRecords => {
  const client = new DynamoDBClient({ endpoint, region, credentials: awsCredentials });
  const tables = { users: tableName, events: `${tableName}-events`, counters: `${tableName}-throttle` };
  const keys = { users: ['email'], events: ['destination', 'place'], counters: ['key'] };
  type Name = keyof typeof tables;

  const all = async (name: Name): Promise<readonly Item[]> => {
    const items: Item[] = [];
    for (let from: Item | undefined, first = true; first || from !== undefined; first = false) {
      const page = await client.send(
        new ScanCommand({ TableName: tables[name], ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) }),
      );
      items.push(...(page.Items ?? []));
      from = page.LastEvaluatedKey;
    }
    return items;
  };
  const remove = (name: Name, item: Item) =>
    client.send(
      new DeleteItemCommand({
        TableName: tables[name],
        Key: Object.fromEntries(keys[name].flatMap((key) => (item[key] ? [[key, item[key]]] : []))),
      }),
    );
  const put = async (name: Name, item: Item, field: string, damage: Damage): Promise<boolean> => {
    const Item = damaged(item, field, damage);
    if (Item === undefined) return false;
    if (!(await accepted(() => client.send(new PutItemCommand({ TableName: tables[name], Item }))))) return false;
    if (keys[name].includes(field)) await remove(name, item);
    return true;
  };
  const find = async (name: Name, matches: (item: Item) => boolean): Promise<Item | undefined> =>
    (await all(name)).find(matches);

  return {
    userFields: ['email', 'version', 'names', 'another', ...userFields.map(({ name }) => name)],
    eventFields: [...eventMembers, 'place', 'another'],
    counterFields: ['points', 'expire'],
    damageUser: async (key, field, damage) => {
      const item = await find('users', ({ email }) => email?.S === key);
      return item !== undefined && put('users', item, field, damage);
    },
    addEvent: ({ id, destination, time, body }, field, damage) =>
      put(
        'events',
        {
          destination: { S: destination },
          place: { S: `${String(time).padStart(15, '0')} ${id}` },
          id: { S: id },
          time: { N: String(time) },
          body: { S: body },
          due: { N: String(time) },
          attempts: { N: '0' },
        },
        field,
        damage,
      ),
    damageCounter: async (keyEnd, field, damage) => {
      const item = await find('counters', ({ key }) => key?.S?.endsWith(keyEnd) === true);
      return item !== undefined && put('counters', item, field, damage);
    },
    clear: async (kept) => {
      for (const item of await all('users')) if (!kept.includes(item.email?.S ?? '')) await remove('users', item);
      for (const item of await all('events')) await remove('events', item);
      for (const item of await all('counters')) await remove('counters', item);
    },
    close: async () => client.destroy(),
  };
};
