import { describe, expect, it } from 'vitest';
import { deriveThing } from './document.ts';

/** The schema of a property `p`, and what stands in its element after its name. */
const TYPES: readonly (readonly [string, string])[] = [
  ['{ type: integer }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, format: id }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, minimum: 1 }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, maximum: 100 }', 'Type="Edm.Int32"/>'],
  ['{ type: integer, exclusiveMaximum: 2147483648 }', 'Type="Edm.Int32"/>'],
  ['{ type: integer, maximum: 2147483648 }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, minimum: -2147483649, maximum: 0 }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, minimum: -2147483649, exclusiveMinimum: true, maximum: 0 }', 'Type="Edm.Int32"/>'],
  ['{ type: integer, format: int64, maximum: 100 }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, enum: [1, 2, null] }', 'Type="Edm.Int32"/>'],
  ['{ type: integer, enum: [1, 4294967296] }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, format: int32 }', 'Type="Edm.Int32"/>'],
  ['{ type: integer, format: int64 }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, format: int16 }', 'Type="Edm.Int32"/>'],
  ['{ type: integer, format: uint32 }', 'Type="Edm.Int64"/>'],
  ['{ type: number }', 'Type="Edm.Double"/>'],
  ['{ type: number, format: double }', 'Type="Edm.Double"/>'],
  ['{ type: number, format: float }', 'Type="Edm.Single"/>'],
  ['{ type: number, format: decimal }', 'Type="Edm.Decimal" Scale="variable"/>'],
  ['{ type: [integer, number] }', 'Type="Edm.Double"/>'],
  ['{ type: [integer, string], format: int32, pattern: "^-?[0-9]+$" }', 'Type="Edm.Int32"/>'],
  ['{ type: [number, string, "null"], format: double }', 'Type="Edm.Double"/>'],
  ['{ type: boolean }', 'Type="Edm.Boolean"/>'],
  ['{ type: string }', 'Type="Edm.String"/>'],
  ['{ type: string, format: email }', 'Type="Edm.String"/>'],
  ['{ type: string, maxLength: 40 }', 'Type="Edm.String" MaxLength="40"/>'],
  ['{ type: string, maxLength: -1 }', 'Type="Edm.String"/>'],
  ['{ type: string, format: date }', 'Type="Edm.Date"/>'],
  ['{ type: string, format: date-time }', 'Type="Edm.DateTimeOffset" Precision="12"/>'],
  ['{ type: string, format: time }', 'Type="Edm.TimeOfDay" Precision="12"/>'],
  ['{ type: string, format: duration }', 'Type="Edm.Duration" Precision="12"/>'],
  [
    '{ type: string, format: date-time, x-odata: { precision: 3 } }',
    'Type="Edm.DateTimeOffset" Precision="3"/>',
  ],
  ['{ type: string, format: uuid }', 'Type="Edm.Guid"/>'],
  ['{ type: string, format: byte }', 'Type="Edm.Binary"/>'],
  ['{ type: string, contentEncoding: base64 }', 'Type="Edm.Binary"/>'],
  ['{ type: [string, "null"] }', 'Type="Edm.String"/>'],
  ['{ type: string, nullable: true }', 'Type="Edm.String"/>'],
  ['{ type: string, default: a<b }', 'Type="Edm.String" DefaultValue="a&lt;b"/>'],
  ['{ type: boolean, default: false }', 'Type="Edm.Boolean" DefaultValue="false"/>'],
  ['{ type: integer, default: none }', 'Type="Edm.Int64"/>'],
  ['{ type: integer, default: 5 }', 'Type="Edm.Int64" DefaultValue="5"/>'],
  ['{ type: integer, x-odata: { type: Edm.String } }', 'Type="Edm.String"/>'],
  ['{ type: integer, x-odata: { type: Edm.Int16 } }', 'Type="Edm.Int16"/>'],
  [
    '{ type: number, x-odata: { type: Edm.Decimal, precision: 9, scale: 2 } }',
    'Type="Edm.Decimal" Precision="9" Scale="2"/>',
  ],
  ['{ type: object, x-odata: { type: Edm.GeographyPoint } }', 'Type="Edm.GeographyPoint"/>'],
  ['{ anyOf: [{ type: string, format: date }, { type: "null" }] }', 'Type="Edm.Date"/>'],
  ['{ anyOf: [{ type: string, format: uri }, { type: string }] }', 'Type="Edm.String"/>'],
  ['{ oneOf: [{ type: integer }, { type: integer }] }', 'Type="Edm.Int64"/>'],
  ['{ allOf: [{ type: string }, { maxLength: 5 }] }', 'Type="Edm.String" MaxLength="5"/>'],
  ["{ $ref: '#/components/schemas/Named', maxLength: 3 }", 'Type="Edm.String" MaxLength="3"/>'],
  ['{ type: array, items: { type: integer } }', 'Type="Collection(Edm.Int64)" Nullable="false"/>'],
  ['{ type: array, items: { type: [string, "null"] } }', 'Type="Collection(Edm.String)" Nullable="true"/>'],
];

const NAMED = 'Named: { type: string, maxLength: 90 }';

describe('the type of a property', () => {
  it.each(TYPES)('of %s is %s', (schema, expected) => {
    const { csdl, findings } = deriveThing(`p: ${schema}`, NAMED);
    expect(csdl.filter((line) => line.startsWith('<Property Name="P"'))).toEqual([
      `<Property Name="P" ${expected}`,
    ]);
    expect(findings).toEqual([]);
  });
});

describe('the values that a property may have (Validation.AllowedValues)', () => {
  it.each([
    ['{ const: 7 }', 'Edm.Int32', [7]],
    ['{ const: cat }', 'Edm.String', ['cat']],
    ['{ enum: [1, 2, 2, null] }', 'Edm.Int32', [1, 2]],
    ['{ type: number, enum: [0.5, 1] }', 'Edm.Double', [0.5, 1]],
    ['{ type: boolean, enum: [true] }', 'Edm.Boolean', [true]],
    ['{ type: integer, enum: [1, 2], x-odata: { type: Edm.String } }', 'Edm.String', ['1', '2']],
    ['{ type: string, enum: [a, b], x-odata: { enum: false } }', 'Edm.String', ['a', 'b']],
    ['{ type: integer, enum: [1, two] }', 'Edm.Int64', undefined],
    ['{ type: integer }', 'Edm.Int64', undefined],
  ])('of %s, which is %s', (schema, type, values) => {
    const { model } = deriveThing(`p: ${schema}`);
    const property = model.entityTypes.get('Thing')?.structuralProperties.get('P');
    expect([property?.type.name, property?.facets.allowedValues]).toStrictEqual([type, values]);
  });

  it('are written as records', () => {
    const { csdl } = deriveThing('p: { enum: [1, 2.5] }');
    const start = csdl.indexOf('<Annotation Term="Validation.AllowedValues">');
    expect(csdl.slice(start, start + 9)).toStrictEqual([
      '<Annotation Term="Validation.AllowedValues">',
      '<Collection>',
      '<Record>',
      '<PropertyValue Property="Value" Int="1"/>',
      '</Record>',
      '<Record>',
      '<PropertyValue Property="Value" Decimal="2.5"/>',
      '</Record>',
      '</Collection>',
    ]);
  });
});

describe('a property that must be there', () => {
  it.each([
    ['{ type: string }', 'Nullable="false"'],
    ['{ type: [string, "null"] }', ''],
    ['{ type: string, enum: [a, null] }', ''],
    ['{ oneOf: [{ type: "null" }, { type: string }] }', ''],
  ])('%s is %s', (schema, nullable) => {
    const { model } = deriveThing(`p: ${schema}`, '', ['id', 'p']);
    const property = model.entityTypes.get('Thing')?.structuralProperties.get('P');
    expect(property?.nullable).toBe(nullable === '');
  });
});

/** The schema of a property `p`, and the annotations in its element. */
const ANNOTATIONS: readonly (readonly [string, readonly string[]])[] = [
  [
    '{ type: string, description: "a\\nb \\u0001" }',
    ['<Annotation Term="Core.Description" String="a&#10;b \u{FFFD}"/>'],
  ],
  ['{ type: string, readOnly: true }', ['<Annotation Term="Core.Computed" Bool="true"/>']],
  [
    '{ type: string, writeOnly: true }',
    ['<Annotation Term="Core.Permissions" EnumMember="Core.Permission/Write"/>'],
  ],
  ['{ type: string, x-odata: { immutable: true } }', ['<Annotation Term="Core.Immutable" Bool="true"/>']],
  [
    '{ type: string, x-odata: { mediaType: text/plain } }',
    ['<Annotation Term="Core.MediaType" String="text/plain"/>'],
  ],
  ['{ type: string, pattern: "^a$" }', ['<Annotation Term="Validation.Pattern" String="^a$"/>']],
  [
    '{ type: integer, minimum: 1, maximum: 9 }',
    [
      '<Annotation Term="Validation.Minimum" Decimal="1"/>',
      '<Annotation Term="Validation.Maximum" Decimal="9"/>',
    ],
  ],
  [
    '{ type: number, minimum: 0, exclusiveMinimum: true }',
    [
      '<Annotation Term="Validation.Minimum" Decimal="0">',
      '<Annotation Term="Validation.Exclusive" Bool="true"/>',
      '</Annotation>',
    ],
  ],
  ['{ type: array, items: { type: integer } }', ['<Annotation Term="Core.Ordered" Bool="true"/>']],
  ['{ type: number, multipleOf: 1.0e-7 }', ['<Annotation Term="Validation.MultipleOf" Decimal="1E-7"/>']],
];

describe('the annotations of a property', () => {
  it.each(ANNOTATIONS)('of %s', (schema, expected) => {
    const { csdl } = deriveThing(`p: ${schema}`);
    const start = csdl.indexOf('<Annotations Target="Test.Thing/P">');
    const end = csdl.indexOf('</Annotations>', start);
    expect(csdl.slice(start + 1, end)).toEqual([...expected, '<Annotation Term="Common.Label" String="P"/>']);
  });
});

/** Schemas of a property whose values each tell their type themselves, and what is said of it. */
const UNTYPED: readonly (readonly [string, string])[] = [
  ['{ type: [string, integer] }', 'its values are string or integer'],
  ['{}', 'its type is not declared'],
  ['true', 'its type is not declared'],
  ['{ type: array }', 'nothing says of what type its items are'],
  [
    '{ type: array, items: { type: array, items: { type: string } } }',
    'OData has no collections of collections',
  ],
  ['{ oneOf: [{ type: string }, { type: object }] }', 'its values have one of several types'],
];

describe('a property of one type or another, or of none', () => {
  it.each(UNTYPED)('such as %s is of Edm.Untyped (CSDL 4.01, 4.2)', (schema, reason) => {
    const { model, findings } = deriveThing(`p: ${schema}`);
    const { type, nullable, collection } = {
      ...model.entityTypes.get('Thing')?.structuralProperties.get('P'),
    };
    expect([type?.name, nullable, collection]).toEqual(['Edm.Untyped', true, schema.includes('array')]);
    expect(findings).toEqual([
      `info /components/schemas/Thing/properties/p The property is of type Edm.Untyped: ${reason}`,
    ]);
  });
});
