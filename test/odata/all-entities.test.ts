import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Zoo, version: '1' }
servers: [{ url: http://localhost }]
x-odata: { namespace: Zoo, strict: true }
paths:
  /pets:
    get: { operationId: pets, responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } } }
  /pets/{id}:
    get: { operationId: pet, parameters: [{ $ref: '#/components/parameters/id' }], responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } } }
  /keepers:
    get: { operationId: keepers, responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Keeper' } } } } } } }
  /keepers/{id}:
    get: { operationId: keeper, parameters: [{ $ref: '#/components/parameters/id' }], responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Keeper' } } } } } }
components:
  parameters:
    id: { name: id, in: path, required: true, schema: { type: integer, format: int32 } }
  schemas:
    Pet:
      type: object
      required: [id, kind]
      discriminator: { propertyName: kind, mapping: { dog: '#/components/schemas/Dog' } }
      properties: { id: { type: integer, format: int32 }, kind: { type: string }, name: { type: string } }
    Dog:
      allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { trick: { type: string } } }]
    Keeper:
      type: object
      required: [id]
      properties: { id: { type: integer, format: int32 }, name: { type: string } }
`;

describe('$all (Part 2, 4.14)', () => {
  let zoo: ServedDocument;
  beforeAll(async () => {
    const answers = {
      'GET /pets': [
        { id: 1, kind: 'cat', name: 'Rex' },
        { id: 2, kind: 'dog', name: 'Rex', trick: 'sits' },
      ],
      'GET /keepers': [
        { id: 1, name: 'Rex' },
        { id: 2, name: 'Ann' },
      ],
    };
    zoo = await serveDocument(DOCUMENT, answers, atEndOfFile);
  });

  const root = () => `${zoo.gateway.url}/odata/$metadata`;
  const cat = () => ({ '@odata.context': `${root()}#Pet/$entity`, Id: 1, Kind: 'cat', Name: 'Rex' });
  const dog = () => ({
    '@odata.context': `${root()}#Pet/$entity`,
    '@odata.type': '#Zoo.Dog',
    Id: 2,
    Kind: 'dog',
    Name: 'Rex',
    Trick: 'sits',
  });
  const keeper = (Id: number, Name: string) => ({ '@odata.context': `${root()}#Keeper/$entity`, Id, Name });

  it('is the entities of all sets, each with its own context', async () => {
    const response = await fetch(`${zoo.gateway.url}/odata/$all`);
    expect(await response.json()).toStrictEqual({
      '@odata.context': `${root()}#Collection(Edm.EntityType)`,
      value: [cat(), dog(), keeper(1, 'Rex'), keeper(2, 'Ann')],
    });
  });

  it('is searched, counted, and shown in part', async () => {
    expect(await zoo.ask('$all?$search=Rex&$count=true&$skip=1&$top=2')).toStrictEqual([
      200,
      { '@odata.count': 3, value: [dog(), keeper(1, 'Rex')] },
    ]);
  });

  it('reads no more sets than $top takes', async () => {
    await zoo.ask('$all?$top=1');
    expect(zoo.lastSent()).toBe('GET /pets');
  });

  it('of a type is the set that has it, with all that can be asked of it', async () => {
    expect(await zoo.ask("$all/Zoo.Dog?$filter=Trick eq 'sits'&$select=Id")).toStrictEqual([
      200,
      { value: [{ Id: 2 }] },
    ]);
  });

  it('of a type that there is not is not found', async () => {
    const error = { code: 'NotFound', message: 'There is no entity type "Zoo.Cat" here.' };
    expect(await zoo.ask('$all/Zoo.Cat')).toStrictEqual([404, { error }]);
  });
});
