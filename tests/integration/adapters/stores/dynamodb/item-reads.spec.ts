import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf, written } from '../../../../../sdk/contract/outcomes.ts';
import { errorResponse, type InjectedFault, reset } from './http-fault-proxy.ts';
import { useStoreFixture } from './store-fixture.ts';

describe('reads of users in DynamoDB at the same time', () => {
  const fixture = useStoreFixture();

  const find = (name: string) => fixture().store.find(keyOf(addressOf(name)));
  const insert = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, n) =>
        written(await fixture().other.insert(userOf(`user-${n}@a.example`))),
      ),
    );
  const nameOf = (_: unknown, n: number) => `user-${n}@a.example`;
  const operations = () => fixture().proxy.seen.map(({ operation }) => operation);

  it('share requests, and find each user, also several times, and no other', async () => {
    const stored = await insert(50);
    const names = stored.map(nameOf).flatMap((name) => [name, name]);
    const found = await Promise.all([...names, 'nobody@a.example'].map(find));
    expect(found).to.deep.equal([...stored.flatMap((user) => [user, user]), undefined]);
    expect(operations()).to.deep.equal(Array.from({ length: 4 }, () => 'BatchGetItem'));
    for (const { body } of fixture().proxy.seen)
      expect(Object.values(Object(body.RequestItems))).to.have.nested.property('[0].ConsistentRead', true);
  });

  it('repeat what DynamoDB left out of a response for want of throughput', async () => {
    const stored = await insert(3);
    const { proxy, table } = fixture();
    const unprocessed = { [table.name]: { Keys: stored.map((_, n) => ({ email: { S: nameOf(_, n) } })) } };
    const text = JSON.stringify({ Responses: {}, UnprocessedKeys: unprocessed });
    proxy.next([async () => ({ status: 200, text, requestId: 'R' })]);
    expect(await Promise.all(stored.map(nameOf).map(find))).to.deep.equal(stored);
    expect(operations()).to.deep.equal(['BatchGetItem', 'GetItem', 'GetItem', 'GetItem']);
  });

  it('do without the permission for shared requests, which former versions did not need', async () => {
    const stored = await insert(2);
    fixture().proxy.next([errorResponse('AccessDeniedException')]);
    for (let round = 0; round < 2; round++)
      expect(await Promise.all(stored.map(nameOf).map(find))).to.deep.equal(stored);
    expect(operations()).to.deep.equal(['BatchGetItem', 'GetItem', 'GetItem', 'GetItem', 'GetItem']);
  });

  it('fail alone where only one fails', async () => {
    const stored = await insert(2);
    const { table, proxy } = fixture();
    const Key = { email: { S: nameOf(0, 0) } };
    const UpdateExpression = 'REMOVE password';
    await table.client.send(new UpdateItemCommand({ TableName: table.name, Key, UpdateExpression }));
    const both = () => [faultOf(find(nameOf(0, 0))), find(nameOf(0, 1))] as const;
    const [fault, intact] = await Promise.all(both());
    expect(fault).to.include({ code: 'store_rejected' });
    expect(intact).to.deep.equal(stored[1]);

    proxy.next([errorResponse('ValidationException'), errorResponse('ValidationException')]);
    expect((await Promise.all(both()))[1]).to.deep.equal(stored[1]);
  });

  it('find no other user when a proxy sends the response to another request', async () => {
    const stored = await insert(2);
    const { proxy } = fixture();
    for (const others of [[], ['nobody@a.example']]) {
      const [reads, mixedUp] = [0, 1].map((n) => [nameOf(0, n), ...others]);
      const replies: Awaited<ReturnType<InjectedFault>>[] = [];
      proxy.next([async (forward) => replies[replies.push(await forward()) - 1] ?? 'reset']);
      await Promise.all((reads ?? []).map(find));
      proxy.next([async () => replies[0] ?? 'reset']);
      for (const fault of await Promise.all((mixedUp ?? []).map((name) => faultOf(find(name)))))
        expect(fault).to.include({ code: 'store_unavailable' });
    }
    expect(await find(nameOf(0, 1))).to.deep.equal(stored[1]);
  });

  it('are repeated after a broken connection, and fail together when there is none', async () => {
    const stored = await insert(2);
    const { proxy } = fixture();
    proxy.next([reset]);
    expect(await Promise.all(stored.map(nameOf).map(find))).to.deep.equal(stored);
    proxy.every(reset);
    const faults = await Promise.all(stored.map(nameOf).map((name) => faultOf(find(name))));
    expect(faults.map(({ code }) => code)).to.deep.equal(['store_unavailable', 'store_unavailable']);
  });
});
