import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';

/** Notes whose create has no failure of its own, unlike that of posts. */
const DOCUMENT = documentOf('Note').replace(/^ *failure:.*\n/m, '');

async function serveNotes(behaviour: Behaviour, environment: Readonly<Record<string, string>> = {}) {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  const project = createProject({
    'notes.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', upstream.url)}`,
  });
  const { gateway } = await serveProject(project, environment);
  const outcome = async (init?: RequestInit) => {
    const response = await fetch(`${gateway.url}/odata/Note`, init);
    const { error } = (await response.json()) as { readonly error: { readonly code: string } };
    return [response.status, error.code, response.headers.get('retry-after')];
  };
  return {
    upstream,
    read: () => outcome(),
    create: () =>
      outcome({
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ Title: 'a', Body: 'b', UserId: 1 }),
      }),
  };
}

/** Works until the process has hardly done anything else since then, and for longer than the deadline. */
function workSince(start: EventLoopUtilization): void {
  for (;;) {
    const { utilization, active } = performance.eventLoopUtilization(start);
    if (utilization > 0.99 && active > 500) return;
  }
}

describe('a change to which no answer comes', () => {
  it.each<readonly [string, Behaviour, Readonly<Record<string, string>>]>([
    ['since the upstream is silent', () => undefined, { UPSTREAM_TIMEOUT_MS: '1000' }],
    ['since the connection breaks', (_, reply) => reply.reset(), {}],
    ['since a gateway behind this one has waited in vain', (_, reply) => reply.send(504), {}],
  ])('may have been made, %s', async (_, behaviour, environment) => {
    const scene = await serveNotes(behaviour, environment);
    expect(await scene.create()).toEqual([504, 'OutcomeUnknown', null]);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('has not been made where it could not be sent', async () => {
    const scene = await serveNotes(() => undefined);
    await scene.upstream.close();
    expect(await scene.create()).toEqual([502, 'UpstreamUnavailable', null]);
  });
});

const PHOTO = "{ $ref: '#/components/schemas/Photo' }";
const ID = '{ name: id, in: path, required: true, schema: { type: string } }';
const json = (schema: string) => `{ '200': { content: { application/json: { schema: ${schema} } } } }`;

const PHOTOS = `
openapi: 3.1.0
info: { title: Photos, version: '1' }
paths:
  /photos: { get: { operationId: photos, responses: ${json(`{ type: array, items: ${PHOTO} }`)} } }
  /photos/{id}: { get: { operationId: photo, parameters: [${ID}], responses: ${json(PHOTO)} } }
  /photos/{id}/content:
    get: { operationId: download, parameters: [${ID}], responses: { '200': { content: { image/png: {} } } } }
    put: { operationId: upload, parameters: [${ID}], requestBody: { content: { image/png: {} } }, responses: { '204': {} } }
components:
  schemas:
    Photo:
      type: object
      required: [id]
      properties: { id: { type: string } }
      x-odata: { hasStream: true, stream: { get: download, put: upload } }`;

describe('a change of a stream to which no answer comes', () => {
  it('may have been made', async () => {
    const upstream = await startStandInUpstream(({ method }, reply) =>
      method === 'PUT' ? reply.reset() : reply.json({ id: '1' }),
    );
    onTestFinished(() => upstream.close());
    const project = createProject({
      'photos.yaml': PHOTOS,
      '.meshrc.yaml': `sources:\n${sourceOf('Photos', './photos.yaml', upstream.url)}`,
    });
    const { gateway } = await serveProject(project);
    const response = await fetch(`${gateway.url}/odata/Photo('1')/$value`, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: 'x',
    });
    expect([response.status, await response.json()]).toMatchObject([
      504,
      { error: { code: 'OutcomeUnknown' } },
    ]);
    expect(upstream.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'PUT /photos/1/content',
    ]);
  });
});

describe('an upstream', () => {
  it('that answers with 504 is late', async () => {
    const scene = await serveNotes((_, reply) => reply.send(504));
    expect(await scene.read()).toEqual([504, 'UpstreamTimeout', null]);
    expect(scene.upstream.requests).toHaveLength(2);
  });

  it.each([
    ['7', 1],
    ['0', 2],
  ])('that wants to be asked again after %s s is asked %i times', async (seconds, times) => {
    const scene = await serveNotes((_, reply) => reply.send(503, '', { 'retry-after': seconds }));
    expect(await scene.read()).toEqual([503, 'UpstreamUnavailable', seconds]);
    expect(scene.upstream.requests).toHaveLength(times);
  });

  it('is not blamed for an answer that comes while the gateway is busy', async () => {
    const scene = await serveNotes(() => undefined, { UPSTREAM_TIMEOUT_MS: '300' });
    const start = performance.eventLoopUtilization();
    scene.upstream.behave(() => workSince(start));
    expect(await scene.read()).toEqual([503, 'Overloaded', '1']);
  });
});
