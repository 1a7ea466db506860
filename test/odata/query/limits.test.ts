import { describe, expect, it } from 'vitest';
import type { GatewayResponse } from '../../../src/contract/exchange.ts';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import { createODataEndpoint, type ODataOptions } from '../../../src/odata/endpoint.ts';
import { ORDERS_DOCUMENT } from '../resources.document.ts';
import { rowsSource } from './rows-source.ts';

const { model } = modelFromOpenApi([{ name: 'Orders', document: ORDERS_DOCUMENT }]);
const { source } = rowsSource({ Order: [{ Id: 1, Note: 'n', Tags: ['a'] }], Customer: [] });

async function ask(limits: ODataOptions['limits'], target: string): Promise<GatewayResponse> {
  const odata = createODataEndpoint({
    model,
    source,
    root: 'http://x/odata',
    answerMemoryBytes: 0,
    ...(limits && { limits }),
  });
  return odata({
    id: 't',
    principal: { kind: 'unrestricted' },
    signal: new AbortController().signal,
    method: 'GET',
    target,
    headers: {},
    body: undefined,
  });
}

/** The limits → what is within them → what is beyond them, and its error. */
const CASES: readonly (readonly [ODataOptions['limits'], string, string, string])[] = [
  [{ url: { length: 20 } }, '/Order?$top=1', `/Order?$top=${'1'.repeat(20)}`, 'longer than 20 characters'],
  [
    { url: { nodes: 3 } },
    '/Order?$filter=Id eq 1',
    '/Order?$filter=Id eq 1 or Id eq 2',
    'at most 3 expressions',
  ],
  [
    { url: { depth: 2 } },
    '/Order?$filter=((true))',
    '/Order?$filter=(((true)))',
    'at most 2 levels of nesting',
  ],
  [
    { url: { expandDepth: 1 } },
    '/Order?$expand=Buyer',
    '/Order?$expand=Buyer($expand=Orders)',
    'levels of $expand',
  ],
  [
    { url: { lambdaDepth: 0 } },
    '/Order?$filter=Tags/any()',
    "/Order?$filter=Tags/any(t:t eq 'a')",
    'at most 0 nested any or all',
  ],
  [{ url: { orderByItems: 1 } }, '/Order?$orderby=Id', '/Order?$orderby=Id,Note', 'at most 1 items'],
  [
    { query: { nodes: 6 } },
    '/Order?$filter=@a&@a=Id eq 1',
    '/Order?$filter=@a or @a&@a=Id eq 1',
    'at most 6 nodes in the query',
  ],
  [
    { query: { nodes: 2 } },
    '/Order(1)?$compute=Id as A',
    '/Order(1)?$compute=Id add Id as A',
    'at most 2 nodes',
  ],
  [{ query: { nodes: 1 } }, '/Order/$count?$filter=true', '/Order/$count?$filter=Id eq 1', 'at most 1 nodes'],
  [
    { query: { nodes: 1 } },
    '/Order(1)/Tags?$filter=true',
    "/Order(1)/Tags?$filter=$it eq 'a'",
    'at most 1 nodes',
  ],
  [{ query: { nodes: 1 } }, '/Order/$filter(true)', '/Order/$filter(Id eq 1)', 'at most 1 nodes'],
  [
    { query: { nodes: 2 } },
    '/Order?$expand=Buyer($compute=Rank as A)',
    '/Order?$expand=Buyer($compute=Rank add Rank as A)',
    'at most 2 nodes',
  ],
  [
    { budget: { items: 1 } },
    "/Order?$filter=Tags/any(t:t eq 'a')",
    "/Order?$filter=Tags/any(t:t eq 'a') and Tags/all(t:t eq 'a')",
    'more than 1 items to check (QUERY_ITEMS)',
  ],
  [
    { budget: { items: 1 } },
    "/Order?$filter=$root/Order/any(o:o/Note eq 'n')",
    "/Order?$filter=$root/Order/any(o:o/Tags/any(t:t eq 'a'))",
    'more than 1 items',
  ],
  [
    { budget: { items: 0 } },
    '/Order?$filter=Tags/$count eq 1',
    "/Order?$filter=Tags/$count($filter=$it/Note eq 'n') eq 1",
    'more than 0 items',
  ],
  [{ budget: { items: 0 } }, '/Order?$filter=Id in (1,2)', "/Order?$filter='a' in Tags", 'more than 0 items'],
];

describe('limits that the endpoint is given', () => {
  it.each(CASES)('%o', async (limits, within, beyond, message) => {
    expect(await ask(limits, encodeURI(within))).toMatchObject({ status: 200 });
    await expect(ask(undefined, encodeURI(beyond))).resolves.toMatchObject({ status: 200 });
    const refused = await ask(limits, encodeURI(beyond));
    expect({ status: refused.status, body: String(refused.body) }).toEqual({
      status: message.startsWith('longer') ? 414 : 400,
      body: expect.stringContaining(message),
    });
  });
});

describe('a batch whose answers come to much', () => {
  it('is answered as far as there is room, and changes are made', async () => {
    const odata = createODataEndpoint({
      model,
      source,
      root: 'http://x/odata',
      answerMemoryBytes: 0,
      limits: { budget: { answerBytes: 200 } },
    });
    const read = (id: string) => ({ id, method: 'GET', url: 'Order(1)/Note' });
    const { body } = await odata({
      id: 't',
      principal: { kind: 'unrestricted' },
      signal: new AbortController().signal,
      method: 'POST',
      target: '/$batch',
      headers: { 'content-type': 'application/json', prefer: 'continue-on-error' },
      body: Buffer.from(
        JSON.stringify({
          requests: [
            read('1'),
            { id: '2', method: 'POST', url: 'Nope', dependsOn: ['1'] },
            read('3'),
            { id: '4', method: 'POST', url: 'Nope' },
            read('5'),
          ],
        }),
      ),
    });
    const { responses } = JSON.parse(String(body));
    expect(responses.map(({ status }: { status: number }) => status)).toStrictEqual([
      200, 404, 200, 404, 413,
    ]);
    expect(responses[4].body.error.message).toBe(
      'The request comes to more than 200 bytes in the answer (ANSWER_MIB): ask for less at a time.',
    );
  });
});
