import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from './support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from './support/temporary-project.ts';

/** An upstream that has one entity. */
async function startUpstream(title: string) {
  const upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title }]));
  onTestFinished(() => upstream.close());
  return upstream;
}

const BOOKS = sourceOf('Books', './apis/books.yaml', '{env.BOOKS_URL}/v1', {
  authorization: 'Bearer {env.BOOKS_TOKEN}',
});
const NOTES = sourceOf('Notes', './apis/notes.yaml', '{env.NOTES_URL}', { 'X-Api-Key': '{env.NOTES_KEY}' });

describe('a project in another folder', () => {
  it('is served, each source at its endpoint with its headers from the environment', async () => {
    const books = await startUpstream('A book');
    const notes = await startUpstream('A note');
    const project = createProject({
      'deep/.meshrc.yaml': `sources:\n${BOOKS}${NOTES}`,
      'deep/apis/books.yaml': documentOf('Book'),
      'deep/apis/notes.yaml': documentOf('Note'),
    });
    const gateway = await serveProject(project, {
      MESH_CONFIG: project.path('deep/.meshrc.yaml'),
      BOOKS_URL: books.url,
      BOOKS_TOKEN: 'secret',
      NOTES_URL: `${notes.url}/`,
      NOTES_KEY: 'key',
    });
    expect(await gateway.entitySets()).toStrictEqual(['Book', 'Note']);
    expect(await gateway.json('/odata/Book?$select=Title')).toMatchObject({ value: [{ Title: 'A book' }] });
    expect(await gateway.json('/odata/Note?$select=Title')).toMatchObject({ value: [{ Title: 'A note' }] });
    expect(await gateway.json('/graphql?query={books{title}notes{title}}')).toStrictEqual({
      data: { books: [{ title: 'A book' }], notes: [{ title: 'A note' }] },
    });
    const metadata = await (await fetch(`${gateway.gateway.url}/odata/$metadata`)).text();
    for (const namespace of ['Books', 'Notes']) expect(metadata).toContain(`Namespace="${namespace}"`);
    expect(new Set(books.requests.map(({ target }) => target))).toStrictEqual(new Set(['/v1/books']));
    expect(new Set(notes.requests.map(({ target }) => target))).toStrictEqual(new Set(['/notes']));
    for (const { headers } of books.requests) {
      expect(headers).toMatchObject({ authorization: 'Bearer secret' });
      expect(headers['x-api-key']).toBeUndefined();
    }
    for (const { headers } of notes.requests) {
      expect(headers).toMatchObject({ 'x-api-key': 'key' });
      expect(headers['authorization']).toBeUndefined();
    }
  });

  it('is served whole where two sources have the same names', async () => {
    const [first, second] = [await startUpstream('The first'), await startUpstream('The second')];
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('First', './api.yaml', first.url)}${sourceOf('Second', './api.yaml', second.url)}`,
      'api.yaml': documentOf('Post'),
    });
    const gateway = await serveProject(project);
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'SecondPost']);
    expect(await gateway.json('/odata/Post?$select=Title')).toMatchObject({
      value: [{ Title: 'The first' }],
    });
    expect(await gateway.json('/odata/SecondPost?$select=Title')).toMatchObject({
      value: [{ Title: 'The second' }],
    });
    const renamed = gateway.entries().filter(({ source, level }) => source === 'Second' && level === 'info');
    expect(renamed.map(({ msg }) => msg)).toContain('It is named SecondPost: the name Post is taken');
  });

  it('is not served where the environment gives no endpoint that can be called', async () => {
    const relative = sourceOf('Notes', './apis/notes.yaml', '{env.NOTES_URL:}');
    const project = createProject({
      '.meshrc.yaml': `sources:\n${relative}${BOOKS}`,
      'apis/notes.yaml': documentOf('Note').replace('https://jsonplaceholder.typicode.com', '/relative'),
      'apis/books.yaml': documentOf('Book'),
    });
    await expect(serveProject(project, { BOOKS_URL: 'nowhere' })).rejects.toThrow(
      /openapi\.endpoint" \(from the document's servers\[0\]\) must be an absolute.*openapi\.endpoint" must be an absolute/s,
    );
  });
});
