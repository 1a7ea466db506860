import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const list = (name: string) =>
  `get: { responses: { "200": { description: OK, ${json(`{ type: array, items: ${ref(name)} }`)} } } }`;
const inPath = (...names: readonly string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`).join()}]`;
const patch = `patch: { requestBody: { ${json(ref('Note'))} }, responses: { "200": { description: OK, ${json(ref('Note'))} } } }`;
const remove = 'delete: { responses: { "204": { description: Gone } } }';

/** Entities that no path reads, although some change them. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths:
  /notes: { ${list('Note')} }
  /notes/{note_id}: { ${inPath('note_id')}, ${patch}, ${remove} }
  /boxes: { ${list('Box')} }
  /boxes/{id}: { ${inPath('id')}, get: { responses: { "200": { description: OK, ${json(ref('Box'))} } } } }
  /boxes/{id}/cards: { ${inPath('id')}, ${list('Card')} }
  /boxes/{id}/cards/{card}: { ${inPath('id', 'card')}, ${remove} }
  /rooms/{room}/seats: { ${inPath('room')}, ${list('Seat')} }
  /rooms/{room}/seats/{seatId}: { ${inPath('room', 'seatId')}, ${remove} }
  /followed: { ${list('Friend')} }
  /followed/{username}: { ${inPath('username')}, ${remove} }
  /members: { ${list('Member')} }
  /members/{member}: { ${inPath('member')}, ${remove} }
  /kinds/{kindId}: { ${inPath('kindId')}, ${remove} }
  /kinds: { ${list('Kind')} }
  /kinds/{id}: { ${inPath('id')}, get: { responses: { "200": { description: OK, ${json(ref('Kind'))} } } } }
  /tags/{label}: { ${inPath('label')}, ${remove} }
  /tags: { ${list('Kind')} }
  /tags/{id}: { ${inPath('id')}, get: { responses: { "200": { description: OK, ${json(ref('Kind'))} } } } }
  /boats: { ${list('Boat')} }
  /boats/{uuid}: { ${inPath('uuid')}, ${remove} }
  /cars/{uuid}: { ${inPath('uuid')}, ${remove} }
  /cars: { ${list('Boat')} }
  /cars/{id}: { ${inPath('id')}, get: { responses: { "200": { description: OK, ${json(ref('Boat'))} } } } }
components:
  schemas:
    Boat: { type: object, properties: { id: { type: string }, uuid: { type: string } } }
    Note: { type: object, properties: { id: { type: string }, text: { type: string } } }
    Box: { type: object, properties: { id: { type: string } } }
    Card: { type: object, properties: { id: { type: string } } }
    Seat: { type: object, properties: { id: { type: string } } }
    Friend: { type: object, properties: { id: { type: string } } }
    Member: { type: object, properties: { id: { type: integer } } }
    Kind: { type: object, properties: { id: { type: string } } }
`;

const GONE = Buffer.alloc(0);
const ANSWERS = {
  'GET /notes': [{ id: 'a', text: 'Hello' }],
  'PATCH /notes/a': { id: 'a', text: 'Bye' },
  'DELETE /notes/a': GONE,
  'GET /boxes': [{ id: 'b' }],
  'GET /boxes/b': { id: 'b' },
  'GET /boxes/b/cards': [{ id: 'c' }],
  'DELETE /boxes/b/cards/c': GONE,
  'GET /rooms/r/seats': [{ id: 's' }],
  'DELETE /rooms/r/seats/s': GONE,
  'DELETE /kinds/k': GONE,
};

describe('entities that are only listed', () => {
  it.each([
    ["Note('a')", 'DELETE /notes/a'],
    ["Box('b')/Cards('c')", 'DELETE /boxes/b/cards/c'],
    ["BoxesCards(BoxId='b',Id='c')", 'DELETE /boxes/b/cards/c'],
    ["RoomsSeats(Room='r',Id='s')", 'DELETE /rooms/r/seats/s'],
  ])('are deleted on the path of one: %s', async (resource, sent) => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await ask(resource, 'DELETE')).toEqual([204]);
    expect(lastSent()).toBe(sent);
  });

  it('are changed there', async () => {
    const { ask, lastSent, query } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await ask("Note('a')", 'PATCH', { Text: 'Bye' })).toEqual([204]);
    expect(lastSent()).toBe('PATCH /notes/a {"text":"Bye"}');
    expect(await query('mutation { updateNote(id: "a", input: { text: "Bye" }) { id text } }')).toEqual({
      data: { updateNote: { id: 'a', text: 'Bye' } },
    });
  });

  it.each([
    ['names something else than their key', "Followed('1')"],
    ['identifies them by something else than their key', "Boat('1')"],
    ['takes a text that may be a name, and the key is a number', 'Member(1)'],
  ])('are not where the path %s', async (_, resource) => {
    const rows = {
      'GET /followed': [{ id: '1' }],
      'GET /boats': [{ id: '1' }],
      'GET /members': [{ id: 1 }],
    };
    const { ask } = await serveDocument(DOCUMENT, rows);
    expect(await ask(resource, 'DELETE')).toEqual([405, expect.anything()]);
  });
});

describe('entities whose paths call their key by other names', () => {
  it('are changed by these, too', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await ask("Kind('k')", 'DELETE')).toEqual([204]);
    expect(lastSent()).toBe('DELETE /kinds/k');
  });

  it.each(["Tags('k')", "Cars('k')"])('are not by what may be something else: %s', async (resource) => {
    const { ask } = await serveDocument(DOCUMENT);
    expect(await ask(resource, 'DELETE')).toEqual([405, expect.anything()]);
  });
});
