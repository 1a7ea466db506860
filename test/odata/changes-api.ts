import type { Behaviour, ReceivedRequest, Reply } from '../support/stand-in-upstream.ts';

type Entity = Readonly<Record<string, unknown>>;

/** The initial content of the shop, by path. */
const AT_FIRST: readonly (readonly [string, Entity])[] = [
  ['/customers/1', { id: 1, name: 'Ada', city: 'Ulm' }],
  ['/customers/2', { id: 2, name: 'Ben', city: null }],
  ['/orders/1', { id: 1, note: 'first', customer_id: 1 }],
  ['/orders/2', { id: 2, note: null, customer_id: null }],
  ['/orders/1/items/1', { number: 1, product: 'tea', count: 2 }],
  ['/tags/red', { name: 'red' }],
  ['/tags/blue', { name: 'blue' }],
  ['/orders/1/tags/red', { name: 'red' }],
  ['/customers/1/friends/2', { id: 2, name: 'Ben', city: null }],
  ['/settings/colour', { name: 'colour', value: 'green' }],
  ['/contracts/1', { id: 1, text: 'all of it' }],
];

interface Kept {
  readonly entity: Entity;
  readonly revision: number;
}

/**
 * The upstream of the shop: it keeps what it is sent, numbers what is new from 10 on, and tags orders and contracts
 * with their revision.
 */
export function changesApi(): Behaviour {
  const kept = new Map<string, Kept>(
    AT_FIRST.map(([path, entity]) => [path, { entity, revision: 1 }] as const),
  );
  let last = 9;
  return (request, reply) => {
    const path = request.target.replace(/\?.*$/, '');
    const sent: Entity = request.body.length === 0 ? {} : JSON.parse(request.body.toString());
    const word = String(sent['note'] ?? sent['product']);
    const refused = word === 'fail' ? 500 : REFUSED.get(word);
    if (refused !== undefined) reply.send(refused, '{"secret":"reason"}');
    else if (/\/(tags|friends)(\/|$)/.test(path) && request.method !== 'GET') reply.send(204);
    else if (request.method === 'POST') {
      last += 1;
      const entity = { ...sent, ...(path.endsWith('/items') ? { number: last } : { id: last }) };
      kept.set(`${path}/${last}`, { entity, revision: 1 });
      reply.send(201, JSON.stringify(entity), { 'content-type': 'application/json' });
    } else if (request.method === 'GET' && /^\/(\w+\/\w+\/)?\w+$/.test(path)) {
      reply.json(membersOf(kept, path, request.target));
    } else onItem(kept, path, sent, request, reply);
  };
}

const REFUSED: ReadonlyMap<string, number> = new Map([
  ['refuse 400', 400],
  ['refuse 401', 401],
  ['refuse 403', 403],
  ['refuse 409', 409],
  ['refuse 412', 412],
  ['refuse 422', 422],
]);

function membersOf(kept: ReadonlyMap<string, Kept>, path: string, target: string): readonly Entity[] {
  const customer = /customer_id=(\d+)/.exec(target)?.[1];
  return [...kept]
    .filter(([key]) => key.startsWith(`${path}/`) && !key.slice(path.length + 1).includes('/'))
    .map(([, { entity }]) => entity)
    .filter((entity) => customer === undefined || String(entity['customer_id']) === customer);
}

/** A customer or an order has its number by its path. */
const CREATED_BY_PUT = /^\/(settings|customers|orders)\/(\w+)$/;

function onItem(
  kept: Map<string, Kept>,
  path: string,
  sent: Entity,
  { method, headers }: ReceivedRequest,
  reply: Reply,
): void {
  const known = kept.get(path);
  const tag = known && `"r${known.revision}"`;
  const isAbsent = known === undefined && !(method === 'PUT' && CREATED_BY_PUT.test(path));
  const match = headers['if-match'] ?? '*';
  const isOther = match !== '*' && match !== tag;
  if (isAbsent || isOther) reply.send(isAbsent ? 404 : 412, '{}');
  else if (method === 'DELETE') {
    if (known?.entity['note'] !== 'keep') kept.delete(path);
    reply.send(known?.entity['note'] === 'keep' ? 500 : 204);
  } else store(kept, path, { known, sent, isRead: method === 'GET' }, reply);
}

interface Change {
  readonly known: Kept | undefined;
  readonly sent: Entity;
  readonly isRead: boolean;
}

function store(kept: Map<string, Kept>, path: string, { known, sent, isRead }: Change, reply: Reply): void {
  const revision = (known?.revision ?? 0) + (isRead ? 0 : 1);
  const id = Number(CREATED_BY_PUT.exec(path)?.[2]);
  const before = known?.entity ?? (Number.isNaN(id) ? {} : { id });
  const entity = isRead ? before : { ...before, ...sent };
  kept.set(path, { entity, revision });
  const isTagged = /^\/(orders|contracts)\/\d+$/.test(path);
  const fields = { 'content-type': 'application/json', ...(isTagged && { etag: `"r${revision}"` }) };
  reply.send(known === undefined ? 201 : 200, JSON.stringify(entity), fields);
}
