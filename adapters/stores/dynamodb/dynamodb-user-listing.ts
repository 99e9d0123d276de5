import { GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  escapeCharacter,
  type FieldCondition,
  type Listing,
  maxExaminedUsers,
  pageOf,
  propertyTexts,
  UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { listedUser } from '../../kit/user-json/stored-user.ts';
import { formatKey, hiddenPrefix, type Item, keyAttribute, keyOfItem, toStoredUser } from './items.ts';
import type { Table } from './table.ts';

const expressionOf = (condition: FieldCondition): string => {
  const { field, test } = condition;
  if (test === 'equals') return `${field} = :${field}`;
  if (test === 'exists') return `attribute_exists(${field})`;
  if (test === 'absentOrAfter') return `(attribute_not_exists(${field}) OR ${field} > :${field})`;
  const unless = condition.unless === undefined ? '' : ` OR attribute_exists(${condition.unless})`;
  return `(attribute_not_exists(${field}) OR ${field} < :${field}${unless})`;
};

const valueIn = (condition: FieldCondition): Item => {
  const { field } = condition;
  if (condition.test === 'exists') return {};
  return { [`:${field}`]: condition.test === 'equals' ? { BOOL: condition.value } : { N: String(condition.value) } };
};

/** The texts that an item has to contain, and what it has to meet with them, by their names in the expression. */
const textsOf = ({ addressContains, property }: Listing) => {
  const texts = property === undefined ? [] : propertyTexts(property);
  const contains = texts.map((_, index) => `contains(properties, :property${index})`).join(' AND ');
  return {
    expressions: [
      ...(addressContains === '' ? [] : [`contains(${keyAttribute}, :addressContains)`]),
      ...(property === undefined ? [] : [`(contains(properties, :escape) OR ${contains})`]),
    ],
    values: {
      ...(addressContains !== '' && { ':addressContains': { S: addressContains } }),
      ...(property !== undefined && { ':escape': { S: escapeCharacter } }),
      ...Object.fromEntries(texts.map((text, index) => [`:property${index}`, { S: text }])),
    },
  };
};

/** The scan of a page. Its filter leaves out items that do not match, and those of no user; damaged users are in it. */
const scanOf = (listing: Listing) => {
  const { limit, after, address, conditions } = listing;
  const texts = textsOf(listing);
  const expressions = [
    ...(address === '' ? [] : [`begins_with(${keyAttribute}, :address)`]),
    ...texts.expressions,
    ...conditions.map(expressionOf),
  ];
  return {
    Limit: expressions.length === 0 ? limit : maxExaminedUsers,
    ...(after !== undefined && { ExclusiveStartKey: { [keyAttribute]: { S: after } } }),
    FilterExpression: [`NOT begins_with(${keyAttribute}, :hidden)`, ...expressions].join(' AND '),
    ExpressionAttributeValues: {
      ':hidden': { S: hiddenPrefix },
      ...(address !== '' && { ':address': { S: address } }),
      ...texts.values,
      ...Object.assign({}, ...conditions.map(valueIn)),
    },
  };
};

/**
 * Lists users in the order in which DynamoDB stores items, which no write changes. DynamoDB can't look up a part of an
 * address: every filter also reads, and pays for, the items that do not match.
 */
export class DynamoDbUserListing extends UserListing {
  constructor(private readonly table: Table) {
    super();
  }

  async list(listing: Listing): Promise<UserPage> {
    const { Items = [], LastEvaluatedKey } = await this.table.call(async ({ client, TableName, options }) => {
      const scan = new ScanCommand({ TableName, ConsistentRead: true, ...scanOf(listing) });
      const page = await client.send(scan, options);
      // A scan also succeeds on a table with another key, which would look as if it had no users.
      if (listing.after === undefined && page.Count === 0)
        await client.send(new GetItemCommand({ TableName, Key: formatKey }), options);
      return page;
    });
    const found = Items.map((item) => listedUser(keyOfItem(item), () => toStoredUser(item)));
    return pageOf(found, listing.limit, LastEvaluatedKey && keyOfItem(LastEvaluatedKey));
  }
}
