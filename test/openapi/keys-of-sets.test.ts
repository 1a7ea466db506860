import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const JSON_OF = (schema: string) =>
  `responses: { "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`;
const SONG = '{ $ref: "#/components/schemas/Song" }';
const SONGS = JSON_OF(`{ type: array, items: ${SONG} }`);
const byParameter = (name: string) =>
  `parameters: [{ name: ${name}, in: path, required: true, schema: { type: string } }], ${JSON_OF(SONG)}`;

const GENRES = [
  `/genres: { get: { ${SONGS} } }`,
  `/genres/{genreName}: { get: { ${byParameter('genreName')} } }`,
];
const ITEMS = [
  `/songs: { get: { ${SONGS} } }`,
  `/songs/{songId}: { get: { ${byParameter('songId')} }, delete: { parameters: [{ name: songId, in: path, required: true, schema: { type: string } }], responses: { "204": { description: Gone } } } }`,
];
const LATEST = [`/latest: { get: { ${SONGS} } }`];

const documentOf = (...paths: readonly string[]) => `
openapi: 3.0.3
info: { title: Test, version: "1" }
x-odata: { namespace: Test, grants: { User: [View, Delete] } }
paths:
${paths.map((path) => `  ${path}`).join('\n')}
components:
  schemas:
    Song: { type: object, properties: { name: { type: string, nullable: true }, id: { type: string }, year: { type: integer } } }
`;

const ROCK = { name: 'Rock', id: '7', year: 1954 };
const OTHER = { name: 'Rock', id: '8', year: 1999 };
const ANSWERS = {
  'GET /genres': [ROCK],
  'GET /genres/Rock': ROCK,
  'GET /songs': [ROCK, OTHER],
  'GET /songs/8': OTHER,
  'GET /latest': [OTHER, ROCK],
  'DELETE /songs/8': {},
};

describe.each([
  ['by name first', [...GENRES, ...ITEMS, ...LATEST]],
  ['by identifier first', [...LATEST, ...ITEMS, ...GENRES]],
])('sets of one schema that are read %s', (_, paths) => {
  it('have each its own key, and the type of the schema is told apart by the identifier', async () => {
    const { ask, csdl, lastSent } = await serveDocument(documentOf(...paths), ANSWERS);
    expect((await csdl('<EntitySet ')).toSorted()).toEqual([
      expect.stringContaining('<EntitySet Name="Genres" EntityType="Test.Genre"'),
      expect.stringContaining('<EntitySet Name="Latest" EntityType="Test.Song"'),
      expect.stringContaining('<EntitySet Name="Song" EntityType="Test.Song"'),
    ]);
    const rock = { Name: 'Rock', Id: '7', Year: 1954 };
    const other = { Name: 'Rock', Id: '8', Year: 1999 };
    expect(await ask("Genres('Rock')")).toEqual([200, rock]);
    expect(lastSent()).toBe('GET /genres/Rock');
    expect(await ask("Song('8')")).toEqual([200, other]);
    expect(lastSent()).toBe('GET /songs/8');
    expect(await ask("Latest('8')")).toEqual([200, other]);
    expect(lastSent()).toBe('GET /latest');
    expect(await ask("Song('8')", 'DELETE')).toEqual([204]);
    expect(lastSent()).toBe('DELETE /songs/8');
    expect(await ask("Genres('Rock')", 'DELETE')).toMatchObject([405, {}]);
  });

  it('are objects of their own types in GraphQL', async () => {
    const { query } = await serveDocument(documentOf(...paths), ANSWERS);
    expect(
      await query('{ genre(name: "Rock") { id __typename } song(id: "8") { name __typename } }'),
    ).toEqual({
      data: { genre: { id: '7', __typename: 'Genre' }, song: { name: 'Rock', __typename: 'Song' } },
    });
  });
});

describe('a set whose entities a path reads by name, alone', () => {
  it('has the type of the schema', async () => {
    const { ask, csdl } = await serveDocument(documentOf(...GENRES), ANSWERS);
    expect(await csdl('<PropertyRef')).toEqual(['<PropertyRef Name="Name"/>']);
    expect(await ask("Genres('Rock')")).toEqual([200, { Name: 'Rock', Id: '7', Year: 1954 }]);
  });

  it('leaves a set beside it, of which nothing is read, its identifiers', async () => {
    const { ask, csdl } = await serveDocument(documentOf(...GENRES, ...LATEST), ANSWERS);
    expect(await csdl('<PropertyRef')).toEqual(['<PropertyRef Name="Id"/>', '<PropertyRef Name="Name"/>']);
    expect(await ask("Latest('8')")).toEqual([200, { Name: 'Rock', Id: '8', Year: 1999 }]);
  });
});
