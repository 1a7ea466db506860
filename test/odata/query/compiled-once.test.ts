import { afterEach, describe, expect, it, vi } from 'vitest';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import type { EntitySet } from '../../../src/model/edm.ts';
import { createODataEndpoint } from '../../../src/odata/endpoint.ts';
import { ORDERS_DOCUMENT } from '../resources.document.ts';
import { rowsSource } from './rows-source.ts';
import { idsOf } from './sample.ts';

/** Notes which entity sets are looked up by their names. */
class NotedSets extends Map<string, EntitySet> {
  readonly names: string[] = [];

  override get(name: string): EntitySet | undefined {
    this.names.push(name);
    return super.get(name);
  }
}

const { model } = modelFromOpenApi([{ name: 'Orders', document: ORDERS_DOCUMENT }]);

function endpoint() {
  const entitySets = new NotedSets(model.entitySets);
  const { source } = rowsSource({ Order: [{ Id: 1, Note: 'n' }], Customer: [{ Code: 'x' }] });
  const odata = createODataEndpoint({
    model: { ...model, entitySets },
    source,
    root: 'http://x',
    answerMemoryBytes: 0,
  });
  const ask = async (target: string): Promise<readonly string[]> => {
    entitySets.names.length = 0;
    const { status } = await odata({
      id: 't',
      principal: { kind: 'unrestricted' },
      signal: new AbortController().signal,
      method: 'GET',
      target,
      headers: {},
      body: undefined,
    });
    return status === 200 ? [...new Set(entitySets.names)] : [String(status)];
  };
  return { ask };
}

describe('a query', () => {
  it.each([
    '/Order?$filter=Note%20eq%20%27n%27&$orderby=Id&$select=Id',
    '/Order?$apply=groupby((Note))',
    '/Order?$search=n&$compute=Id%20add%201%20as%20N&$top=1',
    '/Order/$count?$filter=Id%20gt%200',
  ])('is bound to the model once: %s', async (target) => {
    const { ask } = endpoint();
    expect([await ask(target), await ask(target)]).toEqual([['Order'], []]);
  });

  it('is forgotten where a thousand others came after it', async () => {
    const { ask } = endpoint();
    const others = Array.from({ length: 1000 }, (_, index) => `/Order?$top=${index + 2}`);
    await ask('/Order?$top=1');
    for (const other of others.slice(0, 999)) await ask(other);
    expect(await ask('/Order?$top=1')).toEqual([]);
    for (const other of others) await ask(other);
    expect(await ask('/Order?$top=1')).toEqual(['Order']);
  });
});

describe('$top with $orderby', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('sorts no more rows than are shown', () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      Id: String(index),
      UserId: (index * 7) % 1000,
    }));
    const sort = vi.spyOn(Array.prototype, 'sort');
    const toSorted = vi.spyOn(Array.prototype, 'toSorted');
    expect(idsOf({ $orderby: 'UserId', $top: '2', $skip: '1' }, rows)).toEqual(['143', '286']);
    const sorted = [...sort.mock.contexts, ...toSorted.mock.contexts] as readonly (readonly unknown[])[];
    expect(Math.max(0, ...sorted.map(({ length }) => length))).toBeLessThanOrEqual(3);
  });
});
