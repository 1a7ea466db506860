import { describe, expect, it } from 'vitest';
import { type Derived, derive as deriveModel, deriveThing, reference, setPaths } from './document.ts';

/** The lines from the first that begins so to the one that ends its element. */
function block(derived: Derived, start: string): readonly string[] {
  const from = derived.csdl.findIndex((line) => line.startsWith(start));
  const name = /^<(\w+)/.exec(start)?.[1];
  const line = derived.csdl[from] ?? '';
  return line.endsWith('/>')
    ? [line]
    : derived.csdl.slice(from, derived.csdl.indexOf(`</${name}>`, from) + 1);
}

const ADDRESS =
  'Address: { type: object, required: [city], properties: { city: { type: string }, lines: { type: array, items: { type: string } } } }';

describe('a complex type', () => {
  it.each([
    [`home: ${reference('Address')}`, 'Test.Address"/>'],
    [`home: { allOf: [${reference('Address')}], description: Where }`, 'Test.Address"/>'],
    [`home: { anyOf: [${reference('Address')}, { type: "null" }] }`, 'Test.Address"/>'],
    [`home: { type: array, items: ${reference('Address')} }`, 'Collection(Test.Address)" Nullable="false"/>'],
  ])('is used by %s', (property, type) => {
    const derived = deriveThing(property, ADDRESS);
    expect(derived.csdl).toContain(`<Property Name="Home" Type="${type}`);
    expect(block(derived, '<ComplexType')).toEqual([
      '<ComplexType Name="Address">',
      '<Property Name="City" Type="Edm.String" Nullable="false"/>',
      '<Property Name="Lines" Type="Collection(Edm.String)" Nullable="false"/>',
      '</ComplexType>',
    ]);
  });

  it('is named after its property where its schema has no name', () => {
    const derived = deriveThing('home: { type: object, properties: { city: { type: string } } }');
    expect(block(derived, '<ComplexType')[0]).toBe('<ComplexType Name="ThingHome">');
  });

  it('may have itself', () => {
    const part = `Part: { type: object, properties: { parts: { type: array, items: ${reference('Part')} } } }`;
    expect(block(deriveThing(`part: ${reference('Part')}`, part), '<ComplexType')).toEqual([
      '<ComplexType Name="Part">',
      '<Property Name="Parts" Type="Collection(Test.Part)" Nullable="false"/>',
      '</ComplexType>',
    ]);
  });

  it.each([
    ['{ type: object }', true],
    ['{ type: object, additionalProperties: { type: string } }', true],
    ['{ type: object, properties: { a: { type: string } }, additionalProperties: true }', true],
    ['{ type: object, properties: { a: { type: string } } }', false],
    ['{ type: object, properties: { a: { type: string } }, additionalProperties: false }', false],
  ])('of %s is open: %s', (schema, open) => {
    const { model } = deriveThing(`p: ${schema}`);
    expect(model.complexTypes.get('ThingP')?.open).toBe(open);
  });

  it('is in the model only where something has it', () => {
    expect(deriveThing('a: { type: string }', ADDRESS).model.complexTypes.size).toBe(0);
  });

  it('does not take the name of another one', () => {
    const { model, findings } = deriveThing(
      `a: ${reference('big-box')}\nb: ${reference('BigBox')}`,
      'big-box: { type: object }\nBigBox: { type: object }',
    );
    expect([...model.complexTypes.keys()]).toEqual(['BigBox', 'ThingB']);
    expect(findings).toEqual([
      'info /components/schemas/BigBox It is named ThingB: the name BigBox is taken',
    ]);
  });

  it('merges what allOf has', () => {
    const schemas = `Base: { type: object, required: [a], properties: { a: { type: string }, b: { type: string } } }
Both: { allOf: [${reference('Base')}, { type: object, properties: { b: { type: integer }, c: { type: string } } }] }`;
    const properties = deriveThing(`p: ${reference('Both')}`, schemas).model.complexTypes.get(
      'Both',
    )?.structuralProperties;
    expect(
      [...(properties?.values() ?? [])].map(({ name, nullable, type }) => [name, type.name, nullable]),
    ).toEqual([
      ['B', 'Edm.String', true],
      ['C', 'Edm.String', true],
      ['A', 'Edm.String', false],
    ]);
  });

  it('merges what each of many levels has twice, as often as there are levels', () => {
    const levels = Array.from({ length: 40 }, (_, level) => {
      const below = reference(`L${level}`);
      return `L${level + 1}: { allOf: [${below}, ${below}] }`;
    });
    const schemas = ['L0: { type: object, properties: { a: { type: string } } }', ...levels].join('\n');
    const { model } = deriveThing(`p: ${reference('L40')}`, schemas);
    const type = model.entityTypes.get('Thing')?.structuralProperties.get('P')?.type;
    expect(type?.kind === 'complex' && [...type.structuralProperties.keys()]).toEqual(['A']);
  });
});

describe('a derived type', () => {
  const pets = `
Pet: { type: object, required: [kind], discriminator: { propertyName: kind, mapping: { meow: '#/components/schemas/Cat' } }, properties: { kind: { type: string } } }
Cat: { allOf: [${reference('Pet')}, { type: object, properties: { lives: { type: integer } } }] }
Dog: { allOf: [${reference('Pet')}] }`;

  it('merges a schema with a discriminator', () => {
    const derived = deriveThing(`pet: ${reference('Pet')}`, pets);
    expect(derived.csdl.slice(derived.csdl.indexOf('<ComplexType Name="Pet">')).slice(0, 7)).toEqual([
      '<ComplexType Name="Pet">',
      '<Property Name="Kind" Type="Edm.String" Nullable="false"/>',
      '</ComplexType>',
      '<ComplexType Name="Cat" BaseType="Test.Pet">',
      '<Property Name="Lives" Type="Edm.Int64"/>',
      '</ComplexType>',
      '<ComplexType Name="Dog" BaseType="Test.Pet"/>',
    ]);
    const discriminators = [...derived.model.complexTypes.values()].map((type) => type.discriminator);
    expect(discriminators).toEqual([
      { upstreamName: 'kind', value: 'Pet' },
      { upstreamName: 'kind', value: 'meow' },
      { upstreamName: 'kind', value: 'Dog' },
    ]);
  });

  it('brings its base along', () => {
    const { model } = deriveThing(`cat: ${reference('Cat')}`, pets);
    expect([...model.complexTypes.keys()].toSorted()).toEqual(['Cat', 'Dog', 'Pet']);
  });

  it('is a branch of a named oneOf with a discriminator', () => {
    const union = `
Shape: { oneOf: [${reference('Circle')}, ${reference('Square')}], discriminator: { propertyName: type } }
Circle: { type: object, properties: { type: { type: string }, r: { type: number } } }
Square: { type: object, properties: { type: { type: string }, a: { type: number } } }`;
    const { csdl } = deriveThing(`shape: ${reference('Shape')}`, union);
    expect(csdl).toContain('<ComplexType Name="Shape" Abstract="true">');
    expect(csdl).toContain('<ComplexType Name="Circle" BaseType="Test.Shape">');
  });

  it('of a union has the key that all of its branches have', () => {
    const schemas = `
Animal: { oneOf: [${reference('Cat')}, ${reference('Dog')}], discriminator: { propertyName: kind } }
Cat: { type: object, properties: { id: { type: string }, kind: { type: string }, lives: { type: integer } } }
Dog: { type: object, properties: { id: { type: string }, kind: { type: string }, tricks: { type: integer } } }`;
    const { model, csdl } = deriveModel(setPaths('/animals', 'Animal'), schemas);
    expect(model.entitySets.get('Animal')?.entityType.key).toEqual(['Id']);
    expect([...model.entityTypes.values()].map(({ name, key, abstract }) => [name, key, abstract])).toEqual([
      ['Animal', ['Id'], true],
      ['Cat', ['Id'], false],
      ['Dog', ['Id'], false],
    ]);
    expect(csdl).toContain('<EntityType Name="Cat" BaseType="Test.Animal">');
    expect(csdl).toContain('<Property Name="Lives" Type="Edm.Int64"/>');
  });

  it('of an entity type has its key', () => {
    const thing = `Special: { allOf: [${reference('Thing')}, { type: object, properties: { extra: { type: string } } }] }`;
    const derived = deriveThing('kind: { type: string }', thing);
    expect(derived.model.entityTypes.size).toBe(1);
    const schema = derive(thing);
    expect(
      [...schema.model.entityTypes.values()].map(({ name, key, base }) => [name, key, base?.name]),
    ).toEqual([
      ['Thing', ['Id'], undefined],
      ['Special', ['Id'], 'Thing'],
    ]);
    expect(block(schema, '<EntityType Name="Special"')).toEqual([
      '<EntityType Name="Special" BaseType="Test.Thing">',
      '<Property Name="Extra" Type="Edm.String"/>',
      '</EntityType>',
    ]);
  });

  function derive(schemas: string): Derived {
    return deriveThing('kind: { type: string }\n', `  discriminator: { propertyName: kind }\n${schemas}`);
  }
});

describe('an enumeration type', () => {
  it('has the texts of an enum', () => {
    const derived = deriveThing(
      'size: { type: string, description: How big, enum: [s, "x l", "1", "", null] }',
    );
    expect(block(derived, '<EnumType')).toEqual([
      '<EnumType Name="ThingSize">',
      '<Member Name="s" Value="0"/>',
      '<Member Name="x_l" Value="1"/>',
      '<Member Name="_1" Value="2"/>',
      '<Member Name="_" Value="3"/>',
      '</EnumType>',
    ]);
    expect(
      derived.model.enumerationTypes.get('ThingSize')?.members.map(({ upstreamValue }) => upstreamValue),
    ).toEqual(['s', 'x l', '1', '']);
    expect(derived.findings).toEqual([
      'info /components/schemas/Thing/properties/size/enum/1 The member "x l" is named x_l',
      'info /components/schemas/Thing/properties/size/enum/2 The member "1" is named _1',
      'info /components/schemas/Thing/properties/size/enum/3 The member "" is named _',
    ]);
  });

  it.each([
    [
      '{ type: string, enum: [r, w], x-odata: { enum: Access, flags: true } }',
      [
        ['r', 1, 'r'],
        ['w', 2, 'w'],
      ],
    ],
    [
      '{ type: string, enum: [r, w], x-odata: { enum: Access, members: { r: 4, Write: w } } }',
      [
        ['r', 4, 'r'],
        ['Write', 1, 'w'],
      ],
    ],
    [
      '{ type: integer, x-odata: { enum: Access, members: { Read: 1, Write: 2 } } }',
      [
        ['Read', 1, 1],
        ['Write', 2, 2],
      ],
    ],
  ])('of %s has the members that x-odata gives', (schema, members) => {
    const type = deriveThing(`p: ${schema}`).model.enumerationTypes.get('Access');
    expect(type?.members.map(({ name, value, upstreamValue }) => [name, value, upstreamValue])).toEqual(
      members,
    );
  });

  it('has the name that x-odata gives, also to a component', () => {
    const named = 'Size: { type: string, enum: [s], x-odata: { enum: Sizes } }';
    const { model } = deriveThing(`size: ${reference('Size')}`, named);
    expect([...model.enumerationTypes.keys()]).toEqual(['Sizes']);
  });

  it('is one for the same values at properties of one name', () => {
    const status = 'status: { type: string, enum: [on, off] }';
    const other = `Other: { type: object, properties: { ${status} } }`;
    const { model } = deriveThing(`${status}\nother: ${reference('Other')}`, other);
    expect([...model.enumerationTypes.keys()]).toEqual(['ThingStatus']);
  });

  it('is none where x-odata says so', () => {
    const { model } = deriveThing('p: { type: string, enum: [a], x-odata: { enum: false } }');
    expect(model.entityTypes.get('Thing')?.structuralProperties.get('P')?.type.name).toBe('Edm.String');
  });
});
