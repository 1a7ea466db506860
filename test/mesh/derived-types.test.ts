import { printType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { answer, type DocumentScene, openDocument } from './document-scene.ts';
import { callContext } from './support.ts';

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;

const PATHS = `
/pets: { get: { operationId: pets, responses: ${answer(`{ type: array, items: ${ref('Pet')} }`)} },
  post: { operationId: createPet, requestBody: { content: { application/json: { schema: ${ref('Pet')} } } }, responses: ${answer(ref('Pet'))} } }
/owner: { get: { operationId: owner, responses: ${answer(ref('Owner'))} },
  put: { operationId: putOwner, requestBody: { content: { application/json: { schema: ${ref('Owner')} } } }, responses: ${answer(ref('Owner'))} } }
/cat: { get: { operationId: cat, responses: ${answer(ref('Cat'))} } }`;

/** Pets are cats or dogs, and some dogs are puppies. */
const SCHEMAS = `
Pet:
  description: An animal at home.
  type: object
  required: [id, pet-type]
  discriminator: { propertyName: pet-type, mapping: { meow: '#/components/schemas/Cat' } }
  properties:
    id: { type: integer, readOnly: true }
    pet-type: { type: string }
    friends: { type: array, items: ${ref('Pet')} }
    owner: ${ref('Owner')}
    home: { type: object, properties: { street: { type: string } } }
Cat: { allOf: [${ref('Pet')}], required: [lives], properties: { lives: { type: integer }, size: { type: integer }, pet-type: { type: string, const: meow } } }
Dog: { allOf: [${ref('Pet')}, { properties: { tricks: { type: array, items: { type: string } }, size: { type: string } } }], discriminator: { propertyName: pet-type } }
Puppy: { allOf: [${ref('Dog')}, { properties: { weeks: { type: integer } } }] }
Owner: { type: object, properties: { name: { type: string }, best: ${ref('Pet')}, dog: ${ref('Dog')} } }`;

const CAT = { id: 1, 'pet-type': 'meow', lives: 9 };
const DOG = { id: 2, 'pet-type': 'Dog', tricks: ['sit'] };
const PUPPY = { id: 3, 'pet-type': 'Puppy', tricks: [], weeks: 8 };
const FISH = { id: 4, 'pet-type': 'Fish', scales: 1000 };

async function openPets(data: unknown): Promise<DocumentScene> {
  return openDocument(PATHS, SCHEMAS, (_, reply) => reply.json(data));
}

async function ask({ mesh }: DocumentScene, query: string): Promise<unknown> {
  return mesh.execute(query, {}, { call: callContext() });
}

describe('a type that others are derived from', () => {
  it('is an interface, which the derived types implement', async () => {
    const { mesh } = await openPets([]);
    const shown = ['Pet', 'OtherPet', 'Cat', 'Dog', 'OtherDog', 'Puppy', 'Owner', 'Query'].map((name) => {
      const type = mesh.schema.getType(name);
      return type === undefined ? '' : printType(type);
    });
    const pet = 'id: BigInt!\n  pet_type: String!\n  friends: [Pet]\n  owner: Owner\n  home: Pet_home';
    expect(shown).toEqual([
      `"""An animal at home."""\ninterface Pet {\n  ${pet}\n}`,
      `"""An animal at home."""\ntype OtherPet implements Pet {\n  ${pet}\n}`,
      `"""An animal at home."""\ntype Cat implements Pet {\n  ${pet}\n  lives: BigInt!\n  size: BigInt\n}`,
      `"""An animal at home."""\ninterface Dog implements Pet {\n  tricks: [String]\n  size: String\n  ${pet}\n}`,
      `"""An animal at home."""\ntype OtherDog implements Dog & Pet {\n  tricks: [String]\n  size: String\n  ${pet}\n}`,
      `"""An animal at home."""\ntype Puppy implements Dog & Pet {\n  weeks: BigInt\n  tricks: [String]\n  size: String\n  ${pet}\n}`,
      'type Owner {\n  name: String\n  best: Pet\n  dog: Dog\n}',
      'type Query {\n  pets: [Pet]\n  owner: Owner\n  cat: Cat\n}',
    ]);
  });

  it.each<readonly [query: string, upstream: unknown, data: unknown]>([
    [
      '{ pets { __typename id ... on Cat { lives } ... on Dog { tricks } ... on Puppy { weeks } } }',
      [CAT, DOG, PUPPY, FISH],
      {
        pets: [
          { __typename: 'Cat', id: 1, lives: 9 },
          { __typename: 'OtherDog', id: 2, tricks: ['sit'] },
          { __typename: 'Puppy', id: 3, tricks: [], weeks: 8 },
          { __typename: 'OtherPet', id: 4 },
        ],
      },
    ],
    [
      '{ owner { best { friends { ... on Cat { lives owner { best { pet_type } } } } } dog { __typename } } }',
      { best: { ...DOG, friends: [{ ...CAT, owner: { best: FISH } }] }, dog: PUPPY },
      {
        owner: {
          best: { friends: [{ lives: 9, owner: { best: { pet_type: 'Fish' } } }] },
          dog: { __typename: 'Puppy' },
        },
      },
    ],
    [
      '{ cat { __typename lives pet_type } }',
      CAT,
      { cat: { __typename: 'Cat', lives: 9, pet_type: 'meow' } },
    ],
    [
      '{ pets { __typename ... on Cat { lives } } }',
      [{ Id: 1, 'PET-type': 'meow', Lives: 9 }],
      { pets: [{ __typename: 'Cat', lives: 9 }] },
    ],
  ])('is resolved by its discriminator: %s', async (query, upstream, data) => {
    expect(await ask(await openPets(upstream), query)).toEqual({ data });
  });

  it.each([
    ['a wrong value of its own', [{ ...CAT, lives: 'nine' }]],
    ['none where its own type demands one', [{ id: 1, 'pet-type': 'meow' }]],
  ])('is held against the type that it is of: %s', async (_, upstream) => {
    const scene = await openPets(upstream);
    expect(await ask(scene, '{ pets { id } }')).toMatchObject({ data: { pets: null } });
    expect(JSON.stringify(scene.log)).toContain('[0].lives: expected');
  });

  it('takes the properties of all derived types where it is sent, at every depth', async () => {
    const scene = await openPets(CAT);
    const type = scene.mesh.schema.getType('Pet_Input');
    expect(type && printType(type)).toBe(
      '"""\nAn animal at home.\n\nIt has the properties of all its types. "pet-type" says which one is meant: Pet, meow, Dog, Puppy.\n"""\ninput Pet_Input {\n  pet_type: String!\n  friends: [Pet_Input]\n  owner: Owner_Input\n  home: Pet_home_Input\n  lives: BigInt\n  size: JSON\n  tricks: [String]\n  weeks: BigInt\n}',
    );
    const dog = '{ pet_type: "Puppy", tricks: ["sit"], weeks: 8 }';
    await ask(
      scene,
      `mutation { createPet(input: { pet_type: "meow", lives: 9, friends: [${dog}] }) { id } }`,
    );
    await ask(scene, `mutation { putOwner(input: { best: ${dog}, dog: ${dog} }) { name } }`);
    const sent = { 'pet-type': 'Puppy', tricks: ['sit'], weeks: 8 };
    expect(scene.upstream.requests.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { 'pet-type': 'meow', lives: 9, friends: [sent] },
      { best: sent, dog: sent },
    ]);
  });
});
