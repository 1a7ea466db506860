import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const set = (path: string, name: string) => `
  /${path}: { get: { operationId: ${path}, responses: ${answer(`{ type: array, items: ${ref(name)} }`)} } }
  /${path}/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: ${name.toLowerCase()}, responses: ${answer(ref(name))} }`;

/** Folders hold files, which are entities of a set, and marks, which are values. */
const DOCUMENT = (strict: boolean) => `
openapi: 3.1.0
info: { title: Folders, version: '1' }
x-odata: { strict: ${strict} }
paths:${set('folders', 'Folder')}${set('files', 'File')}
components:
  schemas:
    Folder:
      type: object
      properties:
        id: { type: string }
        files: { type: array, items: ${ref('File')} }
        marks: { type: array, items: ${ref('Mark')} }
    File: { type: object, properties: { id: { type: string } } }
    Mark: { type: object, properties: { name: { type: string } } }
`;

const FILES = { id: 'a', files: [{ id: 'f' }, null] };
const MARKS = { id: 'a', files: [], marks: [null, { name: 'red' }] };

describe('null in a list within an entity', () => {
  it.each([
    ['Folder?$select=Id&$expand=Files', FILES, { Id: 'a', Files: [{ Id: 'f' }] }],
    ["Folder('a')?$select=Id&$expand=Files", FILES, { Id: 'a', Files: [{ Id: 'f' }] }],
    ["Folder('a')/Files", FILES, [{ Id: 'f' }]],
    ['Folder?$select=Marks', MARKS, { Marks: [null, { Name: 'red' }] }],
    ["Folder('a')/Marks", MARKS, [null, { Name: 'red' }]],
  ])('is no entity, and one of the values: %s', async (path, folder, expected) => {
    const { ask } = await serveDocument(DOCUMENT(false), {
      'GET /folders': [folder],
      'GET /folders/a': folder,
    });
    const [status, body] = await ask(path);
    const found = (body as { value?: readonly unknown[] }).value ?? body;
    expect([status, Array.isArray(expected) ? found : [found].flat()]).toMatchObject([
      200,
      [expected].flat(),
    ]);
  });

  it('is an error of a strict document where it stands for an entity', async () => {
    const { ask } = await serveDocument(DOCUMENT(true), { 'GET /folders/a': { ...FILES, marks: [] } });
    const [status] = await ask("Folder('a')?$expand=Files");
    expect(status).toBe(502);
  });
});
