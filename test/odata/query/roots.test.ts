import { beforeEach, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../../src/auth/permissions/grants.ts';
import { guardSource } from '../../../src/auth/permissions/guarded-source.ts';
import type { GatewayResponse } from '../../../src/contract/exchange.ts';
import type { Principal } from '../../../src/contract/principal.ts';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../../src/odata/endpoint.ts';
import { ORDERS_DOCUMENT } from '../resources.document.ts';
import { rowsSource } from './rows-source.ts';

const { model } = modelFromOpenApi([{ name: 'Orders', document: ORDERS_DOCUMENT }]);
const { source, reads } = rowsSource({
  Order: [
    { Id: 1, Note: 'X', Tags: ['a'], Buyer: { Code: 'y', Name: 'Y', Rank: 2 } },
    { Id: 2, Note: 'n', Tags: ['Y'] },
    { Id: 3, Note: null, Tags: [] },
  ],
  Customer: [
    { Code: 'x', Name: 'X', Rank: 1 },
    { Code: 'y', Name: 'Y', Rank: 2 },
  ],
});
const odata = createODataEndpoint({
  model,
  source: guardSource(source, permissionsOf(model), model),
  root: 'http://x/odata',
  answerMemoryBytes: 1_000_000,
});

const SELLER: Principal = { kind: 'user', id: 's', roles: ['Seller'] };
const CLERK: Principal = { kind: 'user', id: 'c', roles: ['Clerk'] };

beforeEach(() => {
  reads.length = 0;
});

async function ask(target: string, principal = SELLER): Promise<GatewayResponse> {
  return odata({
    id: 't',
    principal,
    signal: new AbortController().signal,
    method: 'GET',
    target: encodeURI(target),
    headers: {},
    body: undefined,
  });
}

/** The target → the ids, or the text, of the answer, and what is read beside the orders. */
type Case = readonly [target: string, answer: string, besides: readonly string[]];

const CASES: readonly Case[] = [
  ["/Order?$filter=Note eq $root/Customer('x')/Name", '1', ['Customer x: Code,Name']],
  ["/Order?$filter=Note eq $root/Customer(Code=@c)/Name&@c='x'", '1', ['Customer x: Code,Name']],
  ['/Order?$filter=Note eq $root/Customer/x/Name', '1', ['Customer x: Code,Name']],
  [
    "/Order?$filter=Note eq $root/Customer/x/Name and $root/Customer('x')/Rank eq 1",
    '1',
    ['Customer x: Code,Name,Rank'],
  ],
  ['/Order?$filter=$root/Customer/no-body eq null', '1,2,3', ['Customer no-body: Code']],
  ['/Order?$filter=Id eq $root/Customer/x/Orders/$count', '3', ['Customer x: Code', 'Order ']],
  ['/Order?$filter=Id eq $root/Customer/x/Orders/2/Id', '2', ['Customer x: Code', 'Order Id']],
  ['/Order?$filter=Id eq $root/Customer/x/Orders(Id=2)/Id', '2', ['Customer x: Code', 'Order Id']],
  [
    '/Order?$filter=$root/Customer/x/Orders(@i)/Note eq Note&@i=2',
    '2',
    ['Customer x: Code', 'Order Id,Note'],
  ],
  ["/Order?$filter=Id gt $root/Customer('y')/Rank", '3', ['Customer y: Code,Rank']],
  ["/Order?$filter=Note eq $root/Customer('nobody')/Name", '3', ['Customer nobody: Code,Name']],
  ["/Order?$filter=$root/Customer('nobody') eq null", '1,2,3', ['Customer nobody: Code']],
  ['/Order?$filter=Id eq $root/Customer/$count', '2', ['Customer Code']],
  ['/Order?$filter=Id eq $root/Customer/$count($filter=Rank gt 1)', '1', ['Customer Code,Rank']],
  ['/Order?$filter=$root/Customer/any(c:c/Name eq Note)', '1', ['Customer Code,Name']],
  ['/Order?$filter=$root/Customer/any(c:$it/Tags/any(t:t eq c/Name))', '2', ['Customer Code,Name']],
  ["/Order?$filter=Tags/any(t:t eq $root/Customer('y')/Name)", '2', ['Customer y: Code,Name']],
  ["/Order?$filter=Buyer eq $root/Customer('y')", '1', ['Customer y: Code']],
  ["/Order?$filter=Id eq $root/Customer('x')/Orders/$count", '3', ['Customer x: Code', 'Order ']],
  [
    "/Order?$filter=Note eq $root/Customer('x')/Name or Id eq $root/Customer('x')/Rank",
    '1',
    ['Customer x: Code,Name,Rank'],
  ],
  ["/Order?$orderby=Id mul $root/Customer('y')/Rank mul -1", '3,2,1', ['Customer y: Code,Rank']],
  ["/Order?$compute=$root/Customer('y')/Rank add Id as R&$filter=R eq 4", '2', ['Customer y: Code,Rank']],
  ["/Order?$apply=filter(Note eq $root/Customer('x')/Name)", '1', ['Customer x: Code,Name']],
  ["/Order/$count?$filter=Note eq $root/Customer('x')/Name", '1', ['Customer x: Code,Name']],
  ["/Order/$filter(Note eq $root/Customer('x')/Name)/$count", '1', ['Customer x: Code,Name']],
  ["/Order(2)?$compute=$root/Customer('y')/Rank as R&$select=Id,R", '2', ['Customer y: Code,Rank']],
  [
    "/Order?$expand=Buyer($compute=$root/Customer('y')/Rank as R)&$filter=Id eq 1",
    '1',
    ['Customer y: Code,Rank'],
  ],
];

function shown({ body }: GatewayResponse): string {
  const text = String(body);
  if (!text.startsWith('{')) return text;
  const { value, Id } = JSON.parse(text) as { value?: readonly { Id: number }[]; Id?: number };
  return value === undefined ? String(Id) : value.map((row) => row.Id).join();
}

describe('Part 2, 5.1.1.14.5: $root', () => {
  it.each(CASES)('%s', async (target, answer, besides) => {
    const answered = await ask(target);
    expect([answered.status, shown(answered)]).toEqual([200, answer]);
    expect(reads.filter((read, index) => index > 0 || !read.startsWith('Order'))).toEqual(besides);
  });

  it.each(CASES.filter(([target]) => !target.includes('Tags')))(
    'asks permission as for any read: %s',
    async (target) => {
      expect([(await ask(target)).status, (await ask(target, CLERK)).status]).toEqual([200, 403]);
    },
  );

  it('is read again for an answer that could be kept', async () => {
    const target = "/Order?$filter=Note eq $root/Customer('x')/Name&$select=Id";
    for (let time = 0; time < 3; time += 1) await ask(target);
    expect(reads.filter((read) => read.startsWith('Customer'))).toHaveLength(3);
  });

  it.each([
    ['/Order?$filter=Id eq $root/Nope/$count', 400, "an entity set or a singleton after $root, found 'Nope'"],
    [
      '/Order?$filter=Note eq $root/Customer(1)/Name',
      400,
      'Key of Customer, Code: expected a value of Edm.String, which stands in single quotes, found 1.',
    ],
    ['/Order?$filter=Note eq $root/Customer(Note)/Name', 400, 'expected a literal, an alias or name=value'],
    ["/Order?$filter=Note eq $root/Customer('x')/Nope", 400, "a property of Orders.Customer, found 'Nope'"],
    [
      '/Order?$filter=Note eq $root/Customer/Name',
      400,
      "expected 'any', 'all' or '$count' after Collection(Orders.Customer), found 'Name'",
    ],
    [
      '/Order?$filter=$root/Order/x/Note eq Note',
      400,
      "expected a key of Orders.Order, found 'x' at position 12",
    ],
    ['/Order?$filter=Buyer/1/Name eq Note', 400, "expected a name, found '1' at position 6"],
    ["/Order?$filter=$root/Customer/x/Orders('1')/Id eq 1", 400, "'eq'"],
    [
      '/Order?$filter=$root/Customer/x/Orders(Nope=1)/Id eq 1',
      400,
      'expected a value for Id of Orders.Order',
    ],
    ['/Order?$filter=$root/Customer/x/Orders(Id=Id)/Id eq 1', 501, 'a computed key'],
    ["/Order(1)/Tags?$filter=$it eq $root/Customer('x')/Name", 501, "a path from '$root'"],
  ])('%s is refused', async (target, status, message) => {
    const refused = await ask(target);
    expect([refused.status, String(refused.body)]).toEqual([status, expect.stringContaining(message)]);
    expect(reads).toEqual([]);
  });
});
