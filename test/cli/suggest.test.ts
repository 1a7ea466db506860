import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { outcome, temporaryFile } from './command.ts';

function modelOf(document: string, overlay?: string) {
  const described = readDescription({
    document,
    file: 'api.yaml',
    overlay: overlay === undefined ? undefined : { file: 'api.overlay.yaml', text: overlay },
  });
  return modelFromOpenApi([{ name: 'Api', document: described.document }]).model.description;
}

const answer = (schema: string) =>
  `responses: { 200: { description: x, content: { application/json: { schema: ${schema} } } } }`;
const list = (name: string) => answer(`{ type: array, items: { $ref: '#/components/schemas/${name}' } }`);

const SHOP = `openapi: 3.1.0
info: { title: "Shop: the \\"best\\"", version: "1" }
paths:
  /orders:
    get:
      operationId: orders
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: offset, in: query, schema: { type: integer } }
        - { name: status, in: query, schema: { type: string } }
        - { name: total, in: query, schema: { type: string } }
      ${list('Order')}
  /orders/{order_id}:
    parameters: [{ name: order_id, in: path, required: true, schema: { type: string } }]
    get: { operationId: order, ${answer("{ $ref: '#/components/schemas/Order' }")} }
  "/sums\\n  - injected: true":
    get: { operationId: sums, ${list('Sum')} }
  /old/orders:
    get: { operationId: oldOrders, ${list('Order')} }
components:
  schemas:
    Order: { type: object, required: [id], properties: { id: { type: string }, status: { type: string }, total: { type: number } } }
    Sum: { type: object, properties: { month: { type: string }, place: { type: string } } }
`;

const SINGLE = SHOP.replace(/ {2}\/old\/orders:\n.*\n/, '');

describe('duogate suggest', () => {
  it('says names and keys, and in comments what somebody must decide', async () => {
    const file = await temporaryFile('shop.yaml', SINGLE);
    const { code, stdout, stderr } = await outcome(['suggest', file]);
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout).toBe(`overlay: 1.0.0
info:
  title: 'What Duogate reads in Shop: the "best"'
  version: "1"
extends: shop.yaml
actions:
  # Nobody may use anything yet: say which role may do what.
  # - target: $
  #   update:
  #     x-odata:
  #       grants:
  #         User:
  #           - View
  #         Admin:
  #           - View
  #           - Insert
  #           - Update
  #           - Delete
  #           - Call
  - target: $.components.schemas.Order
    update:
      x-odata:
        entitySet: ${[...modelOf(SINGLE).entitySets.keys()][0]}
        key:
          - id
  # Look first whether no two rows of SumsInjectedTrue have the same month and place, and none lacks it.
  # - target: $.components.schemas.Sum
  #   update:
  #     x-odata:
  #       entitySet: SumsInjectedTrue
  #       key:
  #         - month
  #         - place
  # Look first whether these parameters choose its pages, and whether each filter finds at least what is equal.
  # - target: $.paths['/orders'].get
  #   update:
  #     x-odata:
  #       pageOf: ${[...modelOf(SINGLE).entitySets.keys()][0]}
  #       top: limit
  #       skip: offset
  #       filters:
  #         Status: status
  # Decisions to look at:
  # /paths/~1sums   - injected: true/get: Nothing tells its entities apart: they are rows with a key that is made of their values; x-odata.key on the schema names the properties that do
`);
  });

  it('says of pages what the model knows of them, and nothing of parameters that only sound so', async () => {
    const paged = `openapi: 3.1.0
info: { title: Pages, version: "1" }
paths:
  /things:
    get:
      operationId: things
      parameters:
        - { name: pageToken, in: query, schema: { type: string } }
        - { name: max-results, in: query, schema: { type: integer } }
        - { name: size, in: query, schema: { type: string, enum: [small, large] } }
      ${answer("{ type: object, properties: { things: { type: array, items: { $ref: '#/components/schemas/Thing' } }, nextPageToken: { type: string }, totalItems: { type: integer } } }")}
components: { schemas: { Thing: { type: object, required: [id], properties: { id: { type: string } } } } }
`;
    const { stdout } = await outcome(['suggest', await temporaryFile('pages.yaml', paged)]);
    expect(stdout).toContain(`
  #       pageOf: Thing
  #       items: things
  #       top: max-results
  #       cursor: pageToken
  #       total: totalItems
`);
  });

  it.each([
    ['one set of a schema', SINGLE],
    ['several sets of a schema', SHOP],
    ['the posts', readFileSync('openapi/posts.yaml', 'utf8')],
    ['the library', readFileSync('examples/library/openapi/library.yaml', 'utf8')],
    ['nothing to say', 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n'],
    [
      'Swagger 2.0',
      `swagger: "2.0"
info: { title: T, version: "1" }
paths:
  /pets: { get: { operationId: pets, responses: { 200: { description: x, schema: { type: array, items: { $ref: '#/definitions/Pet' } } } } } }
definitions:
  Pet: { type: object, required: [id], properties: { id: { type: string } } }
`,
    ],
  ])('leaves the model of a document as it is: %s', async (_, document) => {
    const { stdout } = await outcome(['suggest', await temporaryFile('api.yaml', document)]);
    expect(modelOf(document, stdout)).toStrictEqual(modelOf(document));
  });

  it('says of a Swagger document what stands in that', async () => {
    const file = await temporaryFile(
      'pets.yaml',
      `swagger: "2.0"
info: { title: T, version: "1" }
paths:
  /pets: { get: { operationId: pets, responses: { 200: { description: x, schema: { type: array, items: { $ref: '#/definitions/a pet' } } } } } }
definitions:
  a pet: { type: object, required: [id], properties: { id: { type: string } } }
`,
    );
    expect((await outcome(['suggest', file])).stdout).toContain("\n  - target: $.definitions['a pet']\n");
  });

  it('writes a file that is not there yet', async () => {
    const file = await temporaryFile('shop.yaml', SINGLE);
    const output = join(dirname(file), 'shop.overlay.yaml');
    const printed = await outcome(['suggest', file]);
    expect(await outcome(['suggest', file, '-o', output])).toStrictEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(output, 'utf8')).toBe(printed.stdout);
    expect((await outcome(['validate', file])).code).toBe(0);
    expect(await outcome(['suggest', file, '--output', output])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'shop.yaml: shop.overlay.yaml cannot be written: it already exists.\n',
    });
  });

  it('says why there is nothing to suggest', async () => {
    const { code, stderr } = await outcome(['suggest', await temporaryFile('x.yaml', 'hello: world')]);
    expect([code, stderr]).toStrictEqual([
      1,
      'x.yaml: It is not an OpenAPI document: it has no `openapi` version.\n',
    ]);
    expect(existsSync('x.overlay.yaml')).toBe(false);
  });

  it.each([[['suggest']], [['suggest', 'a', 'b']]])('does not understand %j', async (args) => {
    expect((await outcome(args)).code).toBe(2);
  });

  it('proposes no key that would change a set', async () => {
    const named = `  /stores:
    get: { operationId: stores, ${list('Order')} }
  /stores/{status}:
    parameters: [{ name: status, in: path, required: true, schema: { type: string } }]
    get: { operationId: store, ${answer("{ $ref: '#/components/schemas/Order' }")} }
components:`;
    const file = await temporaryFile('shop.yaml', SINGLE.replace('components:', named));
    const { code, stdout } = await outcome(['suggest', file]);
    const proposed = stdout.split('\n').filter((line) => /^ +key:/.test(line));
    expect([code, proposed.length > 0, stdout.includes('change what is served')]).toEqual([0, false, false]);
    expect(stdout).toContain(
      '/paths/~1stores~1{status}/get: Its entities are identified by Status, and elsewhere by Id: their type here is Store, not Order',
    );
  });
});
