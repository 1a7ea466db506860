import { describe, expect, it } from 'vitest';
import { useLibrary } from './library-gateway.ts';
import { serveDocument } from './served-document.ts';

const { odata, graphql } = useLibrary();

/** The word is in a string of a derived type, in a complex value, or in a list of strings. */
const NARRATOR = 'Moravec';
const PUBLISHER = 'Blauwe';
const KEYWORD = 'BREAD';

describe('$search (Part 2, 5.1.8) in the library', () => {
  it.each([
    ['a derived type', `Book/$count?$search=${NARRATOR}`, '1'],
    ['a cast to it', `Book/Library.AudioBook/$count?$search=${NARRATOR}`, '1'],
    ['a cast to another one', `Book/Library.PrintedBook/$count?$search=${NARRATOR}`, '0'],
    ['a complex value', `Book/$count?$search=${PUBLISHER}`, '10'],
    ['a list of strings', `Book/$count?$search=${KEYWORD}`, '9'],
    ['an address', 'Member/$count?$search=Orchard', '8'],
    ['several places at once', `Book/$count?$search=${PUBLISHER} AND ${KEYWORD}`, '2'],
    ['what has none of them', `Book/$count?$search=NOT ${PUBLISHER} NOT ${KEYWORD}`, '43'],
    ['related entities', `Author/$count?$filter=Books/$count($search=${NARRATOR}) eq 1`, '1'],
    ['their own strings', 'Author/$count?$filter=Books/$count($search="Crooked Ferry") gt 0', '2'],
    [
      'a combination',
      `$crossjoin(Book,Author)/$count?$filter=Book/AuthorId eq Author/Id&$search=${NARRATOR}`,
      '1',
    ],
  ])('finds a word in %s', async (_, target, count) => {
    expect(await odata(`GET ${target}`)).toStrictEqual([200, count]);
  });

  it.each([
    ['$apply', `Book?$apply=search(${NARRATOR})/aggregate($count as N)`, [{ N: 1 }]],
    [
      '$expand',
      `Author?$expand=Books($search=${NARRATOR};$select=ISBN)&$filter=Books/$count($search=${NARRATOR}) gt 0&$select=Id`,
      [{ Id: 6, Books: [{ ISBN: '9783406895555' }] }],
    ],
    [
      '/$count in $expand',
      `Author?$expand=Books/$count($search=${PUBLISHER})&$filter=Id eq 1&$select=Id`,
      [{ Id: 1, 'Books@odata.count': 1 }],
    ],
  ])('finds a word in %s', async (_, target, found) => {
    const [, text] = await odata(`GET ${target}&$format=application/json;odata.metadata=none`);
    expect(JSON.parse(text).value).toStrictEqual(found);
  });

  it.each([
    ['the property', 'Book/$count?$search="title:crooked ferry"', '2'],
    ['a list of strings', 'Book/$count?$search="Keywords: bread"', '9'],
    ['a property of a derived type', `Book/$count?$search="Narrator:${NARRATOR}"`, '1'],
    ['another property', 'Book/$count?$search="Title:bread"', '0'],
    ['related entities', 'Author/$count?$filter=Books/$count($search="Title:Crooked Ferry") gt 0', '2'],
    ['no property, but text', 'Book/$count?$search="Crooked:Ferry"', '0'],
  ])('takes a name before a colon, as Microsoft Graph has it: %s', async (_, target, count) => {
    expect(await odata(`GET ${target}`)).toStrictEqual([200, count]);
  });

  it('shows nothing that was only searched', async () => {
    const [, text] = await odata(
      `GET Book?$search=${NARRATOR}&$select=Title&$format=application/json;odata.metadata=none`,
    );
    expect(JSON.parse(text).value).toStrictEqual([{ Title: 'Twelve Letters from Upper Fenn' }]);
  });

  it('finds the same in GraphQL', async () => {
    const found = await graphql(`{ books(search: "${NARRATOR.toLowerCase()}") { isbn } }`);
    expect(found).toStrictEqual({ data: { books: [{ isbn: '9783406895555' }] } });
  });
});

const DOCUMENT = `openapi: 3.1.0
info: { title: Parts, version: "1" }
paths:
  /parts:
    get:
      operationId: parts
      responses:
        "200":
          description: ok
          content:
            application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Part" } } }
  /parts/{id}:
    get:
      operationId: part
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        "200":
          description: ok
          content:
            application/json: { schema: { $ref: "#/components/schemas/Part" } }
components:
  schemas:
    Part:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int32 }
        size: { $ref: "#/components/schemas/Size" }
        notes: { type: array, items: { $ref: "#/components/schemas/Note" } }
        tags: { type: array, items: { type: [string, "null"] } }
        secrets: { type: array, items: { type: string }, x-odata: { searchable: false } }
    Size:
      type: object
      properties: { width: { type: number, format: double } }
    Note:
      type: object
      properties:
        text: { type: [string, "null"] }
        draft: { type: string, x-odata: { searchable: false } }
        answers: { type: array, items: { $ref: "#/components/schemas/Note" } }
`;

const PARTS = [
  {
    id: 1,
    size: null,
    notes: [{ text: 'Oak', answers: [{ text: 'Elm', answers: [{ text: 'Ash' }] }] }],
    tags: null,
  },
  { id: 2, size: { width: 2 }, notes: null, tags: [null, 'ash'], secrets: ['oak'] },
  { id: 3, notes: [{ text: null, draft: 'oak' }] },
];

describe('$search in a document', () => {
  it('goes through values that contain their own type, and past null and what is excluded', async () => {
    const served = await serveDocument(DOCUMENT, { 'GET /parts': PARTS });
    const find = async (word: string) => {
      const [, answer] = await served.ask(`Part?$search=${word}&$select=Id`);
      return (answer as { value: readonly { Id: number }[] }).value.map(({ Id }) => Id);
    };
    expect([await find('oak'), await find('elm'), await find('ASH'), await find('NOT ash')]).toStrictEqual([
      [1],
      [1],
      [1, 2],
      [3],
    ]);
  });
});
