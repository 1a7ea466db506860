import { existsSync, readFileSync } from 'node:fs';
import { xml2json } from 'odata-csdl';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl-xml.ts';

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
  ['museum.yaml', ['SpecialEvent'], [], 0, 2, 2],
  ['oai-tictactoe.yaml', [], ['Board'], 2, 0, 1],
  ['oai-webhook-example.yaml', [], [], 0, 0, 1],
  ['oai-non-oauth-scopes.yaml', [], [], 0, 0, 2],
  [
    'adyen-legal-entity-v3.json',
    ['OnboardingTheme', 'BusinessLine', 'Document', 'LegalEntity', 'TransferInstrument'],
    [],
    16,
    0,
    1,
  ],
  ['adyen-management-v3.json', ['Company', 'AllowedOrigin', 'Merchant', 'Store'], ['Me'], 49, 8, 11],
];

describe.skipIf(!isThere)('a real OpenAPI document', () => {
  it.each(DOCUMENTS)('%s becomes a model', (file, sets, singletons, bound, unbound, leftOut) => {
    const document: unknown = parse(readFileSync(new URL(file, folder), 'utf8'));
    const started = performance.now();
    const { model, report } = modelFromOpenApi([{ name: 'Source', document }]);
    expect(performance.now() - started).toBeLessThan(1_000);

    expect([...model.entitySets.keys()]).toEqual(sets);
    expect([...model.singletons.keys()]).toEqual(singletons);
    const callables = model.callables;
    expect(callables.filter(({ binding }) => binding !== undefined)).toHaveLength(bound);
    expect(callables.filter(({ binding }) => binding === undefined)).toHaveLength(unbound);
    expect(report.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.filter(({ severity }) => severity === 'warning')).toHaveLength(leftOut);

    const converted = xml2json(writeCsdlXml(model, '4.01'));
    expect(JSON.parse(writeCsdlJson(model))).toEqual(converted);
  });
});
