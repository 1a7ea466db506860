import { symlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outcome } from '../cli/command.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { serveDocument } from './served-document.ts';

const ROOT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /pets: { $ref: paths/pets.yaml }
  /pets/{id}: { $ref: './paths/pet.yaml#/item' }
  /owners:
    get:
      operationId: owners
      parameters: [{ $ref: 'common.json#/parameters/limit' }]
      responses: { 200: { $ref: 'common.json#/responses/owners' } }
components:
  schemas:
    Pet: { $ref: schemas/pet.yaml }
`;

const FILES: Readonly<Record<string, string>> = {
  'paths/pets.yaml': `get:
  operationId: pets
  responses:
    200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: ../schemas/pet.yaml } } } } }
`,
  'paths/pet.yaml': `item:
  parameters: [{ name: id, in: path, required: true, schema: { $ref: '#/key' } }]
  get: { operationId: pet, responses: { 200: { description: ok, content: { application/json: { schema: { $ref: '../api.yaml#/components/schemas/Pet' } } } } } }
key: { type: integer }
`,
  'schemas/pet.yaml': `type: object
required: [id]
properties:
  id: { type: integer }
  name: { type: string }
  owner: { $ref: 'people.yaml#/Owner' }
  size: { $ref: '#size' }
$defs:
  size: { $anchor: size, type: string, maxLength: 9 }
`,
  'schemas/people.yaml': `Owner: { $ref: '#/$defs/person' }
$defs:
  person:
    type: object
    required: [id]
    properties:
      id: { type: integer }
      city: { $ref: 'https://example.com/schemas/city' }
      friend: { $ref: '#/Owner' }
      favorite: { $ref: pet.yaml }
City: { $id: 'https://example.com/schemas/city', type: object, properties: { zip: { type: string } } }
`,
  'common.json': JSON.stringify({
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
    responses: {
      owners: {
        description: 'ok',
        content: {
          'application/json': { schema: { type: 'array', items: { $ref: 'schemas/people.yaml#/Owner' } } },
        },
      },
    },
  }),
};

const PET = { id: 1, name: 'Rex', owner: { id: 7, city: { zip: '1' } }, size: 'big' };

describe('a document of several files', () => {
  it('is one source, with the names of its components', async () => {
    const { ask, csdl } = await serveDocument(
      ROOT,
      { 'GET /pets': [PET], 'GET /pets/1': PET, 'GET /owners?limit=100': [PET.owner] },
      onTestFinished,
      {},
      FILES,
    );
    expect(await csdl('<EntitySet')).toStrictEqual([
      '<EntitySet Name="Pet" EntityType="Test.Pet">',
      '<EntitySet Name="Owner" EntityType="Test.Owner">',
    ]);
    expect(await ask('Pet(1)?$select=Id,Name,Size')).toStrictEqual([
      200,
      { Id: 1, Name: 'Rex', Size: 'big' },
    ]);
    expect(await csdl('<Property Name="Size"')).toStrictEqual(['<Property Name="Size" Type="Test.Size"/>']);
    expect(await ask('Owner')).toStrictEqual([200, { value: [{ Id: 7, City: { Zip: '1' } }] }]);
  });

  it('is served anew when any of the files is edited', async () => {
    const project = createProject({
      ...FILES,
      'api.yaml': ROOT,
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', 'http://127.0.0.1:9')}`,
    });
    const { gateway } = await serveProject(project);
    const csdl = async (beginning: string) => {
      const accept = { accept: 'application/xml' };
      const text = await (await fetch(`${gateway.url}/odata/$metadata`, { headers: accept })).text();
      return text.split('\n').filter((line) => line.trim().startsWith(beginning));
    };
    expect(await csdl('<Property Name="Color"')).toStrictEqual([]);
    const pet = FILES['schemas/pet.yaml'] ?? '';
    project.write('schemas/pet.yaml', pet.replace('  name:', '  color: { type: string }\n  name:'));
    await expect.poll(() => csdl('<Property Name="Color"'), { timeout: 20_000 }).toHaveLength(1);
  });

  it('has its mistakes at their positions in the files', async () => {
    const project = createProject({
      ...FILES,
      'api.yaml': ROOT,
      'paths/pets.yaml': `get:
  operationId: pets
  responses:
    200: { description: ok, content: { application/json: { schema: { $ref: '../schemas/missing.yaml#/Pet' } } } }
`,
    });
    const { code, stdout } = await outcome(['validate', project.path('api.yaml'), '--json']);
    expect(code).toBe(1);
    const [{ report }] = JSON.parse(stdout);
    expect(
      report.findings.filter((finding: { severity: string }) => finding.severity === 'error'),
    ).toMatchObject([
      {
        rule: 'external-reference',
        file: 'paths/pets.yaml',
        line: 4,
        pointer: '/get/responses/200/content/application~1json/schema',
        message: 'The reference schemas/missing.yaml does not exist: it is not read',
      },
    ]);
    const printed = await outcome(['validate', project.path('api.yaml')]);
    expect(printed.stdout).toContain('in paths/pets.yaml: line 4, column');
  });

  it('is what an overlay changes', async () => {
    const overlay = `overlay: 1.0.0
info: { title: x, version: "1" }
actions:
  - target: $.paths['/pets'].get
    update: { x-odata: { pageOf: Animal } }
  - target: $.components.schemas.Pet
    update: { x-odata: { entitySet: Animal } }
`;
    const { csdl } = await serveDocument(
      ROOT,
      {},
      onTestFinished,
      {},
      { ...FILES, 'api.overlay.yaml': overlay },
    );
    expect(await csdl('<EntitySet Name="Animal"')).toHaveLength(1);
  });
});

const LIST = (reference: string) => `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /pets: { get: { operationId: pets, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: '${reference}' } } } } } } } }
`;

const SECRET =
  'Secret: { type: object, properties: { id: { type: integer }, password: { type: string } } }\n';

describe('a reference', () => {
  it.each<[string, string, string]>([
    ['above the folder', '../outside.yaml#/Secret', 'leaves the folder of the project'],
    ['above the folder, encoded', '%2e%2e/outside.yaml#/Secret', 'leaves the folder of the project'],
    ['an absolute path', '/etc/passwd.yaml', 'leaves the document'],
    ['a URL', 'https://example.com/pet.yaml#/Pet', 'leaves the document'],
    ['a file URL', 'file:///etc/passwd.yaml', 'leaves the document'],
    ['a hidden file', '.secret.yaml#/Secret', 'is not one of the files that documents may refer to'],
    ['a registration', 'openapi/x.registration.yaml', 'is not one of the files that documents may refer to'],
    ['a link out of the folder', 'link.yaml#/Secret', 'leaves the folder of the project by a link'],
    ['a text of another kind', 'notes.txt', 'is no YAML or JSON file'],
    ['a malformed file', 'bad.yaml#/Pet', 'is neither YAML nor JSON'],
  ])('to %s is not read', async (_, reference, reason) => {
    const project = createProject({
      'inside/api.yaml': LIST(reference),
      'inside/.secret.yaml': SECRET,
      'inside/bad.yaml': '{ a: [',
      'outside.yaml': SECRET,
    });
    symlinkSync(project.path('outside.yaml'), project.path('inside/link.yaml'));
    const { stdout } = await outcome(['validate', project.path('inside/api.yaml'), '--json']);
    expect(stdout).not.toContain('password');
    expect(stdout).toContain(`${reason}: it is not read`);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['cycles of references', { 'a.yaml': 'X: { $ref: b.yaml#/X }\n', 'b.yaml': 'X: { $ref: a.yaml#/X }\n' }],
    ['a file that is a reference to itself', { 'a.yaml': '$ref: a.yaml\n' }],
    [
      'names that are none',
      {
        'a.yaml':
          'X: { type: object, properties: { __proto__: { $ref: "#/__proto__" }, constructor: { $ref: b.yaml#/__proto__ } } }\n',
        'b.yaml': '{"__proto__": {"type": "string"}}',
      },
    ],
    [
      'a thousand files',
      Object.fromEntries([
        ['a.yaml', 'X: { $ref: f0.yaml#/X }\n'],
        ...Array.from({ length: 1000 }, (_, at) => [
          `f${at}.yaml`,
          `X: { type: object, properties: { p: { $ref: f${at + 1}.yaml#/X } } }\n`,
        ]),
      ]),
    ],
    [
      'a list of 300,000 values',
      { 'a.yaml': JSON.stringify({ X: { type: 'object', examples: Array(300_000).fill(1) } }) },
    ],
    [
      'path items in each other',
      {
        'a.yaml': 'X: { type: object }\n',
        'p.yaml': 'get: { callbacks: { x: { "{$url}": { $ref: p.yaml } } } }\n',
      },
    ],
  ])('is not harmed by %s', async (_, files) => {
    const root = `${LIST('a.yaml#/X')}${'p.yaml' in files ? '  /x: { $ref: p.yaml }\n' : ''}`;
    const project = createProject({ ...files, 'api.yaml': root });
    const { code, stderr } = await outcome(['validate', project.path('api.yaml')]);
    expect([0, 1]).toContain(code);
    expect(stderr).toBe('');
    expect(Object.hasOwn(Object.prototype, 'type')).toBe(false);
  });

  it('within the folder of the project may lead above that of the document', async () => {
    const project = createProject({
      'apis/api.yaml': LIST('../shared/pet.yaml#/Pet'),
      'shared/pet.yaml': 'Pet: { type: object, required: [id], properties: { id: { type: integer } } }\n',
      '.meshrc.yaml':
        'sources:\n  - { name: Test, handler: { openapi: { source: ./apis/api.yaml, endpoint: "http://127.0.0.1:9" } } }\n',
    });
    const { code, stdout } = await outcome(['model', '--project', project.path('.meshrc.yaml')]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 entity set')]);
  });
});
