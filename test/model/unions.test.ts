import { describe, expect, it } from 'vitest';
import { deriveThing, reference } from './document.ts';

const CARD =
  '{ type: object, required: [kind], properties: { kind: { const: card }, number: { type: string }, fee: { type: integer } } }';
const CASH =
  '{ type: object, required: [kind], properties: { kind: { const: cash }, till: { type: string }, fee: { type: number } } }';
const SCHEMAS = `
Card: ${CARD}
Cash: ${CASH}
Payment: { oneOf: [${reference('Card')}, ${reference('Cash')}], discriminator: { propertyName: kind } }`;

const reported = (csdl: readonly string[]) =>
  csdl.filter(
    (line) => /^<(?:ComplexType|EnumType|Member|Property) /.test(line) && !/"(?:Thing|Id)"/.test(line),
  );

const OPEN = [
  '<Member Name="card" Value="0"/>',
  '<Member Name="cash" Value="1"/>',
  '<ComplexType Name="ThingP" OpenType="true">',
  '<Property Name="Kind" Type="Test.ThingPKind" Nullable="false"/>',
  '<Property Name="Fee" Type="Edm.Double"/>',
];

describe('one of several objects', () => {
  it.each([
    `{ oneOf: [${CARD}, ${CASH}] }`,
    `{ anyOf: [${reference('Card')}, ${reference('Cash')}, { type: 'null' }] }`,
    `{ oneOf: [${reference('Card')}, ${reference('Cash')}], discriminator: { propertyName: kind } }`,
  ])('written as %s has what all of them have, and is open', (schema) => {
    const { csdl, findings } = deriveThing(`p: ${schema}`, SCHEMAS);
    expect(reported(csdl)).toStrictEqual([
      '<EnumType Name="ThingPKind">',
      ...OPEN,
      '<Property Name="P" Type="Test.ThingP"/>',
    ]);
    expect(findings).toStrictEqual([
      'info /components/schemas/Thing/properties/p Its values have one of several types: properties that these do not share become dynamic properties',
    ]);
  });

  it('that a discriminator tells apart has types that are derived, and inherit what is shared', () => {
    const { csdl, model, findings } = deriveThing(`p: ${reference('Payment')}`, SCHEMAS);
    expect(reported(csdl)).toStrictEqual([
      '<EnumType Name="PaymentKind">',
      '<Member Name="card" Value="0"/>',
      '<Member Name="cash" Value="1"/>',
      '<ComplexType Name="Payment" Abstract="true">',
      '<Property Name="Kind" Type="Test.PaymentKind" Nullable="false"/>',
      '<Property Name="Fee" Type="Edm.Double"/>',
      '<ComplexType Name="Card" BaseType="Test.Payment">',
      '<Property Name="Number" Type="Edm.String"/>',
      '<ComplexType Name="Cash" BaseType="Test.Payment">',
      '<Property Name="Till" Type="Edm.String"/>',
      '<Property Name="P" Type="Test.Payment"/>',
    ]);
    const kind = model.complexTypes.get('Card')?.structuralProperties.get('Kind');
    expect(kind).toBe(model.complexTypes.get('Payment')?.structuralProperties.get('Kind'));
    expect(findings).toStrictEqual([]);
  });

  it('is an object of one type where the branches only restrict it', () => {
    const { csdl, findings } = deriveThing(
      'p: { type: object, properties: { a: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }',
    );
    expect(reported(csdl)).toStrictEqual([
      '<ComplexType Name="ThingP">',
      '<Property Name="A" Type="Edm.String"/>',
      '<Property Name="P" Type="Test.ThingP"/>',
    ]);
    expect(findings).toStrictEqual([]);
  });
});

describe('what JSON Schema has other words for', () => {
  it.each([
    ['{ oneOf: [{ const: a, title: First }, { const: b }] }', 'Type="Test.ThingP"'],
    ['{ anyOf: [{ type: string, enum: [a] }, { type: string, enum: [b] }] }', 'Type="Test.ThingP"'],
    ['{ anyOf: [{ type: integer }, { type: integer, format: int64 }] }', 'Type="Edm.Int64"'],
    ['{ anyOf: [{ type: integer }, { type: number }] }', 'Type="Edm.Double"'],
    ['{ anyOf: [{ type: string, format: uuid }, { type: string, pattern: "^a" }] }', 'Type="Edm.String"'],
    ['{ oneOf: [{ type: string, format: date }, { type: string, format: date-time }] }', 'Type="Edm.String"'],
    ['{ allOf: [{ type: [string, integer] }, { type: [integer, boolean] }] }', 'Type="Edm.Int64"'],
    ['{ allOf: [{ type: number }, { type: integer }] }', 'Type="Edm.Int64"'],
    ['{ type: string, not: { const: x } }', 'Type="Edm.String"'],
    ['{ type: string, if: { const: x }, then: { maxLength: 1 } }', 'Type="Edm.String"'],
    [
      '{ type: array, prefixItems: [{ type: integer }, { type: integer }], items: false }',
      'Type="Collection(Edm.Int64)" Nullable="false"',
    ],
    [
      '{ type: array, items: { type: integer }, prefixItems: [{ type: integer }] }',
      'Type="Collection(Edm.Int64)" Nullable="false"',
    ],
    ['{ patternProperties: { "^x": { type: string } } }', 'Type="Test.ThingP"'],
    [
      '{ type: string, enum: [in stock, out], default: in stock }',
      'Type="Test.ThingP" DefaultValue="in_stock"',
    ],
    ['{ type: string, format: date, default: "2020" }', 'Type="Edm.Date"'],
    ['{ type: string, format: date, default: "2020-02-03" }', 'Type="Edm.Date" DefaultValue="2020-02-03"'],
    ['{ type: integer, default: 1.5 }', 'Type="Edm.Int64"'],
    ['{ type: [string, "null"], default: null }', 'Type="Edm.String"'],
  ])('%s is %s', (schema, expected) => {
    const [line = ''] = deriveThing(`p: ${schema}`).csdl.filter((each) =>
      each.startsWith('<Property Name="P"'),
    );
    expect(line.replace(/\/?>$/, '')).toBe(`<Property Name="P" ${expected}`);
  });

  it.each([
    [
      '{ type: array, prefixItems: [{ type: integer }, { type: string }] }',
      'nothing says of what type its items are',
    ],
    ['{ allOf: [{ type: string }, { type: integer }] }', 'nothing is of all the types that it must have'],
    ['{ type: "null" }', 'it is always null'],
    ['{ not: { type: string } }', 'its type is not declared'],
    ['{ oneOf: [{ type: string }, { type: string, format: byte }] }', 'its values have one of several types'],
    [
      '{ oneOf: [{ type: string }, { type: array, items: { type: string } }] }',
      'its values have one of several types',
    ],
  ])('%s is of Edm.Untyped', (schema, reason) => {
    expect(deriveThing(`p: ${schema}`).findings).toStrictEqual([
      `info /components/schemas/Thing/properties/p The property is of type Edm.Untyped: ${reason}`,
    ]);
  });

  it.each([
    ['{ type: object, patternProperties: { "^x": {} }, additionalProperties: false }', true],
    ['{ type: object, properties: { a: { type: string } }, unevaluatedProperties: { type: string } }', true],
    ['{ type: object, properties: { a: { type: string } }, unevaluatedProperties: false }', false],
    ['{ type: object, additionalProperties: false }', false],
    ['{ type: object }', true],
  ])('%s is open: %s', (schema, open) => {
    const { model } = deriveThing(`p: ${schema}`);
    expect(model.complexTypes.get('ThingP')?.open).toBe(open);
  });
});
