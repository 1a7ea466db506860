import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';
import { jsonOfXml } from '../support/csdl.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const folder = new URL('../../../shared/openapi/', import.meta.url);
const isThere = existsSync(folder);
if (!isThere) console.info('Not run: real OpenAPI documents, because ../shared/openapi is missing');

/** File; entity sets; singletons; functions and actions that are bound, and that are not; what is left out. */
const DOCUMENTS: readonly (readonly [
  string,
  readonly string[],
  readonly string[],
  number,
  number,
  number,
])[] = [
  ['museum.yaml', ['SpecialEvent', 'MuseumHours'], [], 0, 3, 0],
  ['oai-tictactoe.yaml', [], ['Board'], 2, 0, 0],
  ['oai-webhook-example.yaml', [], [], 0, 0, 1],
  ['oai-non-oauth-scopes.yaml', [], [], 0, 0, 2],
  [
    'adyen-legal-entity-v3.json',
    ['Themes', 'BusinessLine', 'Document', 'LegalEntity', 'TransferInstrument'],
    [],
    13,
    0,
    1,
  ],
  [
    'adyen-management-v3.json',
    [
      'Company',
      'AllowedOrigin',
      'Merchant',
      'Store',
      'Terminal',
      'CompaniesTerminalProducts',
      'MerchantsTerminalProducts',
      'CompaniesAndroidApps',
      'CompaniesAndroidCertificates',
      'CompaniesApiCredentials',
      'CompaniesBillingEntities',
      'CompaniesShippingLocations',
      'CompaniesTerminalActions',
      'CompaniesTerminalModels',
      'CompaniesTerminalOrders',
      'CompaniesUsers',
      'CompaniesWebhooks',
      'MerchantsApiCredentials',
      'MerchantsBillingEntities',
      'MerchantsPaymentMethodSettings',
      'MerchantsPayoutSettings',
      'MerchantsShippingLocations',
      'MerchantsSplitConfigurations',
      'MerchantsTerminalModels',
      'MerchantsTerminalOrders',
      'MerchantsUsers',
      'MerchantsWebhooks',
    ],
    ['Me'],
    37,
    1,
    3,
  ],
];

describe.skipIf(!isThere)('a real OpenAPI document', () => {
  it.each(DOCUMENTS)('%s becomes a model', (file, sets, singletons, bound, unbound, leftOut) => {
    const document: unknown = parse(readFileSync(new URL(file, folder), 'utf8'));
    const { model, report } = modelFromOpenApi([{ name: 'Source', document }]);

    expect([...model.entitySets.keys()]).toEqual(sets);
    expect([...model.singletons.keys()]).toEqual(singletons);
    const callables = model.callables;
    expect(callables.filter(({ binding }) => binding !== undefined)).toHaveLength(bound);
    expect(callables.filter(({ binding }) => binding === undefined)).toHaveLength(unbound);
    expect(report.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.filter(({ severity }) => severity === 'warning')).toHaveLength(leftOut);

    const converted = jsonOfXml(writeCsdlXml(model, '4.01'));
    expect(JSON.parse(writeCsdlJson(model))).toEqual(converted);
  });
});

interface Introspection {
  readonly data: {
    readonly __schema: {
      readonly queryType: { readonly fields: readonly unknown[] };
      readonly mutationType: { readonly fields: readonly unknown[] } | null;
      readonly types: readonly unknown[];
    };
  };
}

const INTROSPECTION =
  '{ __schema { queryType { fields { name } } mutationType { fields { name } } types { name fields { name } } } }';

/** File; root fields that are queries, and that are mutations: functions of an entity are fields of its type. */
const SERVED: readonly (readonly [string, number, number])[] = [
  ['museum.yaml', 8, 8],
  ['oai-tictactoe.yaml', 1, 1],
  ['oai-webhook-example.yaml', 1, 0],
  ['oai-non-oauth-scopes.yaml', 1, 0],
  ['adyen-legal-entity-v3.json', 14, 30],
  ['adyen-management-v3.json', 123, 108],
];

describe.skipIf(!isThere)('the gateway', () => {
  const table: Record<string, number | string>[] = [];
  afterAll(() => console.table(table));

  it.each(SERVED)('serves %s with %d queries and %d mutations', async (file, queries, mutations) => {
    const path = fileURLToPath(new URL(file, folder));
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Api', path, 'http://127.0.0.1:1')}`,
    });
    const start = performance.now();
    const { gateway, json, entitySets } = await serveProject(project);
    const loaded = Math.round(performance.now() - start);

    const metadata = await fetch(`${gateway.url}/odata/$metadata`);
    expect([metadata.status, (await metadata.text()).includes('<edmx:Edmx')]).toEqual([200, true]);
    const { data } = (await json(`/graphql?query=${encodeURIComponent(INTROSPECTION)}`)) as Introspection;
    const { queryType, mutationType, types } = data.__schema;
    expect([queryType.fields.length, mutationType?.fields.length ?? 0]).toEqual([queries, mutations]);
    const resources = (await entitySets()).join(', ');
    table.push({ file, queries, mutations, types: types.length, resources, 'load (ms)': loaded });
  });
});
