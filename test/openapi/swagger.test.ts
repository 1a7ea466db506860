import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outcome, temporaryFile } from '../cli/command.ts';
import { serveDocument } from './served-document.ts';

const PETS = `swagger: "2.0"
info: { title: Pets, version: "1.0" }
host: pets.example.com
basePath: /v1
schemes: [https]
consumes: [application/json]
produces: [application/json]
securityDefinitions:
  key: { type: apiKey, name: X-Key, in: header }
security: [{ key: [] }]
parameters:
  tag: { name: tag, in: query, type: string }
  newPet: { name: body, in: body, required: true, schema: { $ref: '#/definitions/NewPet' } }
responses:
  Pets: { description: Pets, schema: { type: array, items: { $ref: '#/definitions/Pet' } } }
paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{ $ref: '#/parameters/tag' }]
      responses: { 200: { $ref: '#/responses/Pets' } }
    post:
      operationId: addPet
      parameters: [{ $ref: '#/parameters/newPet' }]
      responses: { 201: { description: The pet, schema: { $ref: '#/definitions/Pet' } } }
  /pets/{petId}:
    parameters:
      - { name: changed, in: body, schema: { $ref: '#/definitions/NewPet' } }
      - { name: petId, in: path, required: true, type: integer, format: int64 }
    get:
      operationId: getPet
      responses: { 200: { description: The pet, schema: { $ref: '#/definitions/Pet' } } }
    put:
      operationId: changePet
      responses: { 200: { description: The pet, schema: { $ref: '#/definitions/Pet' } } }
definitions:
  NewPet:
    properties: { name: { type: string } }
  Pet:
    required: [id]
    properties:
      id: { type: integer, format: int64 }
      name: { type: string, x-nullable: true, x-odata: { name: CallName } }
    x-odata: { grants: { User: [View] } }
`;

const PET = { id: 1, name: 'Rex' };
const SHOWN = { Id: 1, CallName: 'Rex' };

describe('a Swagger 2.0 document', () => {
  it('is served like the OpenAPI document that it becomes', async () => {
    const served = await serveDocument(PETS, {
      'GET /pets': [PET],
      'GET /pets/1': PET,
      'POST /pets': (sent: object) => ({ id: 2, ...sent }),
      'PUT /pets/1': (sent: object) => ({ ...PET, ...sent }),
    });
    expect(await served.ask('Pet')).toStrictEqual([200, { value: [SHOWN] }]);
    expect(await served.ask('Pet(1)')).toStrictEqual([200, SHOWN]);
    expect(await served.ask('Pet', 'POST', { CallName: 'Ada' })).toMatchObject([
      201,
      { Id: 2, CallName: 'Ada' },
    ]);
    expect(served.lastSent()).toBe('POST /pets {"name":"Ada"}');
    expect((await served.ask('Pet(1)', 'PATCH', { CallName: 'Max' }))[0]).toBe(204);
    expect(served.lastSent()).toBe('PUT /pets/1 {"id":1,"name":"Max"}');
    expect(await served.json('/graphql?query={pets{callName}}')).toStrictEqual({
      data: { pets: [{ callName: 'Rex' }] },
    });
  });

  it('is said to be converted, and lints as what it is', async () => {
    const file = await temporaryFile('pets.yaml', PETS.replace('host:', 'hosts: here\nhost:'));
    const { stdout } = await outcome(['validate', file]);
    expect(stdout).toContain(
      'pets.yaml: It is Swagger 2.0, and served as OpenAPI 3.0.4. There are no schema',
    );
    expect(stdout).toContain('Property `hosts` is not expected here.');
    expect(stdout).toContain('line 3, column 1  /hosts\n');
    expect((await outcome(['model', file])).stdout).toContain('Pets 1.0 (OpenAPI 2.0)');
  });

  it('has what is found told with its own pointers', async () => {
    const wrong = PETS.replace('x-odata: { name: CallName }', 'x-odata: { nam: CallName }')
      .replace(
        'name: tag, in: query, type: string',
        'name: tag, in: query, type: string, x-odata: { nme: x }',
      )
      .replace('petId, in: path, required: true', 'petId, x-odata: { key: x }, in: path, required: true')
      .replace('The pet, schema: { ', 'The pet, schema: { x-odata: { nonsense: 1 }, allOf: [{ ')
      .replace("Pet' } } }\n  /pets/{petId}", "Pet' }] } } }\n  /pets/{petId}");
    const { stdout } = await outcome(['model', '--json', await temporaryFile('pets.yaml', wrong)]);
    const { findings } = JSON.parse(stdout) as {
      readonly findings: readonly { readonly message: string; readonly pointer: string }[];
    };
    const wrongKeys = findings.filter(({ message }) => message.startsWith('x-odata has no key'));
    expect(wrongKeys.map(({ pointer }) => pointer).toSorted()).toStrictEqual([
      '/definitions/Pet/properties/name/x-odata/nam',
      '/parameters/tag/x-odata/nme',
      '/paths/~1pets/post/responses/201/schema/x-odata/nonsense',
      '/paths/~1pets~1{petId}/parameters/1/x-odata/key',
    ]);
  });

  it('takes an overlay for what is written in it', async () => {
    const file = await temporaryFile('pets.yaml', PETS);
    writeFileSync(
      join(dirname(file), 'pets.overlay.yaml'),
      `overlay: 1.0.0
info: { title: T, version: "1" }
actions:
  - target: $.definitions.Pet
    update: { x-odata: { entitySet: Animals, keys: id } }
`,
    );
    const { stdout } = await outcome(['model', file]);
    expect(stdout).toContain('Animals(Id Edm.Int64)');
    expect(stdout).toContain('pets.overlay.yaml#/actions/0/update/x-odata/keys');
  });

  it('keeps its names, whatever they are', async () => {
    const odd = PETS.replace(
      '  NewPet:',
      '  __proto__: { type: object, properties: { polluted: {} } }\n  NewPet:',
    );
    const served = await serveDocument(odd, { 'GET /pets': [PET] });
    expect(await served.ask('Pet')).toStrictEqual([200, { value: [SHOWN] }]);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});
