import { describe, expect, it, onTestFinished } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject } from '../support/temporary-project.ts';

/** An upstream that answers to each path below which it knows one with rows that say where it is. */
async function startUpstream(name: string): Promise<StandInUpstream> {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const row = (id: string) => ({ id, at: `${name} ${target}` });
    const [, id] = /\/(?:reports|things|notes)\/(\w+)/.exec(target) ?? [];
    reply.json(id === undefined ? [row('1'), row('2')] : row(id));
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

const ok = (schema: string) => `{ '200': { content: { application/json: { schema: ${schema} } } } }`;

/** A list and an item read; `pathServers` are those of the list's path, `more` stands in the operation that reads an item. */
function pair(path: string, pathServers = '', more = ''): string {
  const name = path.slice(1);
  const schema = `{ $ref: '#/components/schemas/${name}' }`;
  const id = '{ name: id, in: path, required: true, schema: { type: string } }';
  const servers = pathServers === '' ? '' : `servers: [${pathServers}], `;
  return `
  ${path}: { ${servers}get: { operationId: ${name}, responses: ${ok(`{ type: array, items: ${schema} }`)} } }
  ${path}/{id}: { get: { operationId: ${name}Item, ${more}parameters: [${id}], responses: ${ok(schema)} } }`;
}

interface Served {
  ask(path: string): Promise<unknown>;
}

/** Serves a document of these servers and paths; `source` are further settings of its source. */
async function serve(servers: string, paths: string, source = '', more = ''): Promise<Served> {
  const row = '{ type: object, required: [id], properties: { id: { type: string }, at: { type: string } } }';
  const schemas = ['things', 'reports', 'notes'].map((name) => `${name}: ${row}`).join();
  const document = `openapi: 3.1.0\ninfo: { title: T, version: '1' }\nservers: [${servers}]\n${more}paths:${paths}\ncomponents: { schemas: { ${schemas} } }\n`;
  const handler = `{ openapi: { source: ./api.yaml${source} } }`;
  const project = createProject({
    'api.yaml': document,
    '.meshrc.yaml': `sources:\n  - { name: T, handler: ${handler} }\n`,
  });
  const { gateway } = await serveProject(project);
  return {
    async ask(path) {
      const response = await fetch(`${gateway.url}/odata/${path}`);
      const { value, At, error } = (await response.json()) as Record<string, unknown>;
      return error ?? value ?? At;
    },
  };
}

const where = (...places: readonly string[]) => places.map((At, index) => ({ Id: String(index + 1), At }));
const listed = (place: string) => where(place, place);

describe('the server of an operation (OpenAPI 3.1.1, 4.8.5, 4.8.9 and 4.8.10)', () => {
  it('is that of the path, or of the operation, in the place of the document’s', async () => {
    const [main, other] = [await startUpstream('main'), await startUpstream('other')];
    const paths =
      pair('/things') +
      pair('/reports', `{ url: '${other.url}/r' }`, `servers: [{ url: '${other.url}/items/' }], `);
    const served = await serve(`{ url: '${main.url}/v1' }`, paths);
    expect(await served.ask('Things')).toEqual(listed('main /v1/things'));
    expect(await served.ask('Reports')).toEqual(listed('other /r/reports'));
    expect(await served.ask("Reports('7')")).toBe('other /items/reports/7');
  });

  it('has its variables’ defaults, and may be relative to the document’s', async () => {
    const main = await startUpstream('main');
    const paths =
      pair('/reports', "{ url: '/{version}', variables: { version: { default: v2 } } }") +
      pair('/notes', "{ url: 'beta' }");
    const served = await serve(`{ url: '${main.url}/v1' }`, paths);
    expect(await served.ask('Reports')).toEqual(listed('main /v2/reports'));
    expect(await served.ask("Reports('7')")).toBe('main /v1/reports/7');
    expect(await served.ask('Notes')).toEqual(listed('main /v1/beta/notes'));
  });

  it('gets what the source gives only if it has the origin of the endpoint', async () => {
    const [main, other] = [await startUpstream('main'), await startUpstream('other')];
    const paths = pair('/things', "{ url: '/v2' }") + pair('/reports', `{ url: '${other.url}' }`);
    const given = ', operationHeaders: { authorization: Bearer s3cret }, queryParams: { key: k1 }';
    const served = await serve(`{ url: '${main.url}/v1' }`, paths, given);
    expect(await served.ask('Things')).toEqual(listed('main /v2/things?key=k1'));
    expect(await served.ask('Reports')).toEqual(listed('other /reports'));
    expect(main.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer s3cret']);
    expect(other.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined]);
  });

  it('moves with the document’s server if the project has an endpoint', async () => {
    const upstream = await startUpstream('own');
    const paths =
      pair('/things') +
      pair('/reports', "{ url: 'https://api.example.com/v2' }") +
      pair('/notes', "{ url: 'https://other.example.com' }");
    const served = await serve(
      "{ url: 'https://api.example.com/v1' }",
      paths,
      `, endpoint: '${upstream.url}/acme/v1'`,
    );
    expect(await served.ask('Things')).toEqual(listed('own /acme/v1/things'));
    expect(await served.ask('Reports')).toEqual(listed('own /acme/v2/reports'));
    expect(await served.ask('Notes')).toMatchObject({ code: 'NotFound' });
  });

  it.each([
    ["{ url: 'https://{region}.example.com' }", ''],
    ["{ url: 'https://other.example.com' }", 'security: [{ key: [] }]\n'],
  ])('leaves out an operation that cannot be called there: %s', async (server, security) => {
    const main = await startUpstream('main');
    const paths = pair('/things') + pair('/reports', server, `servers: [${server}], `);
    const served = await serve(`{ url: '${main.url}' }`, paths, '', security);
    expect(await served.ask('Things')).toEqual(listed('main /things'));
    expect(await served.ask('Reports')).toMatchObject({ code: 'NotFound' });
  });

  it('is where its next pages are', async () => {
    const main = await startUpstream('main');
    const other = await startStandInUpstream(({ target, headers }, reply) => {
      const isFirst = target === '/deep/reports';
      const next = { link: `<http://${headers['host']}/deep/reports?page=2>; rel="next"` };
      reply.json([{ id: isFirst ? '1' : '2', at: target }], isFirst ? next : {});
    });
    onTestFinished(() => other.close());
    const paths = pair('/things') + pair('/reports', `{ url: '${other.url}/deep' }`);
    const served = await serve(`{ url: '${main.url}/v1' }`, paths);
    expect(await served.ask('Reports?$orderby=Id')).toEqual(where('/deep/reports', '/deep/reports?page=2'));
  });
});
