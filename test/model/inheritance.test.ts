import { describe, expect, it } from 'vitest';
import { type Derived, derive, deriveThing, reference, setPaths } from './document.ts';

const ID = 'id: { type: string }, kind: { type: string }';

/** `allOf` of those and of an object with that property. */
function merging(parts: readonly string[], property: string): string {
  const own = `{ type: object, properties: { ${property}: { type: string } } }`;
  return `{ allOf: [${[...parts.map(reference), own].join(', ')}] }`;
}

function object(properties: string, more = ''): string {
  return `{ type: object, properties: { ${properties} }${more} }`;
}

/** The entity types of `/pets`, each as `name: base value…`; `abstract` and `open` where it is that. */
function family(schemas: string, more = ''): readonly string[] {
  return linesOf(derive(setPaths('/pets', 'Pet', more), schemas).model.entityTypes);
}

function linesOf(types: Derived['model']['entityTypes'] | Derived['model']['complexTypes']) {
  return [...types.values()].map(({ name, base, abstract, open, discriminator }) => {
    const { value, otherValues = [] } = discriminator ?? {};
    const words = [base?.name, abstract ? 'abstract' : undefined, open ? 'open' : undefined, value];
    return `${name}: ${[...words, ...otherValues].filter((word) => word !== undefined).join(' ')}`;
  });
}

const KIND = ', discriminator: { propertyName: kind';
const PET = object(ID, `${KIND} }`);

describe('a type derived from a derived type', () => {
  it.each([
    [
      'merges it with a property',
      `Pet: ${PET}\nCat: ${merging(['Pet'], 'claws')}\nLion: ${merging(['Cat'], 'mane')}`,
      ['Pet: Pet', 'Cat: Pet Cat', 'Lion: Cat Lion'],
    ],
    [
      'merges it and adds nothing',
      `Pet: ${PET}\nCat: { allOf: [${reference('Pet')}] }\nLion: { allOf: [${reference('Cat')}] }`,
      ['Pet: Pet', 'Cat: Pet Cat', 'Lion: Cat Lion'],
    ],
    [
      'merges others, too',
      `Pet: ${PET}\nWild: ${object('range: { type: string }')}\nCat: ${merging(['Wild', 'Pet'], 'claws')}
Lion: ${merging(['Wild', 'Cat'], 'mane')}`,
      ['Pet: Pet', 'Cat: Pet Cat', 'Lion: Cat Lion'],
    ],
    [
      'merges a schema without a name that merges it',
      `Pet: ${PET}\nCat: ${merging(['Pet'], 'claws')}\nLion: { allOf: [${merging(['Cat'], 'mane')}, { type: object }] }`,
      ['Pet: Pet', 'Cat: Pet Cat', 'Lion: Cat Lion'],
    ],
    [
      'stands before it',
      `Lion: ${merging(['Cat'], 'mane')}\nCat: ${merging(['Pet'], 'claws')}\nPet: ${PET}`,
      ['Pet: Pet', 'Cat: Pet Cat', 'Lion: Cat Lion'],
    ],
    [
      'has the values that the mapping of the base names, by names and references',
      `Pet: ${object(ID, `${KIND}, mapping: { cat: Cat, lion: '#/components/schemas/Lion', simba: Lion, 'a/b': Pet } }`)}
Cat: ${merging(['Pet'], 'claws')}\nLion: ${merging(['Cat'], 'mane')}`,
      ['Pet: a/b', 'Cat: Pet cat', 'Lion: Cat lion simba'],
    ],
    [
      'is a branch of the base, as what it is derived from is',
      `Pet: ${object(ID, `${KIND}, mapping: { lion: Lion } }, oneOf: [${reference('Cat')}, ${reference('Lion')}]`)}
Cat: ${merging(['Pet'], 'claws')}\nLion: ${merging(['Cat'], 'mane')}`,
      ['Pet: abstract', 'Cat: Pet Cat', 'Lion: Cat lion'],
    ],
    [
      'is named by the mapping of a union, of which it is no branch',
      `Pet: { oneOf: [${reference('Cat')}, ${reference('Dog')}]${KIND}, mapping: { lion: Lion } } }
Cat: ${object(`${ID}, claws: { type: string }`)}\nDog: ${object(ID)}\nLion: ${merging(['Cat'], 'mane')}`,
      ['Pet: abstract', 'Cat: Pet Cat', 'Lion: Cat lion', 'Dog: Pet Dog'],
    ],
    [
      'is a branch of a union that is a branch',
      `Pet: { oneOf: [${reference('Cat')}, ${reference('Dog')}]${KIND} } }
Cat: { oneOf: [${reference('Lion')}, ${reference('Tiger')}] }\nDog: ${object(ID)}
Lion: ${object(`${ID}, mane: { type: string }`)}\nTiger: ${object(ID)}`,
      ['Pet: abstract', 'Cat: Pet abstract', 'Lion: Cat Lion', 'Tiger: Cat Tiger', 'Dog: Pet Dog'],
    ],
    [
      'has the value that the mapping of a union among the branches has for it',
      `Pet: { oneOf: [${reference('Cat')}, ${reference('Dog')}]${KIND} } }
Cat: { oneOf: [${reference('Lion')}, ${reference('Tiger')}]${KIND}, mapping: { lion: Lion } } }\nDog: ${object(ID)}
Lion: ${object(`${ID}, mane: { type: string }`)}\nTiger: ${object(ID)}`,
      ['Pet: abstract', 'Cat: Pet abstract', 'Lion: Cat lion', 'Tiger: Cat Tiger', 'Dog: Pet Dog'],
    ],
  ])('%s', (_, schemas, expected) => {
    expect(family(schemas)).toStrictEqual(expected);
  });

  it('is one within a complex type, too', () => {
    const { model } = deriveThing(
      `box: ${reference('Box')}`,
      `Box: ${object(`pets: { type: array, items: ${reference('Pet')} }`)}\nPet: ${PET}
Cat: ${merging(['Pet'], 'claws')}\nLion: ${merging(['Cat'], 'mane')}`,
    );
    expect(linesOf(model.complexTypes)).toStrictEqual([
      'Box: ',
      'Pet: Pet',
      'Cat: Pet Cat',
      'Lion: Cat Lion',
    ]);
  });

  it('has a description and a title of its own, or none', () => {
    const { model } = derive(
      setPaths('/pets', 'Pet', setPaths('/lions', 'Lion')),
      `Pet: ${object(ID, `, title: Our pets, description: Any pet, x-odata: { entitySet: Pets }${KIND} }`)}
Cat: { allOf: [${reference('Pet')}, { description: A cat }] }\nLion: ${merging(['Cat'], 'mane')}`,
    );
    const described = [...model.entityTypes.values()].map(({ name, description }) => [name, description]);
    expect(new Map(described as [string, unknown][])).toStrictEqual(
      new Map([
        ['Pet', 'Any pet'],
        ['Cat', 'A cat'],
        ['Lion', undefined],
      ]),
    );
    expect([...model.entitySets.values()].map(({ name, title }) => [name, title])).toStrictEqual([
      ['Pets', 'Our pets'],
      ['Lion', undefined],
    ]);
  });

  it.each(['/lions', '/apes'])(
    'has the key of its base, also where %s is before the base in the document',
    (path) => {
      const { model } = derive(
        `${setPaths(path, 'Lion')}${setPaths('/pets', 'Pet')}`,
        `Pet: ${PET}\nDog: ${merging(['Pet'], 'tail')}\nCat: ${merging(['Pet'], 'claws')}\nLion: ${merging(['Cat'], 'mane')}`,
      );
      expect([...model.entityTypes.values()].map(({ name, key }) => [name, key]).toSorted()).toStrictEqual([
        ['Cat', ['Id']],
        ['Dog', ['Id']],
        ['Lion', ['Id']],
        ['Pet', ['Id']],
      ]);
    },
  );

  it('is reported where the mapping names none', () => {
    const { findings } = derive(
      setPaths('/pets', 'Pet'),
      `Pet: ${object(ID, `${KIND}, mapping: { cat: Cat, dog: './dog.yaml' } }`)}`,
    );
    expect(findings).toStrictEqual([
      'warning /components/schemas/Pet/discriminator/mapping/cat The mapping leads to no schema of the document: "Cat"',
      'warning /components/schemas/Pet/discriminator/mapping/dog The mapping leads to no schema of the document: "./dog.yaml"',
    ]);
  });

  it('is none that would be derived from itself', () => {
    expect(
      family(
        `Pet: ${PET}\nCat: { oneOf: [${reference('Lion')}]${KIND} } }\nLion: ${merging(['Cat'], 'mane')}`,
      ),
    ).toStrictEqual(['Pet: Pet']);
  });
});
