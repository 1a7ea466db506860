import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import npmTest from '../../vitest.config.ts';
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
  expect(files.length).toBeGreaterThan(300);
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
  ['$levels=max', '4', 4],
  ['$levels=max', '2', 2],
  ['$levels=max', '10', 10],
  ['$expand=Parent($levels=max;$select=Id)', '4', 4],
  ['$levels=4', '4', 4],
  ['$levels=9', '10', 9],
])('%s leads, where QUERY_EXPAND_DEPTH is %s, %i levels deep', async (levels, most, depth) => {
  const regions = Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    parent_id: index === 11 ? null : index + 2,
  }));
  const answers = Object.fromEntries(regions.map((region) => [`GET /regions/${region.id}`, region]));
  const { ask } = await serveDocument(REGIONS, { 'GET /regions': regions, ...answers }, onTestFinished, {
    QUERY_EXPAND_DEPTH: most,
  });
  const [status, region] = await ask(`Region(1)?$select=Id&$expand=Parent(${levels};$select=Id)`);
  expect([status, depthOf(region as Region)]).toStrictEqual([200, depth]);
});

it('$levels of * ends at four, however deep $expand may be', async () => {
  const { ask } = await serveDocument(
    REGIONS,
    { 'GET /regions/1': { id: 1, parent_id: 1 } },
    onTestFinished,
    { QUERY_EXPAND_DEPTH: '10' },
  );
  const [status, region] = await ask('Region(1)?$select=Id&$expand=*($levels=max)');
  expect([status, depthOf(region as Region)]).toStrictEqual([200, 4]);
  expect(await ask('Region(1)?$expand=*($levels=5)')).toMatchObject([
    400,
    { error: { message: '$expand: expected at most 4 levels of * at position 0, found *($levels=5)' } },
  ]);
});

it('`npm test` runs all tests below test/ but those that have their own command', () => {
  const root = join(SOURCE, '..');
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });
  const { include = [], exclude = [] } = npmTest.test ?? {};
  const isRun = (file: string): boolean =>
    include.some((pattern) => matchesGlob(file, pattern)) &&
    !exclude.some((pattern) => matchesGlob(file, pattern));
  const folders = new Set(files.filter((file) => !isRun(file)).map((file) => file.split('/')[1]));
  expect([...folders].toSorted()).toStrictEqual(['clients', 'conformance', 'package', 'reliability']);
  const ci = readFileSync(join(root, '.ci/run'), 'utf8');
  for (const command of ['npm test', 'npm run test:clients', 'npm run test:package', 'npm run conformance']) {
    expect(ci).toContain(`${command} --`);
  }
  expect(ci).toContain('npm run reliability -- --exclude');
});
