import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Faces, openFaces, requestOf, userWith } from '../auth/faces.ts';

const ANSWER = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const one = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const many = (name: string) => ({ type: 'array', items: one(name) });
const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
const functionNamed = (name: string) => ({ function: name, grants: { User: ['Call'], Reader: ['Call'] } });

/** Users see all; readers see no people, who stand in posts and notes. */
const ALL = { grants: { User: ['View'], Reader: ['View'] } };

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Posts', version: '1' },
  'x-odata': { namespace: 'Test' },
  paths: {
    '/posts': { get: { operationId: 'posts', responses: ANSWER(many('Post')) } },
    '/posts/{id}': { get: { operationId: 'post', parameters, responses: ANSWER(one('Post')) } },
    '/posts/{id}/notes': { get: { operationId: 'postNotes', parameters, responses: ANSWER(many('Note')) } },
    '/notes': { get: { operationId: 'notes', responses: ANSWER(many('Note')) } },
    '/notes/{id}': { get: { operationId: 'note', parameters, responses: ANSWER(one('Note')) } },
    '/people': { get: { operationId: 'people', responses: ANSWER(many('Person')) } },
    '/people/{id}': { get: { operationId: 'person', parameters, responses: ANSWER(one('Person')) } },
    '/best': {
      get: { operationId: 'best', 'x-odata': functionNamed('Best'), responses: ANSWER(many('Post')) },
    },
    '/top': { get: { operationId: 'top', 'x-odata': functionNamed('Top'), responses: ANSWER(one('Post')) } },
  },
  components: {
    schemas: {
      Post: { type: 'object', properties: { id: { type: 'string' }, owner: one('Person') }, 'x-odata': ALL },
      Note: {
        type: 'object',
        properties: { id: { type: 'string' }, text: { type: 'string' }, writer: one('Person') },
        'x-odata': ALL,
      },
      Person: {
        type: 'object',
        properties: { id: { type: 'string' }, text: { type: 'string' } },
        'x-odata': { grants: { User: ['View'] } },
      },
    },
  },
};

const X = { id: 'p', text: 'x' };
const Y = { id: 'q', text: 'y' };
const POSTS = [
  { id: '1', owner: X },
  { id: '2', owner: Y },
];
const NOTES = [
  { id: 'n', text: 'x', writer: X },
  { id: 'm', text: 'y' },
];

const ANSWERS: Readonly<Record<string, unknown>> = {
  '/posts': POSTS,
  '/best': POSTS,
  '/posts/1': POSTS[0],
  '/top': POSTS[0],
};

let faces: Faces;
beforeAll(async () => {
  faces = await openFaces('Posts', DOCUMENT, ({ target }, reply) => reply.json(ANSWERS[target] ?? NOTES));
});
afterAll(() => faces.close());

async function ask(role: string, path: string): Promise<readonly [number, unknown]> {
  const { status, body } = await faces.odata(requestOf(userWith(role), `GET /${path}`));
  const { '@odata.context': _, '@context': __, ...json } = JSON.parse(String(body));
  return [status, json];
}

const note = (id: string) => ({ Id: id, Text: id === 'n' ? 'x' : 'y' });
const posts = (...notes: readonly (readonly string[])[]) => ({
  value: notes.map((ids, index) => ({ Id: String(index + 1), Notes: ids.map(note) })),
});

const CASES: readonly (readonly [string, unknown])[] = [
  ["Post?$filter=Owner/Text eq 'x'", { value: [{ Id: '1' }] }],
  ['Post?$expand=Notes($filter=$it/Owner/Text eq Text)', posts(['n'], ['m'])],
  ["Post?$expand=Notes($filter=$it/Owner/Text eq 'x')", posts(['n', 'm'], [])],
  ['Post?$select=Id&$expand=Notes($filter=Text eq $it/Owner/Text)', posts(['n'], ['m'])],
  ['Post?$expand=Notes($filter=Writer/Text eq $it/Owner/Text)', posts(['n'], [])],
  ["Post('1')?$expand=Notes($filter=$it/Owner/Text eq Text)", { Id: '1', Notes: [note('n')] }],
  ["Best()?$filter=Owner/Text eq 'x'", { value: [{ Id: '1' }] }],
  ['Best()?$orderby=Owner/Text desc', { value: [{ Id: '2' }, { Id: '1' }] }],
  ['Best()?$compute=Owner/Text as T&$select=T', { value: [{ T: 'x' }, { T: 'y' }] }],
  ['Best()?$expand=Notes($filter=$it/Owner/Text eq Text)', posts(['n'], ['m'])],
  [
    'Best()?$expand=Owner($select=Text)',
    {
      value: [
        { Id: '1', Owner: { Text: 'x' } },
        { Id: '2', Owner: { Text: 'y' } },
      ],
    },
  ],
  ['Top()?$compute=Owner/Text as T&$select=T', { T: 'x' }],
  ['Top()?$expand=Notes($filter=$it/Owner/Text eq Text)', { Id: '1', Notes: [note('n')] }],
];

describe('entities that stand in others', () => {
  it.each(CASES)('are read by who may see them, and by nobody else: %s', async (path, expected) => {
    const [status, found] = await ask('User', path);
    expect([status, JSON.parse(JSON.stringify(found, withoutControl))]).toStrictEqual([200, expected]);
    expect([400, 403]).toContain((await ask('Reader', path))[0]);
  });

  it.each(['Post', 'Best()', 'Top()', 'Post?$expand=Notes', 'Best()?$expand=Notes'])(
    'are in no answer that does not ask for them: %s',
    async (path) => {
      for (const role of ['User', 'Reader']) {
        const [status, found] = await ask(role, path);
        expect([status, JSON.stringify(found).match(/Owner|Writer|"[pq]"/)]).toStrictEqual([200, null]);
      }
    },
  );
});

function withoutControl(name: string, value: unknown): unknown {
  return name.includes('@') ? undefined : value;
}
