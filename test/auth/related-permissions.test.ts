import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Principal } from '../../src/contract/principal.ts';
import { ORDERS_DOCUMENT } from '../odata/resources.document.ts';
import { askGraphQL, type Faces, openFaces, requestOf, userWith } from './faces.ts';

let faces: Faces;

const BUYER = { code: 'x', name: 'X' };

/** A clerk sees and changes orders, a seller sees customers, too. */
beforeAll(async () => {
  faces = await openFaces('Orders', ORDERS_DOCUMENT, ({ target, method, body }, reply) => {
    if (method === 'PATCH') reply.send(200, body);
    else if (target === '/customers') reply.json([BUYER]);
    else if (target === '/customers/x') reply.json(BUYER);
    else if (target === '/orders/1') reply.json({ id: 1, buyer: BUYER });
    else if (target === '/orders' || target === '/orders?customer=x') reply.json([{ id: 1, buyer: BUYER }]);
    else if (target.startsWith('/orders?')) reply.json([]);
    else reply.send(404, '{}');
  });
});
afterAll(() => faces.close());

const CLERK = userWith('Clerk');
const SELLER = userWith('Seller');

/** The status; checks that rejected principals make no call. */
async function ask(principal: Principal, call: string, body?: unknown): Promise<number> {
  const before = faces.calls();
  const { status } = await faces.odata(requestOf(principal, call, body));
  if (status === 403) expect([call, faces.calls()]).toStrictEqual([call, before]);
  return status;
}

it.each([
  ['GET /Order', 200, 200],
  ['GET /Order(1)?$select=Id', 200, 200],
  ['GET /Order(1)/Buyer', 404, 200],
  ['GET /Order(1)/Buyer/Name', 404, 200],
  ['GET /Order(1)/Buyer/$ref', 404, 200],
  ['GET /Order?$expand=Buyer', 400, 200],
  ['GET /Order?$expand=Buyer/$ref', 400, 200],
  ['GET /Order?$expand=*', 403, 200],
  ["GET /Order?$filter=Buyer/Name eq 'X'", 400, 200],
  ['GET /Order?$orderby=Buyer/Name', 400, 200],
  ["GET /Order/$count?$filter=Buyer/Name eq 'X'", 400, 200],
  ["GET /Order/$filter(Buyer/Name eq 'X')/$count", 400, 200],
  ['GET /Order(1)/Buyer/Orders', 404, 200],
  ['GET /Order?$apply=addnested(Buyer/Orders,identity as All)', 400, 200],
  ['GET /Order?$apply=join(Buyer as B)/aggregate($count as N)', 400, 200],
  ["GET /Order?$filter=$these/any(o:o/Buyer/Name eq 'X')", 400, 200],
  ['GET /$crossjoin(Order)?$expand=Order', 200, 200],
  ['GET /$crossjoin(Order)?$expand=Order($expand=Buyer)', 403, 200],
  ["GET /$crossjoin(Order)?$filter=Order/Buyer/Name eq 'X'", 403, 200],
  ['GET /$crossjoin(Order)?$apply=groupby((Order/Buyer/Name))', 403, 200],
  ['GET /$crossjoin(Order,Customer)/$count?$apply=nest(identity as All)', 403, 200],
  ["GET /Customer('x')", 403, 200],
  ["GET /Customer('x')/Name", 403, 200],
  ["GET /Customer('x')?$expand=Orders", 403, 200],
  ["GET /$entity?$id=Customer('x')", 403, 200],
  ['GET /Order?$filter=Nope eq 1', 400, 400],
  ['GET /Customer?$filter=Nope eq 1', 403, 400],
  ['GET /Customer/$count?$filter=Nope eq 1', 403, 400],
  ["GET /Customer('x')?$select=Nope", 403, 400],
  ["GET /Customer('x')/Name?$expand=Orders", 403, 400],
  ['GET /Order(1)/Buyer?$select=Nope', 404, 400],
  ['PATCH /Order(1)', 204, 403],
  ['PUT /Order(1)/Note', 204, 403],
  ['PATCH /Order(1)?$expand=Buyer', 400, 403],
])('%s', async (call, clerk, seller) => {
  const change = call.includes('Note') ? { value: 'n' } : { Note: 'n' };
  const body = call.startsWith('GET') ? undefined : change;
  // The seller first: what is kept for the one must not reach the other.
  expect([await ask(SELLER, call, body), await ask(CLERK, call, body)]).toEqual([seller, clerk]);
});

it('does not tell whoever may not see the owner whether it is there', async () => {
  for (const key of ['x', 'nobody']) {
    expect(await ask(CLERK, `GET /Customer('${key}')/Orders`)).toBe(200);
  }
  expect(await ask(SELLER, "GET /Customer('nobody')/Orders")).toBe(404);
});

it.each([
  ['{ orders { id note } }', true, true],
  ['{ orders { buyer { name } } }', false, true],
  ['{ a: order(id: 1) { b: buyer { name } } }', false, true],
  ['{ orders { ...f } } fragment f on Order { buyer { __typename } }', false, true],
  ['{ orders { ... @include(if: true) { buyer { name } } } }', false, true],
  ['{ customers { orders { id } } }', false, true],
  ['mutation { updateOrder(id: 1, input: { note: "n" }) { note } }', true, false],
  ['mutation { updateOrder(id: 1, input: { note: "n" }) { buyer { name } } }', false, false],
])('in GraphQL, %s', async (query, clerk, seller) => {
  const isAnswered = async (principal: Principal): Promise<boolean> => {
    const before = faces.calls();
    const { errors = [] } = await askGraphQL(faces, principal, query);
    const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    if (errors.length > 0)
      expect([new Set(codes), faces.calls()]).toStrictEqual([new Set(['Forbidden']), before]);
    return errors.length === 0;
  };
  expect([await isAnswered(SELLER), await isAnswered(CLERK)]).toStrictEqual([seller, clerk]);
});
