import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import { documentElement } from '../../../src/odata/payload/csdl/csdl-elements.ts';
import { csdlDocument } from '../../../src/odata/payload/csdl/csdl-json.ts';
import { METADATA_TERMS } from '../../../src/odata/payload/csdl/metadata-terms.ts';
import { VOCABULARY_DOCUMENTS } from '../../../src/odata/payload/csdl/vocabulary-documents.ts';
import { type Terms, termsOf } from '../../../src/odata/payload/csdl/vocabulary-terms.ts';
import { writeXml } from '../../../src/odata/payload/csdl/xml-element.ts';

/** With the aliases of `$metadata`, and with bounds as the decimals that clients know. */
function asMetadata(xml: string): string {
  return xml
    .replaceAll(
      /(Term="|EnumMember="|Record Type="| )(?:Org\.OData|com\.sap\.vocabularies)\.(\w+)\.[Vv]1\./g,
      '$1$2.',
    )
    .replaceAll(/(Term="Validation\.M(?:in|ax)imum") Int=/g, '$1 Decimal=');
}

const REGIONS = `
openapi: 3.1.0
info: { title: Regions, version: "1" }
paths:
  /regions:
    get: { operationId: regions, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Region" } } } } } } }
  /regions/{id}:
    get:
      operationId: region
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        "200":
          content: { application/json: { schema: { $ref: "#/components/schemas/Region" } } }
          links: { parent: { operationId: region, parameters: { id: $response.body#/parent_id } } }
components:
  schemas:
    Region:
      type: object
      required: [id, name]
      properties:
        id: { type: integer }
        parent_id: { type: [integer, "null"] }
        name: { type: string }
        area: { type: number, multipleOf: 2 }
      x-odata: { alternateKeys: [[name]] }
`;

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

it.each([
  ['posts', read('../../../openapi/posts.yaml')],
  ['the library', read('../../../examples/library/openapi/library.yaml')],
  ['a shop', read('./csdl-shop.yaml')],
  ['a zoo', read('./zoo.yaml')],
  ['a tree', REGIONS],
])('the annotations of %s have the types that the vocabularies give them', (_, text) => {
  const document: unknown = parse(text);
  const { model } = modelFromOpenApi([{ name: 'Source', document }]);
  const csdl = csdlDocument(model, '4.01', 'http://vocabularies', 'xml');
  const xml = (terms: Terms) => writeXml(documentElement(csdl, terms));
  expect(xml(METADATA_TERMS)).toBe(asMetadata(xml(termsOf(VOCABULARY_DOCUMENTS.values()))));
});
