import { describe, expect, it } from 'vitest';
import { deriveThing } from './document.ts';

describe('what the values of a property are in the JSON of the upstream', () => {
  it.each([
    ['{ type: integer, x-odata: { type: Edm.String } }', 'Edm.String', ['integer']],
    ['{ type: number, x-odata: { type: Edm.String } }', 'Edm.String', ['number']],
    ['{ type: string, x-odata: { type: Edm.Int64 } }', 'Edm.Int64', ['string']],
    ['{ type: [integer, "null"] }', 'Edm.Int64', ['integer']],
    ['{ type: [integer, number] }', 'Edm.Double', ['number']],
    ['{ type: array, items: { type: boolean } }', 'Edm.Boolean', ['boolean']],
    ['{ const: 7 }', 'Edm.Int32', ['integer']],
    ['{ oneOf: [{ type: string, format: uri }, { type: string }] }', 'Edm.String', ['string']],
    ['{ type: object, properties: { a: { type: string } } }', 'ThingP', ['object']],
    ['{ x-odata: { type: Edm.GeographyPoint } }', 'Edm.GeographyPoint', []],
  ])('of %s, which is %s', (schema, type, expected) => {
    const { model } = deriveThing(`p: ${schema}`);
    const property = model.entityTypes.get('Thing')?.structuralProperties.get('P');
    expect([property?.type.name, property?.upstreamTypes]).toStrictEqual([type, expected]);
  });
});
