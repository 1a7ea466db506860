import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonOfXml } from '../support/csdl.ts';
import { createProject, documentOf, sourceOf, type TemporaryProject } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

/** Folders of the test's own are shortened to nothing. */
async function outcomeIn({ directory }: TemporaryProject, ...args: readonly string[]) {
  const { code, stdout, stderr } = await outcome(args, { BOOKS_TOKEN: 'secret' });
  const shorten = (text: string): string =>
    text.replaceAll(/[^\s"]*(?=duogate-)/g, '').replaceAll(`${directory.split('/').at(-1)}/`, '');
  return { code, stdout: shorten(stdout), stderr: shorten(stderr) };
}

const SECURITY = `
security: [{ Token: [] }]
`;
const BOOKS = documentOf('Book')
  .replace(/^security:.*\n/m, '')
  .replace(/^components:\n/m, `components:\n  securitySchemes: { Token: { type: http, scheme: bearer } }\n`)
  .concat(SECURITY);

function shopProject(books: string = BOOKS): TemporaryProject {
  return createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Books', './apis/books.yaml', 'http://books.example', {
      authorization: 'Bearer {env.BOOKS_TOKEN}',
    })}${sourceOf('Notes', './apis/notes.yaml', 'http://notes.example')}`,
    'apis/books.yaml': books,
    'apis/notes.yaml': documentOf('Note'),
  });
}

const REPORT = `File         apis/books.yaml as Books
Document     Posts 1.0.0 (OpenAPI 3.1.0)
File         apis/notes.yaml as Notes
Document     Posts 1.0.0 (OpenAPI 3.1.0)
Namespaces   Books, Notes
Container    Container
Types        2 entity, 0 complex, 0 enumeration, 0 defined
Served       2 entity sets, 0 singletons, 0 navigation paths, 0 functions, 0 actions
Credentials  needed by 3 operations, given to 3
Findings     0 errors, 0 left out or limited, 1 note

Entity sets: 2

  Book(Id Edm.String)
    read list    books       GET /books       Books
    read by key  book        GET /books/{id}  Books
    insert       createBook  POST /books      Books
    update       –
    delete       –

  Note(Id Edm.String)
    read list    notes       GET /notes       Notes
    read by key  note        GET /notes/{id}  Notes
    insert       createNote  POST /notes      Notes
    update       –
    delete       –

Credentials: 1

  Books: Token
    is       HTTP Bearer token
    lets in  3 operations
    given    by operationHeaders.authorization

Notes: 1

  It is left out: the first source's document says the container of the whole service
    apis/notes.yaml#/x-odata/container
`;

describe('duogate model --project', () => {
  it('reports on the sources of the project as one service', async () => {
    const project = shopProject();
    const { code, stdout, stderr } = await outcomeIn(
      project,
      'model',
      '--project',
      project.path('.meshrc.yaml'),
    );
    expect({ code, stdout, stderr }).toStrictEqual({ code: 0, stdout: REPORT, stderr: '' });
  });

  it('says which sources are no part of it', async () => {
    const project = shopProject('hello: world');
    const outcome = await outcomeIn(project, 'model', '--project', project.path('.meshrc.yaml'), '--json');
    expect([outcome.code, outcome.stderr]).toStrictEqual([
      1,
      'apis/books.yaml: It is not an OpenAPI document: it has no `openapi` version.\n',
    ]);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ entitySets: [{ name: 'Note' }] });
  });

  it.each([
    ['sources: []', '.meshrc.yaml: "sources" must be a list of at least one API'],
    [
      `sources:\n${sourceOf('A', './none.yaml', 'http://a.example')}`,
      'A: none.yaml: The file cannot be read: there is no file of that name.',
    ],
  ])('says why nothing of %j is served', async (text, mistake) => {
    const project = createProject({ '.meshrc.yaml': text });
    expect(await outcomeIn(project, 'model', '--project', project.path('.meshrc.yaml'))).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: `The project cannot be served:\n  - ${mistake}\n`,
    });
  });

  it('says that there is no such project', async () => {
    const { code, stderr } = await outcome(['model', '--project', join('nowhere', 'mesh.yaml')]);
    expect([code, stderr]).toStrictEqual([1, expect.stringContaining('must be a readable file')]);
  });
});

describe('duogate model with several files', () => {
  it('writes one CSDL document for them', async () => {
    const { path } = shopProject();
    const files = [path('apis/books.yaml'), path('apis/notes.yaml')];
    const [xml, json] = [
      await outcome(['model', ...files, '--metadata']),
      await outcome(['model', ...files, '--metadata', 'json']),
    ];
    expect([xml.code, json.code]).toStrictEqual([0, 0]);
    const metadata = JSON.parse(json.stdout);
    expect(jsonOfXml(xml.stdout)).toEqual(metadata);
    expect(Object.keys(metadata.Books.Container)).toStrictEqual(expect.arrayContaining(['Book', 'Note']));
  });

  it('reports on those that can be read, and names the files of findings', async () => {
    const project = createProject({
      'a/api.yaml': documentOf('Book').replace('entitySet: Book', 'entityset: Book'),
      'b/api.yaml': documentOf('Note').replace('entitySet: Note', 'entityset: Note'),
      'c/api.yaml': '[]',
    });
    const files = ['a', 'b', 'c'].map((name) => project.path(`${name}/api.yaml`));
    const { code, stdout, stderr } = await outcomeIn(project, 'model', ...files);
    expect([code, stderr]).toStrictEqual([
      1,
      'c/api.yaml: It is not an OpenAPI document: it holds no object.\n',
    ]);
    expect(stdout).toContain(`Errors in the document: 2

  x-odata has no key "entityset": is entitySet meant?
    a/api.yaml#/components/schemas/Book/x-odata/entityset
    b/api.yaml#/components/schemas/Note/x-odata/entityset
`);
    expect(stdout).toContain('GET /notes       api_2\n');
  });
});
