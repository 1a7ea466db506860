import { beforeAll, describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type RecordedLibrary, recordLibrary } from './recorded-library.ts';

let library: RecordedLibrary;
beforeAll(async () => {
  library = await recordLibrary(atEndOfFile);
});

/** The answer, and the calls that change something: whole bodies but for a PUT, of which the named member is shown. */
async function changed(mutation: string, shown?: string): Promise<readonly unknown[]> {
  library.takeChanges();
  const answer = await library.graphql(`mutation { ${mutation} }`);
  const calls = library.takeChanges().map((call) => {
    const [method = '', target = '', body] = call.split(/ (.*?) (.*)/s);
    return method === 'PUT' && body && shown ? `PUT ${target} ${shown}: ${JSON.parse(body)[shown]}` : call;
  });
  return [answer, calls];
}

const NEW_BOOK = 'title: "New", genre: novel, price: 2';
const ANN = '{ lastName: "Ann", languages: ["en"] }';
const ANN_SENT = '{"last_name":"Ann","languages":["en"]}';
const MEMBER = '35367723-e2c5-5e24-8baa-ed4d382b2d0a';
const LISTED = ['9783404137336', '9783405516444', '9783406895555'];

const books = (...isbns: readonly string[]) => isbns.map((isbn) => ({ isbn }));

describe('a relation to one entity in a change', () => {
  it('creates another one, and leaves the previous one as it is', async () => {
    const before = await library.upstream('/authors/3');
    expect(
      await changed(
        `updateBook(isbn: "9783402758229", input: { author: { create: ${ANN} } }) { author { id } }`,
        'author_id',
      ),
    ).toStrictEqual([
      { data: { updateBook: { author: { id: '13' } } } },
      [`POST /authors ${ANN_SENT}`, 'PUT /books/9783402758229 author_id: 13'],
    ]);
    expect(await library.upstream('/authors/3')).toStrictEqual(before);
  });

  it('creates another one as the whole is replaced', async () => {
    const input = `{ ${NEW_BOOK}, pages: 7, author: { create: ${ANN} } }`;
    expect(
      await changed(
        `replacePrintedBook(isbn: "9783402758229", input: ${input}) { pages author { id } }`,
        'author_id',
      ),
    ).toStrictEqual([
      { data: { replacePrintedBook: { pages: 7, author: { id: '14' } } } },
      [`POST /authors ${ANN_SENT}`, 'PUT /books/9783402758229 author_id: 14'],
    ]);
  });

  it('links one that is there', async () => {
    expect(
      await changed(
        'updateBook(isbn: "9783402758229", input: { author: { link: { id: 2 } } }) { author { id } }',
        'author_id',
      ),
    ).toStrictEqual([
      { data: { updateBook: { author: { id: '2' } } } },
      ['PUT /books/9783402758229 author_id: 2'],
    ]);
  });

  it.each(['null', '{ unlink: false }'])('is not touched by %s', async (author) => {
    const { query, lastSent } = await serveDocument(TASKS, ANSWERS);
    const data = { updateTask: { id: '1' } };
    expect(
      await query(`mutation { updateTask(id: 1, input: { title: "x", owner: ${author} }) { id } }`),
    ).toEqual({ data });
    expect(lastSent()).toBe('PATCH /tasks/1 {"title":"x"}');
  });

  it('takes exactly one of its words', async () => {
    const twice = `{ link: { id: 2 }, create: ${ANN} }`;
    const message = 'OneOf Input Object "AuthorRelation" must specify exactly one key.';
    expect(
      await changed(`updateBook(isbn: "9783402758229", input: { author: ${twice} }) { isbn }`),
    ).toMatchObject([{ errors: [{ message }] }, []]);
  });

  it('is deleted again if the change itself fails', async () => {
    const { 'PATCH /tasks/1': _, ...others } = ANSWERS;
    const answers = {
      ...others,
      'POST /people': { id: 5, name: 'Eve' },
      'GET /people/5': { id: 5 },
      'DELETE /people/5': {},
    };
    const { query, lastSent } = await serveDocument(TASKS, answers);
    const detail = {
      code: 'FailedDependency',
      message: expect.stringContaining('Person(5)'),
      target: 'Person(5)',
    };
    expect(
      await query('mutation { updateTask(id: 1, input: { owner: { create: { name: "Eve" } } }) { id } }'),
    ).toMatchObject({ errors: [{ extensions: { code: 'NotFound', details: [detail] } }] });
    expect(lastSent()).toBe('DELETE /people/5');
  });

  it('is created or given by its key, not both', async () => {
    const message = 'input.authorId: expected no value beside a new entity in input.author, found one.';
    expect(
      await changed(
        `updateBook(isbn: "9783402758229", input: { authorId: 2, author: { create: ${ANN} } }) { isbn }`,
      ),
    ).toMatchObject([{ errors: [{ message }] }, []]);
  });

  it('is unlinked where it may be null alone', async () => {
    expect(
      await changed('updateBook(isbn: "9783402758229", input: { author: { unlink: true } }) { isbn }'),
    ).toMatchObject([
      {
        errors: [
          { message: expect.stringContaining('Field "unlink" is not defined by type "AuthorRelation"') },
        ],
      },
      [],
    ]);
    const { query, lastSent } = await serveDocument(TASKS, ANSWERS);
    expect(await query('mutation { updateTask(id: 1, input: { owner: { unlink: true } }) { id } }')).toEqual({
      data: { updateTask: { id: '1' } },
    });
    expect(lastSent()).toBe('PATCH /tasks/1 {"owner_id":null}');
  });
});

describe('a relation to several entities in a change', () => {
  const list = (name: string, given: string, words: string) =>
    changed(
      `${name}ReadingList(name: "summer", ifMatch: "*", input: { ${given} books: { ${words} } }) { books { isbn } }`,
    );

  it('creates one, and leaves the others', async () => {
    const sent =
      '{"ISBN":"9780000000001","title":"New","author_id":1,"genre":"novel","price":2,"pages":3,"medium":"print"}';
    expect(
      await list(
        'update',
        '',
        `createPrintedBook: [{ isbn: "9780000000001", ${NEW_BOOK}, pages: 3, authorId: 1 }]`,
      ),
    ).toStrictEqual([
      { data: { updateReadingList: { books: books(...LISTED, '9780000000001') } } },
      [`POST /books ${sent}`, 'PUT /reading-lists/summer/books/9780000000001'],
    ]);
  });

  it('links one and unlinks another one', async () => {
    expect(
      await list('update', '', 'link: [{ isbn: "9783400000009" }], unlink: [{ isbn: "9780000000001" }]'),
    ).toStrictEqual([
      { data: { updateReadingList: { books: books(...LISTED, '9783400000009') } } },
      ['PUT /reading-lists/summer/books/9783400000009', 'DELETE /reading-lists/summer/books/9780000000001'],
    ]);
  });

  it('keeps what is linked when the rest is replaced', async () => {
    expect(await list('replace', 'title: "Warm",', 'link: [{ isbn: "9783400000009" }]')).toStrictEqual([
      { data: { replaceReadingList: { books: books(...LISTED, '9783400000009') } } },
      ['PUT /reading-lists/summer {"title":"Warm"}'],
    ]);
  });

  it.each(['createPrintedBook: []', 'link: []', 'unlink: []', 'set: null'])(
    'says nothing by %s',
    async (words) => {
      expect(await list('update', '', words)).toStrictEqual([
        { data: { updateReadingList: { books: books(...LISTED, '9783400000009') } } },
        [],
      ]);
    },
  );

  it('is replaced by `set`', async () => {
    expect(
      await list('update', '', 'set: [{ isbn: "9783404137336" }, { isbn: "9780000000001" }]'),
    ).toStrictEqual([
      { data: { updateReadingList: { books: books('9783404137336', '9780000000001') } } },
      [
        'PUT /reading-lists/summer/books/9780000000001',
        'DELETE /reading-lists/summer/books/9783405516444',
        'DELETE /reading-lists/summer/books/9783406895555',
        'DELETE /reading-lists/summer/books/9783400000009',
      ],
    ]);
  });

  it.each(['link: []', 'unlink: []', 'createAudioBook: []'])(
    'takes `set` alone, not beside %s',
    async (words) => {
      const message = 'input.books: expected "set" alone, or "create", "link" and "unlink", found both.';
      expect(await list('update', '', `set: [], ${words}`)).toMatchObject([{ errors: [{ message }] }, []]);
    },
  );

  it('adds what refers to the entity by its key', async () => {
    const sent =
      '{"ISBN":"9780000000003","title":"New","genre":"novel","price":2,"narrator":"N","running_time":"PT1H","medium":"audio","author_id":5}';
    const audio = `[{ isbn: "9780000000003", ${NEW_BOOK}, narrator: "N", runningTime: "PT1H" }]`;
    expect(
      await changed(`updateAuthor(id: 5, input: { books: { createAudioBook: ${audio} } }) { id }`),
    ).toStrictEqual([{ data: { updateAuthor: { id: '5' } } }, [`POST /books ${sent}`]]);
  });
});

describe('contained entities in a change', () => {
  const review = (rating: number) => `{ memberId: "${MEMBER}", rating: ${rating} }`;
  const reviews = (words: string) =>
    changed(
      `updateBook(isbn: "9783408274662", input: { reviews: { ${words} } }) { reviews { number rating } }`,
    );

  it('are added', async () => {
    expect(await reviews(`create: [${review(1)}]`)).toStrictEqual([
      {
        data: {
          updateBook: {
            reviews: [
              { number: '1', rating: 4 },
              { number: '2', rating: 2 },
              { number: '3', rating: 1 },
            ],
          },
        },
      },
      [`POST /books/9783408274662/reviews {"member_id":"${MEMBER}","rating":1}`],
    ]);
    expect((await reviews('create: []'))[1]).toStrictEqual([]);
  });

  it('are replaced by `set`', async () => {
    const [answer, calls] = await reviews(`set: [${review(5)}]`);
    expect(answer).toStrictEqual({ data: { updateBook: { reviews: [{ number: '4', rating: 5 }] } } });
    expect(calls).toStrictEqual([
      `POST /books/9783408274662/reviews {"member_id":"${MEMBER}","rating":5}`,
      ...[1, 2, 3].map((number) => `DELETE /books/9783408274662/reviews/${number}`),
    ]);
  });

  it('have their mistakes told by where they were written', async () => {
    const error = { message: expect.stringMatching(/^input\.reviews\.create\.1\.rating: expected /) };
    expect(await reviews(`create: [${review(5)}, ${review(9)}]`)).toMatchObject([{ errors: [error] }, []]);
  });
});

it('related entities are no part of what is sent as it is', async () => {
  const { query } = await serveDocument(TASKS, ANSWERS);
  const names = (fields: readonly string[]) => ({ inputFields: fields.map((name) => ({ name })) });
  const inputs =
    '{ a: __type(name: "TaskInput") { inputFields { name } } b: __type(name: "TaskChanges") { inputFields { name } } }';
  expect(await query(inputs)).toEqual({
    data: { a: names(['title', 'ownerId']), b: names(['title', 'ownerId', 'owner']) },
  });
});

const TASKS = `
openapi: 3.1.0
info: { title: Tasks, version: '1' }
paths:
  /people:
    get: { operationId: people, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Person' } } } } } } }
    post: { operationId: addPerson, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } } }, responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } } } } }
  /people/{id}:
    get: { operationId: person, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } } } } }
    delete: { operationId: removePerson, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '204': { description: x } } }
  /tasks:
    get: { operationId: tasks, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Task' } } } } } } }
    post: { operationId: addTask, x-odata: { body: verbatim }, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }, responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } } } }
  /tasks/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: task, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } }, links: { owner: { operationId: person, parameters: { id: $response.body#/owner_id } } } } } }
    patch: { operationId: changeTask, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } } } }
components:
  schemas:
    Person: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, name: { type: string } } }
    Task:
      type: object
      required: [id]
      properties: { id: { type: integer, readOnly: true }, title: { type: string }, owner_id: { type: [integer, 'null'] } }
`;

const ANSWERS = {
  'GET /tasks/1': { id: 1, title: 't', owner_id: 4 },
  'PATCH /tasks/1': { id: 1, title: 't', owner_id: null },
};
