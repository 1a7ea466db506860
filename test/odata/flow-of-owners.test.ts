import { beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject, sourceOf } from '../support/temporary-project.ts';

const SIZE = 100;
const OWNERS = 60;

const integer = { type: 'integer' };
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const listOf = (name: string) => ({
  type: 'object',
  properties: { items: { type: 'array', items: reference(name) } },
});
const pages = [
  { name: 'page', in: 'query', schema: { ...integer, default: 1 } },
  { name: 'limit', in: 'query', schema: { ...integer, maximum: SIZE } },
];
const owner = { name: 'ownerId', in: 'path', required: true, schema: integer };

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Repositories', version: '1' },
  paths: {
    '/owners': { get: { operationId: 'owners', parameters: pages, responses: answer(listOf('Owner')) } },
    '/owners/{ownerId}': {
      get: { operationId: 'owner', parameters: [owner], responses: answer(reference('Owner')) },
    },
    '/owners/{ownerId}/repos': {
      get: { operationId: 'repos', parameters: [owner, ...pages], responses: answer(listOf('Repo')) },
    },
  },
  components: {
    schemas: {
      Owner: { type: 'object', required: ['id'], properties: { id: integer } },
      Repo: {
        type: 'object',
        required: ['id'],
        properties: { id: integer, name: { type: 'string' } },
      },
    },
  },
};

/** Few repositories of most owners, and 3,000 of the fifth. */
const lengthOf = (id: number): number => (id === 5 ? 3_000 : id % 7 === 0 ? 0 : 40);

const reposOf = (id: number) =>
  Array.from({ length: lengthOf(id) }, (_, index) => ({ id: index + 1, name: `Repo ${id}.${index + 1}` }));

let upstream: StandInUpstream;
let served: ProjectGateway;
let broken: number | undefined;

beforeAll(async () => {
  upstream = await startStandInUpstream(({ target }, reply) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const [, , id, repos] = pathname.split('/');
    const begin = (Number(searchParams.get('page') ?? 1) - 1) * SIZE;
    const owners = Array.from({ length: OWNERS }, (_, index) => ({ id: index + 1 }));
    if (id === undefined) return reply.json({ items: owners.slice(begin, begin + SIZE) });
    if (repos === undefined) return reply.json(owners[Number(id) - 1]);
    if (Number(id) === broken) return reply.send(500, '{}');
    return reply.json({ items: reposOf(Number(id)).slice(begin, begin + SIZE) });
  });
  atEndOfFile(() => upstream.close());
  const project = createProject(
    {
      'api.json': JSON.stringify(DOCUMENT),
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.json', upstream.url)}`,
    },
    atEndOfFile,
  );
  served = await serveProject(project, { PAGES_ROWS: '2500' }, atEndOfFile);
});

const urlOf = (path: string) => `${served.gateway.url}/odata/${path}`;

async function passedOn(path: string): Promise<readonly [number, string | null, string]> {
  const response = await fetch(urlOf(path));
  const coding = response.headers.get('transfer-encoding');
  return [response.status, coding, Buffer.from(await response.arrayBuffer()).toString()];
}

const ALL = Array.from({ length: OWNERS }, (_, index) =>
  reposOf(index + 1).map(({ id, name }) => ({ owner: index + 1, id, name })),
).flat();

function linesOf(text: string): readonly object[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { OwnerId: of, Id: id, Name: name } = JSON.parse(line) as Record<string, unknown>;
      return { owner: of, id, name };
    });
}

describe('a set over all owners', () => {
  it('is passed on in the order of the owners, beyond what may be held', async () => {
    const [status, coding, text] = await passedOn('OwnersRepos?$format=jsonl');
    expect([status, coding]).toStrictEqual([200, 'chunked']);
    expect(linesOf(text)).toStrictEqual(ALL);
  });

  it('is passed on under conditions, and as a part', async () => {
    const [, coding, text] = await passedOn("OwnersRepos?$format=jsonl&$filter=contains(Name,'1')");
    expect(coding).toBe('chunked');
    expect(linesOf(text)).toStrictEqual(ALL.filter(({ name }) => name.includes('1')));
    const [, , part] = await passedOn('OwnersRepos?$format=jsonl&$skip=150&$top=3500');
    expect(linesOf(part)).toStrictEqual(ALL.slice(150, 3_650));
  });

  it('is held where it is short', async () => {
    const [, coding, text] = await passedOn('OwnersRepos?$format=jsonl&$top=900');
    expect([coding, linesOf(text)]).toStrictEqual([null, ALL.slice(0, 900)]);
  });

  it('is aggregated while it is read', async () => {
    const [status, , text] = await passedOn(
      'OwnersRepos?$apply=groupby((OwnerId),aggregate($count as Count))&$format=jsonl',
    );
    const counts = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly Count: number }).Count);
    expect([status, counts.reduce((sum, each) => sum + each, 0)]).toStrictEqual([200, ALL.length]);
  });

  it('breaks off where a later list fails, and is an error where an early one does', async () => {
    broken = 40;
    const response = await fetch(urlOf('OwnersRepos?$format=jsonl'));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    broken = 2;
    expect((await passedOn('OwnersRepos?$format=jsonl'))[0]).toBe(502);
    broken = undefined;
  });

  it('has no more lists read than a client waits for', async () => {
    const before = upstream.requests.length;
    const response = await fetch(urlOf('OwnersRepos?$format=jsonl'), { method: 'HEAD' });
    expect(response.status).toBe(200);
    await expect.poll(async () => (await fetch(urlOf('$metadata'))).status, { timeout: 5_000 }).toBe(200);
    expect(upstream.requests.length - before).toBeLessThan(40);
  });
});
