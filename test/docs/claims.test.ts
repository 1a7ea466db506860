import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** The samples, what is built in for the project that comes along, and what commands and screens show of it. */
const SAMPLES = ['demo', 'config', 'cli', 'web'];

const COMMENT = /\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs;

it('no name of the sample API stands in the code', () => {
  const files = globSync('**/*.ts', { cwd: SOURCE, exclude: SAMPLES });
  const named = files.filter((file) =>
    /\bPosts?\b|\bposts\b/.test(readFileSync(join(SOURCE, file), 'utf8').replaceAll(COMMENT, '')),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(named).toStrictEqual([]);
});

const REGIONS = `
openapi: 3.1.0
info: { title: Places, version: "1" }
paths:
  /regions:
    get: { operationId: regions, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Region" } } } } } } }
  /regions/{id}:
    get:
      operationId: region
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        "200":
          content: { application/json: { schema: { $ref: "#/components/schemas/Region" } } }
          links: { parent: { operationId: region, parameters: { id: $response.body#/parent_id } } }
components:
  schemas:
    Region:
      type: object
      required: [id]
      properties: { id: { type: integer }, parent_id: { type: [integer, "null"] } }
      x-odata: { grants: { User: [View] } }
`;

interface Region {
  readonly Parent?: Region;
}

function depthOf({ Parent }: Region): number {
  return Parent === undefined ? 0 : 1 + depthOf(Parent);
}

it.each([
  ['$levels=max', 8],
  ['$levels=4', 4],
])('%s leads %i levels deep', async (levels, depth) => {
  const regions = Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    parent_id: index === 11 ? null : index + 2,
  }));
  const answers = Object.fromEntries(regions.map((region) => [`GET /regions/${region.id}`, region]));
  const { ask } = await serveDocument(REGIONS, { 'GET /regions': regions, ...answers });
  const [status, region] = await ask(`Region(1)?$select=Id&$expand=Parent(${levels};$select=Id)`);
  expect([status, depthOf(region as Region)]).toStrictEqual([200, depth]);
});
