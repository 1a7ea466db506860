import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type ReceivedRequest, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

/** A list of things, whose operation demands those parameters. */
const list = (path: string, parameters: string) => `
  /${path}:
    get:
      operationId: ${path.replaceAll(/\W/g, '')}
      parameters: [${parameters}]
      responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }`;

const parameter = (name: string, place: 'header' | 'query', schema: string) =>
  `{ name: ${name}, in: ${place}, required: true, schema: ${schema} }`;

/** A list at a path with parameters, and its entity below it. */
const below = (path: string, parameters: string) => `
  ${path}:
    get:
      parameters: [${parameters}]
      responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
  ${path}/{id}:
    get:
      parameters: [${parameters}, { name: id, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } } }`;

const inPath = (name: string, schema: string) =>
  `{ name: ${name}, in: path, required: true, schema: ${schema} }`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:${[
  list('authors', parameter('X-API-Key', 'header', '{ type: string }')),
  list(
    'keyed',
    [
      parameter('X-API-Key', 'header', '{ type: string }'),
      parameter('access_token', 'query', '{ type: string }'),
      parameter('jwt', 'query', '{ type: string }'),
    ].join(', '),
  ),
  list('tokens', parameter('access_token', 'query', '{ type: string }')),
  list(
    'sent',
    [
      parameter('User-Agent', 'header', '{ type: string }'),
      parameter('Accept-Encoding', 'header', '{ type: string }'),
      parameter('X-Request-ID', 'header', '{ type: string }'),
    ].join(', '),
  ),
  list(
    'fixed',
    [
      parameter('Api-Version', 'header', '{ type: string, enum: [v2] }'),
      parameter('format', 'query', '{ type: string, const: json }'),
      parameter('view', 'query', '{ type: string, default: full }'),
    ].join(', '),
  ),
  list('found', parameter('ids', 'query', '{ type: array, items: { type: integer } }')),
  list(
    'joined',
    '{ name: names, in: query, required: true, explode: false, schema: { type: array, items: { type: string } } }',
  ),
  below('/modes/{modes}/lines', inPath('modes', '{ type: array, items: { type: string } }')),
  list('tenants', parameter('Tenant-Id', 'header', '{ type: string }')),
  list(
    'near',
    [
      parameter('lat', 'query', '{ type: number }'),
      parameter('lng', 'query', '{ type: number, format: float }'),
    ].join(', '),
  ),
  below('/{format}/scores', inPath('format', '{ type: string, enum: [XML, JSON] }')),
  below('/v{version}/areas', inPath('version', '{ type: string, default: "3" }')),
  list('books.{ext}', inPath('ext', '{ type: string, enum: [json] }')),
  below('/{lang}/words', inPath('lang', '{ type: string, default: en }')),
  below('/{env}/doors', inPath('env', '{ type: string, enum: ["a/../b"] }')),
].join('')}
components:
  schemas:
    Thing: { type: object, properties: { id: { type: integer }, name: { type: string } } }
`;

describe('a list that demands parameters', () => {
  const received: ReceivedRequest[] = [];
  let url: string;

  beforeAll(async () => {
    const upstream = await startStandInUpstream((request, reply) => {
      received.push(request);
      const row = { id: 1, name: 'a' };
      reply.json(/\/\d$/.test(request.target) ? row : [row]);
    });
    atEndOfFile(() => upstream.close());
    const files = {
      'api.yaml': DOCUMENT,
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
    };
    ({
      gateway: { url },
    } = await serveProject(createProject(files, atEndOfFile), {}, atEndOfFile));
  });

  const read = async (path: string): Promise<readonly unknown[]> => {
    const response = await fetch(`${url}/odata/${path.replaceAll(' ', '%20')}`);
    const { value, error } = (await response.json()) as { value: unknown; error?: { message: string } };
    return [response.status, value ?? error?.message];
  };
  const ROWS = [{ Id: 1, Name: 'a' }];

  it('has its credentials from the project, and none from callers', async () => {
    expect(await read('Authors')).toStrictEqual([200, ROWS]);
    expect(await read('Keyed')).toStrictEqual([200, ROWS]);
    const { target, headers } = received.at(-1) ?? {};
    expect([target, headers?.['x-api-key']]).toStrictEqual(['/keyed', undefined]);
  });

  it('has those from callers that it is asked about', async () => {
    expect(await read("Tokens?$filter=AccessToken eq 'x'")).toStrictEqual([
      200,
      [{ AccessToken: 'x', Id: 1, Name: 'a' }],
    ]);
    expect(received.at(-1)?.target).toBe('/tokens?access_token=x');
  });

  it('has what the gateway sends with each call anyway', async () => {
    expect(await read('Sent')).toStrictEqual([200, ROWS]);
    const { headers } = received.at(-1) ?? {};
    expect(headers?.['user-agent']).toBe('duogate');
    expect(headers?.['x-request-id']).toMatch(/.{8}/);
  });

  it('has the only value that there is', async () => {
    expect(await read('Fixed')).toStrictEqual([200, ROWS]);
    const { target, headers } = received.at(-1) ?? {};
    expect(target?.split(/[?&]/).toSorted()).toStrictEqual(['/fixed', 'format=json', 'view=full']);
    expect(headers?.['api-version']).toBe('v2');
  });

  it('has other headers from a filter', async () => {
    const before = received.length;
    const [status, message] = await read('Tenants');
    expect([status, message, received.length]).toStrictEqual([
      400,
      "Tenants: expected a $filter that fixes TenantId, such as $filter=TenantId eq 'x'",
      before,
    ]);
    const rows = [{ TenantId: 't 1', Id: 1, Name: 'a' }];
    expect(await read("Tenants?$filter=TenantId eq 't 1'")).toStrictEqual([200, rows]);
    expect(received.at(-1)?.headers['tenant-id']).toBe('t 1');
    expect((await read(`Tenants?$filter=TenantId eq 't%0d%0aX-Evil: 1'`))[0]).toBe(400);
    expect(received.length).toBe(before + 1);
  });

  it.each([
    ['JSONScores', '/JSON/scores'],
    ['Areas', '/v3/areas'],
  ])('%s has the one value in its path that there is', async (set, target) => {
    expect(await read(set)).toStrictEqual([200, ROWS]);
    expect(received.at(-1)?.target).toBe(target);
    expect((await fetch(`${url}/odata/${set}(1)`)).status).toBe(200);
    expect(received.at(-1)?.target).toBe(`${target}/1`);
  });

  it('has the end of its path', async () => {
    expect(await read('Books')).toStrictEqual([200, ROWS]);
    expect(received.at(-1)?.target).toBe('/books.json');
  });

  it.each(['Words', 'Doors'])('%s has a value in its path that only a caller can say', async (set) => {
    const before = received.length;
    expect([(await read(set))[0], received.length]).toStrictEqual([400, before]);
  });

  it.each([
    ['Found?$filter=Ids eq 7', '/found?ids=7', { Ids: 7 }],
    ["Joined?$filter=Names eq 'a b'", '/joined?names=a%20b', { Names: 'a b' }],
    ["ModesLines?$filter=Modes eq 'bus'", '/modes/bus/lines', { Modes: 'bus' }],
  ])('%s asks for a list of one', async (path, target, fixed) => {
    expect(await read(path)).toStrictEqual([200, [{ ...fixed, Id: 1, Name: 'a' }]]);
    expect(received.at(-1)?.target).toBe(target);
  });

  it('is asked for each of several values', async () => {
    const before = received.length;
    expect((await read('Found?$filter=Ids in (7,8)&$count=true'))[0]).toBe(200);
    expect(
      received
        .slice(before)
        .map(({ target }) => target)
        .toSorted(),
    ).toStrictEqual(['/found?ids=7', '/found?ids=8']);
  });

  it('has numbers with fractions from a filter', async () => {
    const path = 'Near?$filter=Lat eq 48.5 and Lng eq -2.25';
    expect(await read(path)).toStrictEqual([200, [{ Lat: 48.5, Lng: -2.25, Id: 1, Name: 'a' }]]);
    expect(received.at(-1)?.target).toBe('/near?lat=48.5&lng=-2.25');
  });
});

describe('what nearly every operation demands', () => {
  /** A document of twelve lists, of which so many demand those parameters. */
  const derived = (count: number, parameters: string) => {
    const paths = Array.from({ length: 12 }, (_, index) =>
      list(`list${index}`, index < count ? parameters : ''),
    );
    const document = parse(`paths:${paths.join('')}`);
    const components = { schemas: { Thing: { type: 'object', properties: { id: { type: 'integer' } } } } };
    return modelFromOpenApi([
      {
        name: 'Test',
        document: { openapi: '3.1.0', info: { title: 'T', version: '1' }, ...document, components },
      },
    ]);
  };
  const tenant = parameter('Tenant-Id', 'header', '{ type: string }');
  const login = parameter('login', 'query', '{ type: string }');
  const token = parameter('access_token', 'query', '{ type: string }');

  it.each([
    ['a header', 11, tenant],
    ['a parameter beside a credential', 12, `${login}, ${token}`],
    ['a parameter that is called like a credential', 11, parameter('acme_auth', 'query', '{ type: string }')],
    [
      'a parameter whose last word is that of a credential',
      12,
      parameter('vendorAuth', 'query', '{ type: string }'),
    ],
  ])('is for the project to give: %s', (_, count, parameters) => {
    const { lists, report } = derived(count, parameters);
    expect(new Set(lists.map(({ became }) => became))).toStrictEqual(new Set(['listOnlySet']));
    const reported = report.filter(({ rule }) => rule === 'parameter-is-demanded-everywhere');
    expect(reported[0]?.message).toMatch(
      /^Nearly every operation demands ".+", which callers do not give: (?:operationHeaders|queryParams) of the source can$/,
    );
  });

  it.each([
    ['a header that several do without', 10, tenant],
    ['a parameter that stands alone', 12, login],
    [
      'a parameter that ends like a credential within a word',
      12,
      parameter('monkey', 'query', '{ type: string }'),
    ],
    [
      'a parameter of some that is called like a credential',
      6,
      parameter('acme_auth', 'query', '{ type: string }'),
    ],
  ])('is not %s', (_, count, parameters) => {
    const { lists } = derived(count, parameters);
    expect(lists.filter(({ became }) => became === 'filteredSet').length).toBe(count);
  });
});
