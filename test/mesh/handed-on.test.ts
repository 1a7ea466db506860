import { describe, expect, it, onTestFinished } from 'vitest';
import { type Behaviour, type ReceivedRequest, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Header fields that tell nothing of who sends them, nor what for. */
const USUAL = [
  'host',
  'connection',
  'content-length',
  'content-type',
  'accept',
  'accept-encoding',
  'user-agent',
];

function handedOn({ headers }: ReceivedRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !USUAL.includes(name)));
}

/** An API of notes, which answers each change with a note. */
async function serveNotes(behaviour?: Behaviour) {
  const note = { userId: 1, id: 1, title: 'a', body: 'b' };
  const upstream = await startStandInUpstream(
    behaviour ??
      (({ method, target }, reply) =>
        reply.send(
          method === 'POST' ? 201 : 200,
          JSON.stringify(target === '/notes' && method === 'GET' ? [note] : note),
        )),
  );
  onTestFinished(() => upstream.close());
  const project = createProject({
    'notes.yaml': documentOf('Note'),
    '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', upstream.url)}`,
  });
  const { gateway } = await serveProject(project);
  return {
    upstream,
    handedOn: () => upstream.requests.map(handedOn),
    send: (path: string, headers: Readonly<Record<string, string>>, body?: object) =>
      fetch(`${gateway.url}${path}`, {
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
  };
}

const OTHERS = { authorization: 'Bearer t', cookie: 'a=b', baggage: 'user=anna', forwarded: 'for=192.0.2.1' };
const REPEATED = {
  'idempotency-key': 'order-7',
  'repeatability-request-id': 'e5e0b5c5-6d0c-4cf2-9b8c-3d6a3f7c8f5d',
  'repeatability-first-sent': 'Tue, 15 Nov 1994 08:12:31 GMT',
};
const TRACED = { 'x-request-id': 'request-1', traceparent: TRACE, tracestate: 'vendor=1' };
const NOTE = { Title: 'a', Body: 'b', UserId: 1 };

describe('an upstream is sent', () => {
  it('the name and the trace of a read, and nothing else of the client’s', async () => {
    const scene = await serveNotes();
    await scene.send('/odata/Note', { ...TRACED, ...REPEATED, ...OTHERS, authorization: '' });
    expect(scene.handedOn()).toEqual([TRACED]);
  });

  it.each([
    'once upon a time',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b71692033-01',
    `${TRACE.toUpperCase()}`,
  ])('no trace that is none: %s', async (traceparent) => {
    const scene = await serveNotes();
    await scene.send('/odata/Note', { ...TRACED, traceparent });
    expect(scene.handedOn()).toEqual([{ 'x-request-id': 'request-1' }]);
  });

  it('a name of the gateway’s where the client gives none', async () => {
    const scene = await serveNotes();
    const { headers } = await scene.send('/odata/Note', {});
    expect(scene.handedOn()).toEqual([{ 'x-request-id': headers.get('x-request-id') }]);
  });

  it('what keeps a change from being made twice', async () => {
    const scene = await serveNotes();
    const { status } = await scene.send('/odata/Note', { ...TRACED, ...REPEATED }, NOTE);
    expect(status).toBe(201);
    expect(scene.handedOn()[0]).toEqual({ ...TRACED, ...REPEATED });
  });

  it('the trace of a batch with each part, and the keys of each part with it alone', async () => {
    const scene = await serveNotes();
    const part = (id: string, headers: object) => ({
      id,
      method: 'POST',
      url: 'Note',
      headers: { 'content-type': 'application/json', ...headers },
      body: NOTE,
    });
    const requests = [part('1', { 'idempotency-key': 'one' }), part('2', {})];
    await scene.send('/odata/$batch', { ...TRACED, ...REPEATED }, { requests });
    expect(scene.handedOn()).toEqual([{ ...TRACED, 'idempotency-key': 'one' }, TRACED]);
  });

  it('a key of its own with each change of one request', async () => {
    const scene = await serveNotes();
    const create = 'createNote(input: { title: "a", body: "b", userId: 1 }) { id }';
    const query = `mutation { a: ${create} b: ${create} }`;
    expect(await (await scene.send('/graphql', { ...TRACED, ...REPEATED }, { query })).json()).toEqual({
      data: { a: { id: '1' }, b: { id: '1' } },
    });
    expect(scene.handedOn()).toEqual([
      { ...TRACED, ...REPEATED },
      { ...TRACED, 'idempotency-key': 'order-7-2' },
    ]);
  });
});
