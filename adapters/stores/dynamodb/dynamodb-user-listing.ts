import { ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  type Listing,
  maxExaminedUsers,
  pageOf,
  UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { type Item, keyAttribute, keyOfItem, toStoredUser } from './items.ts';
import type { Table } from './table.ts';

/** DynamoDB refuses an empty list of values. */
const valuesOf = (values: Item) => (Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values });

/** The scan of a page. Its filter leaves out items that are no users or do not match. */
const scanOf = ({ limit, after, address, verified }: Listing) => ({
  Limit: address === '' && verified === undefined ? limit : maxExaminedUsers,
  ...(after !== undefined && { ExclusiveStartKey: { [keyAttribute]: { S: after } } }),
  FilterExpression: [
    'attribute_exists(address)',
    ...(address === '' ? [] : [`begins_with(${keyAttribute}, :address)`]),
    ...(verified === undefined ? [] : ['verified = :verified']),
  ].join(' AND '),
  ...valuesOf({
    ...(address !== '' && { ':address': { S: address } }),
    ...(verified !== undefined && { ':verified': { BOOL: verified } }),
  }),
});

/**
 * Lists users in the order in which DynamoDB keeps its items, which no change of others alters. It can't look up a part of
 * an address: every filter also reads, and pays for, the items that do not match.
 */
export class DynamoDbUserListing extends UserListing {
  constructor(private readonly table: Table) {
    super();
  }

  async list(listing: Listing): Promise<UserPage> {
    const { Items = [], LastEvaluatedKey } = await this.table.call(({ client, TableName, options }) =>
      client.send(new ScanCommand({ TableName, ConsistentRead: true, ...scanOf(listing) }), options),
    );
    const found = Items.map((item) => [keyOfItem(item), toStoredUser(item).user] as const);
    return pageOf(found, listing.limit, LastEvaluatedKey && keyOfItem(LastEvaluatedKey));
  }
}
