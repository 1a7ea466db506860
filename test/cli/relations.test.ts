import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { serveRelatedApi } from '../support/related-api.ts';
import { outcome } from './command.ts';

async function relatedProject() {
  const { upstream, project } = await serveRelatedApi();
  const file = project.path('openapi/shop.yaml');
  const command = (...args: readonly string[]) =>
    outcome(args, { AUTH: 'off', MESH_CONFIG: project.path('.meshrc.yaml') });
  return {
    upstream,
    project,
    file,
    suggest: (...args: readonly string[]) => command('suggest', file, ...args),
    probe: async (...args: readonly string[]) => {
      const { code, stdout } = await command('probe', ...args);
      const lines = stdout.split('\n').map((line) => line.trimEnd());
      return { code, stdout, relations: lines.slice(lines.indexOf('Relations:') + 1, -1) };
    },
    overlay: () => readFileSync(project.path('openapi/shop.overlay.yaml'), 'utf8'),
  };
}

const FOUND = [
  'Order/CustomerId → Customer         served     4 of 4 found',
  'Order/BillingCustomerId → Customer  suggested  4 of 4 found',
  'Order/SalesAgentId → Agent          suggested  3 of 4 found',
  'Order/DepotId → Depot               served     contradicted: 0 of 4 found',
  'Order/ReturnDepotId → Depot         suggested  1 of 1 found',
  'Order/Seller → Agent                suggested  1 of 1 found',
  'Note/CustomerId → Customer          suggested  ambiguous: 1 of 1 found, CustomerType names a type',
  'Note/UserId → RetailUser            suggested  ambiguous: 1 of 1 found, also in TradeUser',
];

it('looks values of relations up in the sets that they refer to, and fails if a served one is wrong', async () => {
  const { upstream, probe } = await relatedProject();
  const { code, relations } = await probe();
  expect([code, relations]).toStrictEqual([1, FOUND]);
  expect(upstream.requests.every(({ method }) => method === 'GET')).toBe(true);
  // The parameter `ids` is tried out by three calls before.
  const calls = upstream.requests.slice(3).map(({ target }) => target);
  expect(calls).toStrictEqual([
    '/orders',
    '/customers',
    '/agents?ids=21&ids=22&ids=23&ids=29',
    '/agents/29',
    '/depots',
    '/agents?ids=21',
    '/notes',
    '/retail/users',
    '/trade/users/61',
  ]);
});

it('makes at most five calls for a relation, and counts what these show', async () => {
  const { upstream, probe } = await relatedProject();
  const calls = new Map<string, number>();
  upstream.behave(({ target }, reply) => {
    const [, name = '', id] = target.split('/');
    calls.set(name, (calls.get(name) ?? 0) + 1);
    const ids = Array.from({ length: 50 }, (_, index) => index + 1);
    if (name === 'orders') reply.json(ids.map((order) => ({ id: order, customer_id: 1000 + order })));
    else if (name === 'customers' && id !== undefined) reply.json({ id: Number(id) });
    else reply.json([]);
  });
  const { relations } = await probe();
  expect(relations[0]).toBe('Order/CustomerId → Customer         served     4 of 4 found');
  expect(calls.get('customers')).toBe(5);
});

it('shows relations without values, and keeps none of them', async () => {
  const { project, upstream, probe } = await relatedProject();
  upstream.behave((_, reply) => reply.send(500, '{}'));
  const { code, relations } = await probe();
  expect([
    code,
    new Set(relations.map((line) => line.replace(/.*(?:served|suggested) +/, ''))),
  ]).toStrictEqual([1, new Set(['not checked: the list cannot be read'])]);
  upstream.behave((_, reply) => reply.json([]));
  const empty = await probe('--json');
  expect(JSON.parse(empty.stdout).slice(1, 2)).toStrictEqual([
    {
      entityType: 'Order',
      property: 'CustomerId',
      target: 'Customer',
      state: 'derived',
      foundBy: 'the name CustomerId',
      alternatives: [],
      typedBy: null,
      isChangeable: true,
      verdict: 'undecided',
      tested: 0,
      resolved: 0,
      fits: [],
    },
  ]);
  const kept = readFileSync(project.path('.duogate/parameters.json'), 'utf8');
  expect(kept).toContain('Order/CustomerId Customer');
  expect(kept).not.toMatch(/101|127\.0\.0\.1/);
});

it('lists relations with what data has shown of them', async () => {
  const { suggest, probe } = await relatedProject();
  expect((await suggest()).stdout).toContain('  # Order/BillingCustomerId may be a key of Customer.\n');
  await probe();
  const { stdout } = await suggest();
  expect(stdout).toContain(`
  # Order/BillingCustomerId may be a key of Customer; 4 of 4 found.
  # - target: $.components.schemas.Order
  #   update:
  #     x-odata:
  #       references:
  #         billing_customer_id: Customer
`);
  expect(stdout).toContain(
    '  # Note/UserId may be a key of RetailUser; or of TradeUser; ambiguous: 1 of 1 found, also in TradeUser.\n',
  );
  expect(stdout).toContain(`
  # Relations that are served:
  # Order/CustomerId refers to Customer: the name CustomerId; 4 of 4 found
  # Order/DepotId refers to Depot: the name DepotId; contradicted: 0 of 4 found
`);
});

it('writes into the overlay which relations are accepted and refused', async () => {
  const { file, suggest, probe, overlay } = await relatedProject();
  expect((await suggest('--accept', 'resolved')).stdout).toBe(
    'No suggested relation has been shown by duogate probe: nothing is written.\n',
  );
  await probe();
  const decided = await suggest(
    '--accept',
    'resolved',
    '--accept',
    'Note/UserId=TradeUser',
    '--refuse',
    'Order/DepotId',
  );
  expect(decided).toStrictEqual({
    code: 0,
    stderr: '',
    stdout: `Order/BillingCustomerId refers to Customer.
Order/ReturnDepotId refers to Depot.
Order/Seller refers to Agent.
Note/UserId refers to TradeUser.
Order/DepotId is refused.
Written to ${file.replace('.yaml', '.overlay.yaml')}.
`,
  });
  const { relations } = await probe();
  expect(relations).toStrictEqual([
    'Order/BillingCustomerId → Customer  served     4 of 4 found',
    'Order/ReturnDepotId → Depot         served     1 of 1 found',
    'Order/Seller → Agent                served     1 of 1 found',
    'Order/CustomerId → Customer         served     4 of 4 found',
    'Order/SalesAgentId → Agent          suggested  3 of 4 found',
    'Note/UserId → TradeUser             served     ambiguous: 1 of 1 found, also in RetailUser',
    'Note/CustomerId → Customer          suggested  ambiguous: 1 of 1 found, CustomerType names a type',
  ]);
  expect((await suggest('--accept', 'Order/DepotId')).code).toBe(0);
  expect(overlay()).toContain('depot_id: Depot\n');
  expect(overlay()).not.toContain('depot_id: false');
  expect(overlay().match(/references/g)).toHaveLength(5);
});

it('writes nothing for a relation that there is not', async () => {
  const { suggest, file } = await relatedProject();
  const name = file.split('/').at(-1);
  expect(await suggest('--accept', 'Order/Nothing')).toMatchObject({
    code: 1,
    stderr: `${file}: Order/Nothing is no relation that can be accepted or refused.\n`,
  });
  expect(await suggest('--accept', 'Order/CustomerId=Nothing')).toMatchObject({
    code: 1,
    stderr: `${file}: The overlay is left as it is: Order/CustomerId would not refer to Nothing.\n`,
  });
  expect(name).toBe('shop.yaml');
});
