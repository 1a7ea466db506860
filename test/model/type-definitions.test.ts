import { describe, expect, it } from 'vitest';
import { answer, derive, deriveThing, reference, setPaths } from './document.ts';

const SCHEMAS = `
Isbn: { type: string, maxLength: 13, pattern: '^[0-9]+$', description: Names a book }
Moment: { type: string, format: date-time }
Level: { type: integer, enum: [1, 2, 3] }
Colour: { type: string, enum: [red, green] }
Word: { type: string, description: Only a name }`;

const MONEY = 'Money: { type: number, format: decimal, x-odata: { precision: 9, scale: 2 } }';

const ISBN = "$ref: '#/components/schemas/Isbn'";

describe('a component that restricts a primitive type', () => {
  it.each([
    [`{ ${ISBN} }`, 'Type="Test.Isbn"'],
    [`{ ${ISBN}, description: Of the first edition }`, 'Type="Test.Isbn"'],
    [`{ oneOf: [{ ${ISBN} }, { type: 'null' }] }`, 'Type="Test.Isbn"'],
    [`{ type: array, items: { ${ISBN} } }`, 'Type="Collection(Test.Isbn)" Nullable="false"'],
    [`{ ${ISBN}, maxLength: 10 }`, 'Type="Edm.String" MaxLength="10"'],
    ["{ $ref: '#/components/schemas/Money' }", 'Type="Test.Money"'],
    ["{ $ref: '#/components/schemas/Level' }", 'Type="Test.Level"'],
    ["{ $ref: '#/components/schemas/Level', x-odata: { type: Edm.String } }", 'Type="Edm.String"'],
    ["{ $ref: '#/components/schemas/Colour' }", 'Type="Test.Colour"'],
    ["{ $ref: '#/components/schemas/Moment' }", 'Type="Edm.DateTimeOffset" Precision="12"'],
    ["{ $ref: '#/components/schemas/Word' }", 'Type="Edm.String"'],
  ])('referred to by %s gives %s', (schema, expected) => {
    const { csdl, findings } = deriveThing(
      `p: ${schema}`,
      schema.includes('Money') ? `${SCHEMAS}\n${MONEY}` : SCHEMAS,
    );
    const [line = ''] = csdl.filter((each) => each.startsWith('<Property Name="P"'));
    expect(line.replace(/\/?>$/, '')).toBe(`<Property Name="P" ${expected}`);
    expect(findings).toStrictEqual([]);
  });

  it('is a type definition with its facets', () => {
    const { csdl } = deriveThing(
      `p: { ${ISBN} }\nq: { $ref: '#/components/schemas/Money' }`,
      `${SCHEMAS}\n${MONEY}`,
    );
    expect(csdl).toContain('<TypeDefinition Name="Isbn" UnderlyingType="Edm.String" MaxLength="13"/>');
    expect(csdl).toContain(
      '<TypeDefinition Name="Money" UnderlyingType="Edm.Decimal" Precision="9" Scale="2"/>',
    );
  });

  it('keeps its underlying type for everything but the metadata document', () => {
    const { model } = deriveThing(`p: { ${ISBN} }`, SCHEMAS);
    const property = model.entityTypes.get('Thing')?.structuralProperties.get('P');
    expect(property).toMatchObject({
      type: { kind: 'primitive', name: 'Edm.String' },
      definition: expect.objectContaining({ name: 'Isbn' }),
      facets: { maxLength: 13, pattern: '^[0-9]+$' },
    });
  });

  it('may be the key, a parameter and a result', () => {
    const book = `
Book: { type: object, properties: { id: ${reference('Isbn')} } }
${SCHEMAS}`;
    const paths = `${setPaths('/books', 'Book')}
/next: { get: { operationId: next, parameters: [{ name: after, in: query, required: true, schema: ${reference('Isbn')} }], responses: ${answer(reference('Isbn'))} } }`;
    const { csdl, findings } = derive(paths, book);
    expect(csdl.filter((line) => line.includes('Test.Isbn'))).toStrictEqual([
      '<Property Name="Id" Type="Test.Isbn" Nullable="false"/>',
      '<Parameter Name="After" Type="Test.Isbn" Nullable="false">',
      '<ReturnType Type="Test.Isbn" Nullable="false"/>',
      '<Annotations Target="Test.Isbn">',
    ]);
    expect(findings).toStrictEqual([]);
  });

  it('is left out where nothing refers to it', () => {
    expect([...deriveThing('p: { type: string }', SCHEMAS).model.typeDefinitions.keys()]).toStrictEqual([]);
  });
});
