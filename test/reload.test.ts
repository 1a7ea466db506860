import { once } from 'node:events';
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from './support/stand-in-upstream.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
} from './support/temporary-project.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(anyApi);
});
afterAll(() => upstream.close());

/** Has one entity at every path, and takes others. */
const anyApi: Behaviour = ({ method, target }, reply) => {
  const entity = { userId: 1, id: 1, title: target, body: 'x' };
  if (method === 'POST') reply.send(201, JSON.stringify(entity));
  else reply.json(/\d$/.test(target) ? entity : [entity]);
};

const postsSource = (): string => sourceOf('Posts', './openapi/api.yaml', upstream.url);

function postsProject() {
  return createProject({
    '.meshrc.yaml': `sources:\n${postsSource()}`,
    'openapi/api.yaml': documentOf('Post'),
  });
}

/** Maximum duration of a reload on a busy machine. */
const PATIENCE = { timeout: 15_000, interval: 20 };

async function expectServed(gateway: ProjectGateway, names: readonly string[]): Promise<void> {
  await vi.waitFor(async () => expect(await gateway.entitySets()).toStrictEqual(names), PATIENCE);
}

const RELOADED = 'serving the changed project';
const REFUSED = 'the changed project cannot be served: the earlier one stays in service';

/** Waits for that many entries with the message; gives the last one. */
async function expectLogged(gateway: ProjectGateway, message: string, count = 1) {
  const found = () => gateway.entries().filter(({ msg }) => msg === message);
  await vi.waitFor(() => expect(found()).toHaveLength(count), PATIENCE);
  return found().at(-1);
}

describe('a changed document', () => {
  it('is served in the place of the earlier one, at every part', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
    expect(await gateway.json("/odata/Note('1')")).toMatchObject({ Title: '/notes/1' });
    expect(await gateway.json('/graphql?query={notes{id}}')).toStrictEqual({
      data: { notes: [{ id: '1' }] },
    });
    expect(await gateway.json('/')).toMatchObject({
      entitySets: [{ name: 'Note', href: 'odata/Note' }],
    });
    expect((await fetch(`${gateway.gateway.url}/odata/Post`)).status).toBe(404);
    expect(await expectLogged(gateway, RELOADED)).toMatchObject({
      level: 'info',
      added: ['Note'],
      removed: ['Post'],
      upstreams: [{ name: 'Posts', endpoint: upstream.url }],
    });
  });

  it('is noticed where another file takes its place, again and again', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    for (const name of ['Note', 'Task', 'Book']) {
      project.replace('openapi/api.yaml', documentOf(name));
      await expectServed(gateway, [name]);
    }
  });

  it('is noticed where its directory is replaced', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    project.write('next/api.yaml', documentOf('Note'));
    renameSync(project.path('openapi'), project.path('earlier'));
    renameSync(project.path('next'), project.path('openapi'));
    await expectServed(gateway, ['Note']);
    project.write('openapi/api.yaml', documentOf('Task'));
    await expectServed(gateway, ['Task']);
  });

  it('is noticed where a link leads to another directory, as in a mounted configuration', async () => {
    const project = createProject({
      '.meshrc.yaml': `sources:\n${postsSource()}`,
      'versions/1/api.yaml': documentOf('Post'),
      'versions/2/api.yaml': documentOf('Note'),
      'openapi/readme': '',
    });
    symlinkSync(project.path('versions/1'), project.path('openapi/data'));
    symlinkSync('data/api.yaml', project.path('openapi/api.yaml'));
    const gateway = await serveProject(project);
    symlinkSync(project.path('versions/2'), project.path('openapi/data.new'));
    renameSync(project.path('openapi/data.new'), project.path('openapi/data'));
    await expectServed(gateway, ['Note']);
    project.write('versions/2/api.yaml', documentOf('Task'));
    await expectServed(gateway, ['Task']);
  });

  it('that has nothing to serve is served all the same', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    project.write('openapi/api.yaml', 'openapi: 3.1.0\ninfo: { title: Empty, version: "1" }\npaths: {}');
    await expectServed(gateway, []);
  });

  it('is read once for all that happens to it meanwhile', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    for (let part = 0; part < 20; part += 1) {
      project.write('openapi/api.yaml', documentOf('Note').slice(0, 200 * part));
    }
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
    expect(gateway.entries().filter(({ msg }) => msg === REFUSED)).toStrictEqual([]);
  });

  it('that says the same is left alone', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    project.replace('openapi/api.yaml', documentOf('Post'));
    project.write('.meshrc.yaml', `sources:\n${postsSource()}`);
    await delay(300);
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
    await expectLogged(gateway, RELOADED, 1);
  });
});

const BROKEN: readonly (readonly [what: string, file: string, text: string, why: RegExp])[] = [
  [
    'malformed YAML',
    'openapi/api.yaml',
    'a: [b',
    /Posts: .*api\.yaml: It is neither YAML nor JSON: Flow sequence/,
  ],
  [
    'malformed JSON',
    'openapi/api.yaml',
    '{"openapi": "3.1.0",',
    /Posts: .*api\.yaml: It is neither YAML nor JSON: Flow map/,
  ],
  ['an empty file', 'openapi/api.yaml', '', /Posts: .*api\.yaml: The file is empty/],
  [
    'another kind of document',
    'openapi/api.yaml',
    'hello: world',
    /Posts: .*api\.yaml: It is not an OpenAPI document/,
  ],
  [
    'a malformed project file',
    '.meshrc.yaml',
    'sources: [',
    /\.meshrc\.yaml cannot be read: It is neither YAML nor JSON: Flow sequence/,
  ],
  [
    'mistakes in the project file',
    '.meshrc.yaml',
    'sources: []\nhello: 1',
    /"hello" is not served.*"sources"/s,
  ],
  [
    'a document that is not there',
    '.meshrc.yaml',
    `sources:\n${sourceOf('Posts', './none/none.yaml', 'http://localhost')}`,
    /none\.yaml: The file cannot be read: there is no file/,
  ],
];

describe('a project that cannot be served', () => {
  it.each(BROKEN)(
    'because of %s leaves the earlier one serving until it is repaired',
    async (_, file, text, why) => {
      const project = postsProject();
      const gateway = await serveProject(project);
      project.write(file, text);
      const entry = await expectLogged(gateway, REFUSED);
      expect(entry).toMatchObject({ level: 'error', err: { message: expect.stringMatching(why) } });
      expect(gateway.entries().filter(({ level }) => level === 'error')).toHaveLength(1);
      expect(await gateway.entitySets()).toStrictEqual(['Post']);
      expect(await gateway.json('/odata/Post')).toMatchObject({ value: [{ Title: '/posts' }] });
      expect(await gateway.json('/health/ready')).toStrictEqual({ status: 'ready' });

      project.write('openapi/api.yaml', documentOf('Note'));
      project.write('.meshrc.yaml', `sources:\n${postsSource()}`);
      await expectServed(gateway, ['Note']);
    },
  );

  it('because its document is gone is repaired by the document', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    unlinkSync(project.path('openapi/api.yaml'));
    await expectLogged(gateway, REFUSED, 1);
    rmSync(project.path('openapi'), { recursive: true });
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
  });

  it('because its new document is not there yet is repaired when that comes', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    project.write('.meshrc.yaml', `sources:\n${sourceOf('Posts', './other/deep/api.yaml', upstream.url)}`);
    await expectLogged(gateway, REFUSED, 1);
    project.write('other/deep/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
  });
});

describe('a changed project file', () => {
  it('adds a source, whose document is watched from then on, and takes it away', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    project.write('more/notes.yaml', documentOf('Note'));
    const notes = sourceOf('Notes', './more/notes.yaml', `${upstream.url}/v2`, { 'x-key': 'k' });
    project.write('.meshrc.yaml', `sources:\n${postsSource()}${notes}`);
    await expectServed(gateway, ['Post', 'Note']);
    expect(await gateway.json('/odata/Post')).toMatchObject({ value: [{ Title: '/posts' }] });
    expect(await gateway.json('/odata/Note')).toMatchObject({ value: [{ Title: '/v2/notes' }] });
    expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'x-key': 'k' });
    expect(await expectLogged(gateway, RELOADED)).toMatchObject({ added: ['Note'], removed: [] });

    project.write('more/notes.yaml', documentOf('Task'));
    await expectServed(gateway, ['Post', 'Task']);

    project.write('.meshrc.yaml', `sources:\n${postsSource()}`);
    await expectServed(gateway, ['Post']);
  });

  it('changes the upstream', async () => {
    const other = await startStandInUpstream((_, reply) => reply.json([{ id: 7, title: 'other' }]));
    const project = postsProject();
    const gateway = await serveProject(project);
    project.write('.meshrc.yaml', `sources:\n${sourceOf('Posts', './openapi/api.yaml', other.url)}`);
    await expectLogged(gateway, RELOADED);
    expect(await gateway.json('/odata/Post?$select=Title')).toMatchObject({ value: [{ Title: 'other' }] });
    await other.close();
  });
});

describe('requests during a swap', () => {
  it('do not fail, over 10 swaps', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    const { url } = gateway.gateway;
    const statuses = new Map<number, number>();
    let isOver = false;
    const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const bodies = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"x"}' };
    const ask = async (path: string, init?: RequestInit): Promise<void> => {
      while (!isOver) {
        const response = await fetch(`${url}${path}`, init);
        await response.arrayBuffer();
        count(response.status);
      }
    };
    const asking = [
      ...Array.from({ length: 4 }, () => ask('/odata/Post?$orderby=Title')),
      ...Array.from({ length: 4 }, () => ask("/odata/Post('1')")),
      ask('/graphql?query={posts{id}}'),
      ask('/odata/$metadata'),
      ask('/'),
      ask('/odata/Post', bodies),
    ];
    for (let swap = 1; swap <= 10; swap += 1) {
      const change = documentOf('Post').replace('namespace: Posts', `namespace: Posts${swap}`);
      project.replace('openapi/api.yaml', change);
      await expectLogged(gateway, RELOADED, swap);
    }
    isOver = true;
    await Promise.all(asking);
    expect([...statuses.keys()].sort()).toStrictEqual([200, 201]);
  });

  it('are answered by what they began with, and its upstream is let go then', async () => {
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const slow = await startStandInUpstream(async ({ target }, reply) => {
      reached.resolve();
      await held.promise;
      reply.json([{ id: 1, title: target }]);
    });
    const project = postsProject();
    project.write('.meshrc.yaml', `sources:\n${sourceOf('Posts', './openapi/api.yaml', slow.url)}`);
    const gateway = await serveProject(project);
    const answer = gateway.json('/odata/Post?$select=Title');
    await reached.promise;
    project.write('.meshrc.yaml', `sources:\n${postsSource()}`);
    await expectLogged(gateway, RELOADED);
    expect(await gateway.json('/odata/Post')).toMatchObject({ value: [{ Body: 'x' }] });
    expect(slow.connections).toBe(1);
    held.resolve();
    expect(await answer).toMatchObject({ value: [{ Title: '/posts' }] });
    await vi.waitFor(() => expect(slow.connections).toBe(0), PATIENCE);
    await slow.close();
  });

  it('are answered where they had not called the upstream yet', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    const create = request(`${gateway.gateway.url}/odata/Post`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 13, expect: '100-continue' },
    });
    create.flushHeaders();
    await once(create, 'continue');
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
    create.end('{"title":"x"}');
    const [response] = await once(create, 'response');
    expect(response.statusCode).toBe(201);
    response.resume();
  });
});

/** An upstream that delays its responses until they are released. */
async function startHeldUpstream() {
  const held = Promise.withResolvers<void>();
  const slow = await startStandInUpstream(async ({ target }, reply) => {
    await held.promise;
    reply.json([{ id: 1, title: target }]);
  });
  return { slow, release: () => held.resolve() };
}

/** Asks for the posts, which the upstream is slow to give; gives the URL of the status monitor. */
async function askForLater({ gateway }: ProjectGateway): Promise<string> {
  const headers = { prefer: 'respond-async', 'odata-maxversion': '4.01' };
  const accepted = await fetch(`${gateway.url}/odata/Post?$select=Title`, { headers });
  expect(accepted.status).toBe(202);
  return accepted.headers.get('location') ?? '';
}

async function monitored(url: string) {
  const response = await fetch(url, { headers: { 'odata-maxversion': '4.01' } });
  const body = response.status === 202 ? undefined : await response.json();
  return { status: response.status, result: response.headers.get('asyncresult'), body };
}

async function expectAnswered(url: string) {
  await vi.waitFor(async () => expect((await monitored(url)).status).toBe(200), PATIENCE);
  return monitored(url);
}

// OData 4.01 Part 1, 11.6
describe('requests that are answered later', () => {
  it('are answered over a reload, and the earlier upstream is let go then', async () => {
    const { slow, release } = await startHeldUpstream();
    const project = postsProject();
    project.write('.meshrc.yaml', `sources:\n${sourceOf('Posts', './openapi/api.yaml', slow.url)}`);
    const gateway = await serveProject(project);
    const monitor = await askForLater(gateway);
    await vi.waitFor(() => expect(slow.connections).toBe(1), PATIENCE);
    project.write('.meshrc.yaml', `sources:\n${postsSource()}`);
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
    expect(await monitored(monitor)).toStrictEqual({ status: 202, result: null, body: undefined });
    expect(slow.connections).toBe(1);
    release();
    expect(await expectAnswered(monitor)).toStrictEqual({
      status: 200,
      result: '200',
      body: {
        '@context': `${gateway.gateway.url}/odata/$metadata#Post(Title)`,
        value: [{ '@id': "Post('1')", Title: '/posts' }],
      },
    });
    await vi.waitFor(() => expect(slow.connections).toBe(0), PATIENCE);
    await slow.close();
  });

  it('are there to be fetched where they were answered before the reload', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    const monitor = await askForLater(gateway);
    const before = await expectAnswered(monitor);
    project.write('openapi/api.yaml', documentOf('Note'));
    await expectServed(gateway, ['Note']);
    expect(await monitored(monitor)).toStrictEqual(before);
  });

  it('are given up where the earlier service does not come to an end in the grace', async () => {
    const { slow, release } = await startHeldUpstream();
    const project = postsProject();
    project.write('.meshrc.yaml', `sources:\n${sourceOf('Posts', './openapi/api.yaml', slow.url)}`);
    const gateway = await serveProject(project, { SHUTDOWN_GRACE_MS: '1' });
    const monitor = await askForLater(gateway);
    project.write('.meshrc.yaml', `sources:\n${postsSource()}`);
    await expectLogged(gateway, RELOADED);
    expect(await expectAnswered(monitor)).toStrictEqual({
      status: 200,
      result: '503',
      body: {
        error: {
          code: 'Overloaded',
          message: 'The service changed while it was working on this request: send it again.',
        },
      },
    });
    await vi.waitFor(() => expect(slow.connections).toBe(0), PATIENCE);
    release();
    await slow.close();
  });

  it('are given up where the gateway is stopped', async () => {
    const { slow, release } = await startHeldUpstream();
    const project = postsProject();
    project.write('.meshrc.yaml', `sources:\n${sourceOf('Posts', './openapi/api.yaml', slow.url)}`);
    const gateway = await serveProject(project);
    await askForLater(gateway);
    await vi.waitFor(() => expect(slow.connections).toBe(1), PATIENCE);
    await gateway.gateway.close();
    await vi.waitFor(() => expect(slow.connections).toBe(0), PATIENCE);
    expect(gateway.entries().filter(({ level }) => level === 'error')).toStrictEqual([]);
    release();
    await slow.close();
  });
});

describe('a gateway that is stopped', () => {
  it('ends in the middle of a reload without a word of failure', async () => {
    const project = postsProject();
    const gateway = await serveProject(project);
    project.write('openapi/api.yaml', documentOf('Note'));
    await delay(110);
    await gateway.gateway.close();
    expect(gateway.entries().filter(({ level }) => level === 'error')).toStrictEqual([]);
  });
});
