import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printType,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';
import { serveDocument } from '../openapi/served-document.ts';

const { graphql } = useLibrary();

/** Notes are contained in things; nothing is deleted. */
const NOTES = `
openapi: 3.1.0
info: { title: Notes, version: '1' }
paths:
  /things:
    get: { operationId: things, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Thing' } } } } } } }
    post: { operationId: newThing, requestBody: &thing { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }, responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } } }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: thing, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } } }
  /things/{id}/notes:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: notes, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } } } } }
    post: { operationId: newNote, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }, responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } } } }
  /things/{id}/notes/{no}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }, { name: no, in: path, required: true, schema: { type: integer } }]
    get: { operationId: note, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } } } }
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer } } }
    Note: { type: object, required: [no], properties: { no: { type: integer } } }
`;

interface Failed {
  readonly errors: readonly {
    readonly message: string;
    readonly path: readonly string[];
    readonly extensions: object;
  }[];
}

const failed = async (query: string) => ((await graphql(query)) as Failed).errors[0];

describe('an input', () => {
  it('creates and links related entities', async () => {
    const created = await graphql(`mutation {
      createAudioBook(input: { isbn: "9783499999991", medium: audio, title: "New", genre: novel, price: 2,
        narrator: "N", runningTime: "PT1H", author: { create: { lastName: "Nyberg", languages: ["sv"] } } }) { author { lastName } }
    }`);
    expect(created).toStrictEqual({ data: { createAudioBook: { author: { lastName: 'Nyberg' } } } });
    const linked = await graphql(`mutation {
      createAudioBook(input: { isbn: "9783499999992", medium: audio, title: "Heard", author: { link: { id: 2 } }, genre: novel,
        price: 1.5, narrator: "N", runningTime: "PT1H" }) { author { id } }
    }`);
    expect(linked).toStrictEqual({ data: { createAudioBook: { author: { id: '2' } } } });
  });

  it('creates related entities of derived types', async () => {
    const created = await graphql(`mutation {
      createAuthor(input: { lastName: "Oduya", languages: ["sv"], books: {
        createAudioBook: [{ isbn: "9783499999994", medium: audio, title: "Heard", genre: novel, price: 2, narrator: "N", runningTime: "PT1H" }]
        createPrintedBook: [{ isbn: "9783499999995", medium: print, title: "Read", genre: novel, price: 3, pages: 7 }] } }) {
        books(order: [{ isbn: ASC }]) { __typename title ... on AudioBook { narrator } ... on PrintedBook { pages } } } }`);
    const books = [
      { __typename: 'AudioBook', title: 'Heard', narrator: 'N' },
      { __typename: 'PrintedBook', title: 'Read', pages: 7 },
    ];
    expect(created).toStrictEqual({ data: { createAuthor: { books } } });
  });

  it('has mistakes in derived types told by where they were written', async () => {
    const error = await failed(
      'mutation { createAuthor(input: { lastName: "O", languages: ["sv"], books: { createPrintedBook: [{ isbn: "x", medium: print, title: "T", genre: novel, price: 2, pages: 7 }] } }) { id } }',
    );
    expect(error?.message).toBe(
      'input.books.createPrintedBook.0.isbn: expected text that matches ^\\d{13}$, found other text.',
    );
  });

  it('has all its mistakes told by where they were written', async () => {
    const book = 'isbn: "x", title: "T", genre: novel, price: 2, pages: 0';
    const error = await failed(
      `mutation { createAuthor(input: { lastName: "", languages: ["sv"], books: { createPrintedBook: [{ ${book} }] } }) { id } }`,
    );
    expect(error).toMatchObject({ path: ['createAuthor'] });
    const isbn = 'input.books.createPrintedBook.0.isbn';
    const pages = 'input.books.createPrintedBook.0.pages';
    const mistake = `${isbn}: expected text that matches ^\\d{13}$, found other text.`;
    const details = [
      { code: 'BadRequest', message: mistake, target: isbn },
      { code: 'BadRequest', message: `${pages}: expected at least 1, found 0.`, target: pages },
    ];
    expect([error?.message, error?.extensions]).toStrictEqual([
      mistake,
      { code: 'BadRequest', details, http: { status: 400 } },
    ]);
  });

  it('has what became of other entities told by their URLs', async () => {
    const { query } = await serveDocument(NOTES, {
      'POST /things': { id: 7 },
      'GET /things/7': { id: 7 },
      'GET /things/7/notes': [],
    });
    const answer = await query('mutation { createThing(input: { notes: { create: [{ no: 5 }] } }) { id } }');
    expect(answer).toMatchObject({
      errors: [
        {
          extensions: {
            details: [
              {
                code: 'FailedDependency',
                message: '"Thing(7)": it was created and cannot be deleted.',
                target: 'Thing(7)',
              },
            ],
          },
        },
      ],
    });
  });

  it('has links to what is not there told', async () => {
    const error = await failed(
      'mutation { createPrintedBook(input: { isbn: "9783499999993", medium: print, title: "T", genre: novel, price: 2, pages: 3, author: { link: { id: 9999 } } }) { isbn } }',
    );
    const target = 'input.author.link';
    const message = `${target}: expected an entity that is there, found "Author(9999)".`;
    const details = [{ code: 'BadRequest', message, target }];
    expect([error?.message, error?.extensions]).toStrictEqual([
      message,
      { code: 'BadRequest', details, http: { status: 400 } },
    ]);
  });
});

describe('an input has what its change takes', () => {
  it.each<readonly [name: string, fields: string]>([
    [
      'AuthorInput',
      'firstName: String, lastName: String!, born: Date, died: Date, languages: [String!]!, books: BookListRelation',
    ],
    [
      'AuthorReplacement',
      'firstName: String, lastName: String!, born: Date, died: Date, languages: [String!]!, books: BookListRelation',
    ],
    ['CopyChanges', 'condition: Condition, shelf: String'],
    ['AddressInput', 'street: String!, postalCode: String, city: String!, location: LocationInput'],
    ['AddressChanges', 'street: String, postalCode: String, city: String, location: LocationChanges'],
    [
      'LoanInput',
      'memberId: UUID, isbn: String, copyNumber: Int, period: Duration = "P28D", member: MemberRelation, copy: CopyRelation',
    ],
    [
      'MemberChanges',
      'eMail: String, active: Boolean, channels: [Channels!], address: AddressChanges, loans: LoanListPart, pin: String',
    ],
    ['ReadingListReplacement', 'title: String!, note: String, books: BookListRelationChanges'],
    [
      'BookListRelationChanges',
      'createPrintedBook: [PrintedBookInput!], createAudioBook: [AudioBookInput!], link: [BookKey!], unlink: [BookKey!], set: [BookKey!]',
    ],
  ])('%s: %s', async (name, fields) => {
    const { data } = (await graphql(getIntrospectionQuery({ oneOf: true }))) as { data: IntrospectionQuery };
    const type = buildClientSchema(data).getType(name);
    const printed = type && 'getFields' in type ? Object.values(type.getFields()).map(fieldText) : [];
    expect(printed.join(', ')).toBe(fields);
  });

  it.each([
    [
      'updateBook(isbn: "9783400000009", input: { isbn: "9780000000000" }) { isbn }',
      'Field "isbn" is not defined by type "BookChanges"',
    ],
    [
      'updateBook(isbn: "9783400000009", input: { medium: audio }) { isbn }',
      'Field "medium" is not defined by type "BookChanges"',
    ],
    [
      'updateCopy(isbn: "9783404137336", copyNumber: 1, input: { barcode: "1" }) { isbn }',
      'Field "barcode" is not defined by type "CopyChanges"',
    ],
    [
      'createAuthor(input: {}) { id }',
      'Field "AuthorInput.lastName" of required type "String!" was not provided',
    ],
  ])('refuses %s', async (mutation, message) => {
    const { errors } = (await graphql(`mutation { ${mutation} }`)) as Failed;
    expect(errors[0]?.message).toContain(message);
  });
});

interface Printed {
  readonly name: string;
  readonly type: unknown;
  readonly defaultValue?: unknown;
}

function fieldText({ name, type, defaultValue }: Printed): string {
  return `${name}: ${type}${defaultValue === undefined ? '' : ` = ${JSON.stringify(defaultValue)}`}`;
}

it('offers no links to entities that are contained: they are created there', async () => {
  const { query, lastSent } = await serveDocument(NOTES, {
    'POST /things': { id: 1 },
    'POST /things/1/notes': { no: 2 },
  });
  const sent = (notes: string) => query(`mutation { createThing(input: { id: 1, notes: ${notes} }) { id } }`);
  expect(await sent('{ link: [{ no: 2 }] }')).toMatchObject({
    errors: [{ message: expect.stringContaining('Field "link" is not defined') }],
  });
  expect(await sent('{ create: [{ no: 2 }] }')).toEqual({ data: { createThing: { id: '1' } } });
  expect(lastSent()).toBe('POST /things/1/notes {"no":2}');
});

it('demands no value that would have to be within itself', async () => {
  const json = (schema: string) =>
    `content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } }`;
  const { query } = await serveDocument(`
openapi: 3.1.0
info: { title: Trees, version: '1' }
paths:
  /trees:
    get: { operationId: trees, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Tree' } } } } } } }
    post: { operationId: addTree, requestBody: { ${json('Tree')} }, responses: { '201': { description: x, ${json('Tree')} } } }
components:
  schemas:
    Tree: { type: object, required: [id, trunk], properties: { id: { type: integer, readOnly: true }, trunk: { $ref: '#/components/schemas/Trunk' } } }
    Trunk: { type: object, required: [branch], properties: { branch: { $ref: '#/components/schemas/Branch' } } }
    Branch: { type: object, required: [twig, leaves], properties: { twig: { $ref: '#/components/schemas/Trunk' }, leaves: { type: integer } } }
`);
  const { data } = (await query(getIntrospectionQuery({ oneOf: true }))) as { data: IntrospectionQuery };
  const schema = buildClientSchema(data);
  expect(validateSchema(schema)).toEqual([]);
  const types = ['TreeInput', 'TrunkInput', 'BranchInput'].map((name) => schema.getType(name));
  expect(types.map((type) => type && printType(type))).toStrictEqual([
    'input TreeInput {\n  trunk: TrunkInput!\n}',
    'input TrunkInput {\n  branch: BranchInput\n}',
    'input BranchInput {\n  twig: TrunkInput\n  leaves: Long!\n}',
  ]);
});
