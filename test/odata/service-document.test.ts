import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';

const file = new URL('./payload/csdl-shop.yaml', import.meta.url);
const document = parse(readFileSync(file, 'utf8'));
const { model } = modelFromOpenApi([{ name: 'Shop', document }]);

const notRequested = async (): Promise<never> => {
  throw new Error('The documents of the model need no data');
};
const source: EntitySource = {
  readCollection: notRequested,
  readChanges: notRequested,
  readEntity: notRequested,
  insert: notRequested,
  update: notRequested,
  delete: notRequested,
  call: notRequested,
  readStream: notRequested,
  writeStream: notRequested,
  deleteStream: notRequested,
};
const endpoint = createODataEndpoint({ model, source, root: 'http://shop/odata', answerMemoryBytes: 0 });

const get = (target: string, headers: Record<string, string> = {}) =>
  endpoint({
    id: 'test',
    principal: { kind: 'unrestricted' },
    signal: new AbortController().signal,
    method: 'GET',
    target,
    headers,
    body: undefined,
  });

const LISTED = [
  { name: 'Products', title: 'Wares', kind: 'EntitySet', url: 'Products' },
  { name: 'Category', kind: 'EntitySet', url: 'Category' },
  { name: 'Order', kind: 'EntitySet', url: 'Order' },
  { name: 'Settings', kind: 'Singleton', url: 'Settings' },
  { name: 'Rates', kind: 'FunctionImport', url: 'Rates' },
];

/** JSON Format, 5: what cannot be read by its name alone is not listed. */
describe('the service document', () => {
  it.each([
    ['', {}, '@odata.context', 'application/json;odata.metadata=minimal'],
    ['?$format=json', {}, '@odata.context', 'application/json;odata.metadata=minimal'],
    ['', { 'odata-maxversion': '4.01' }, '@context', 'application/json;metadata=minimal'],
    [
      '',
      { accept: 'application/json;odata.metadata=full' },
      '@odata.context',
      'application/json;odata.metadata=full',
    ],
    [
      '',
      { accept: 'application/json;odata.metadata=none' },
      undefined,
      'application/json;odata.metadata=none',
    ],
  ])('for %s and %j has the context as %s', async (query, headers, context, contentType) => {
    const answer = await get(`/${query}`, headers);
    expect(answer.headers['content-type']).toBe(contentType);
    expect(JSON.parse(String(answer.body))).toStrictEqual({
      ...(context !== undefined && { [context]: 'http://shop/odata/$metadata' }),
      value: LISTED,
    });
  });

  it('lists what the metadata document says that it lists', async () => {
    const answer = await get('/$metadata?$format=json', { 'odata-maxversion': '4.01' });
    const { ShopService } = JSON.parse(String(answer.body)).Shop;
    const isListed = (name: string) =>
      ShopService[name].$IncludeInServiceDocument ?? !('$Function' in ShopService[name]);
    const members = Object.keys(ShopService).filter((name) => !/^[$@]/.test(name));
    expect(members.filter(isListed)).toStrictEqual(LISTED.map(({ name }) => name));
    expect(members).toContain('Voucher');
  });
});

/** Part 1, 11.2.12. */
describe('$schemaversion', () => {
  it.each([
    ['/?$schemaversion=2026-01', 200],
    ['/$metadata?$schemaversion=2026-01', 200],
    ['/$metadata?schemaversion=*', 200],
    ['/$metadata?$schemaversion=2025-12', 404],
    ['/?$schemaversion=1', 404],
    ['/Products?$schemaversion=1', 404],
  ])('%s answers %i', async (target, status) => {
    const answer = await get(target);
    expect(answer.status).toBe(status);
    if (status === 404) {
      const { error } = JSON.parse(String(answer.body));
      expect([error.code, error.target]).toStrictEqual(['NotFound', '$schemaversion']);
      expect(error.message).toContain('the version is 2026-01');
    }
  });
});
