import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AtEnd, atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  register,
  serveRegistry,
} from './registry-gateway.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => upstream.behave((_, reply) => reply.json([])));

/** One path more, one less, and one property longer. */
function changed(document: string): string {
  return document
    .replace('operationId: notes', 'operationId: notes\n      deprecated: true')
    .replace('examples: [On quiet mornings]', 'maxLength: 77')
    .replace(
      /^ {2}\/notes\/\{id\}:\n(?: {4,}.*\n|\n)+/m,
      '  /status:\n    head:\n      summary: Says it\n      responses: { "200": { description: Yes } }\n',
    );
}

const NOTES = { id: 'notes', method: 'GET', path: '/notes', summary: 'Lists all notes' };
const CHANGES = {
  changed: true,
  added: [{ id: 'HEAD /status', method: 'HEAD', path: '/status', summary: 'Says it' }],
  removed: [{ id: 'note', method: 'GET', path: '/notes/{id}', summary: expect.any(String) }],
  altered: [
    { ...NOTES, summary: expect.any(String), what: ['deprecated', 'schema Note'] },
    {
      id: 'createNote',
      method: 'POST',
      path: '/notes',
      summary: expect.any(String),
      what: ['schema Note'],
    },
  ],
};
const NOTHING = { changed: false, added: [], removed: [], altered: [] };

async function withNotes(environment = {}, atEnd?: AtEnd) {
  const project = postsProject('http://127.0.0.1:9', atEnd);
  const gateway = await serveRegistry(project, environment, atEnd);
  await register(gateway, 'Note', upstream.url);
  const fetchNotes = (body: object) => gateway.ask('POST', '/Notes/fetch', body);
  return { project, gateway, fetchNotes };
}

describe('fetching the operations of an API', () => {
  /** For what changes nothing. */
  let shared: Awaited<ReturnType<typeof withNotes>>;
  beforeAll(async () => {
    shared = await withNotes({}, atEndOfFile);
  });

  it('reads its file again and says what has changed', async () => {
    const { project, fetchNotes } = await withNotes();
    expect((await fetchNotes({})).body).toMatchObject(NOTHING);
    project.write('openapi/notes.yaml', changed(documentAt('Note', upstream.url)));
    const { status, body } = await fetchNotes({});
    const { api, ...changes } = body;
    expect([status, changes, api['operations']]).toStrictEqual([200, CHANGES, 3]);
    expect((await fetchNotes({})).body).toMatchObject(NOTHING);
  });

  it('reads the document at a URL, keeps it, and knows the URL the next time', async () => {
    const { project, fetchNotes } = await withNotes();
    const document = changed(documentAt('Note', upstream.url));
    upstream.behave((_, reply) => reply.send(200, document, { 'content-type': 'application/yaml' }));
    const url = `${upstream.url}/openapi.yaml`;
    const { status, body } = await fetchNotes({ url });
    const { api, ...changes } = body;
    expect([status, changes, api['fetchUrl'], api['errors']]).toStrictEqual([200, CHANGES, url, 0]);
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(document);
    expect((await fetchNotes({})).body).toMatchObject(NOTHING);
    expect(
      upstream.requests
        .slice(-2)
        .map(({ method, target, headers }) => [method, target, Object.keys(headers).sort()]),
    ).toStrictEqual(
      Array.from({ length: 2 }, () => [
        'GET',
        '/openapi.yaml',
        ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
      ]),
    );
    const requested = upstream.requests.length;
    expect((await fetchNotes({ url: '' })).body).toMatchObject(NOTHING);
    expect(upstream.requests).toHaveLength(requested);
  });

  it('has an API of the project served as it is then', async () => {
    const { gateway, fetchNotes } = await withNotes();
    await gateway.ask('POST', '/Notes/add');
    upstream.behave((_, reply) => reply.send(200, documentAt('Task', upstream.url)));
    expect(
      (await fetchNotes({ url: `${upstream.url}/x`, confirm: ['Note is no longer served.'] })).body.api,
    ).toMatchObject({
      state: 'live',
      entitySets: ['Task'],
    });
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Task']);
  });

  const REFUSED: readonly (readonly [string, (url: string) => string, number])[] = [
    ['another scheme', () => 'file:///etc/passwd', 403],
    ['no URL', () => 'notes.yaml', 403],
    ['credentials', (url) => url.replace('//', '//user:password@'), 403],
    ['a host that is not named', (url) => url.replace('127.0.0.1', 'localhost'), 403],
    ['a host by another notation', () => 'http://[::1]:1/', 403],
  ];
  it.each(REFUSED)('asks no URL with %s', async (_, urlOf, status) => {
    const requested = upstream.accepted;
    const answer = await shared.fetchNotes({ url: urlOf(upstream.url) });
    expect([answer.status, answer.body.error.target, upstream.accepted]).toStrictEqual([
      status,
      'url',
      requested,
    ]);
  });

  it('asks no host by a pattern that leads into the network of the operator', async () => {
    const { fetchNotes } = await withNotes({ REGISTRY_HOSTS: '127.0.0.1, *.localhost' });
    const requested = upstream.accepted;
    const answer = await fetchNotes({ url: upstream.url.replace('127.0.0.1', 'a.localhost') });
    expect([answer.status === 200, upstream.accepted]).toStrictEqual([false, requested]);
  });

  const ANSWERS: readonly (readonly [string, (gateway: RegistryGateway) => void, number, RegExp])[] = [
    [
      'redirects',
      () => upstream.behave((_, reply) => reply.send(302, '', { location: '/other' })),
      502,
      /status 302/,
    ],
    ['fails', () => upstream.behave((_, reply) => reply.send(500, 'secret')), 502, /status 500/],
    ['breaks off', () => upstream.behave((_, reply) => reply.reset()), 502, /cannot be fetched/],
    [
      'has no document',
      () => upstream.behave((_, reply) => reply.send(200, '<html>')),
      400,
      /not an OpenAPI document/,
    ],
    [
      'has too much',
      () => upstream.behave((_, reply) => reply.send(200, 'x'.repeat(5 * 1024 * 1024 + 1))),
      413,
      /5 MiB/,
    ],
  ];
  it.each(ANSWERS)('changes nothing where the URL %s', async (_, behave, status, message) => {
    const { project, gateway, fetchNotes } = shared;
    behave(gateway);
    const requested = upstream.requests.length;
    const answer = await fetchNotes({ url: `${upstream.url}/openapi.yaml` });
    expect([answer.status, answer.body.error.message]).toStrictEqual([
      status,
      expect.stringMatching(message),
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect(upstream.requests).toHaveLength(requested + 1);
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(documentAt('Note', upstream.url));
    expect((await gateway.ask('GET', '/Notes')).body['fetchUrl']).toBe(null);
  });
});
