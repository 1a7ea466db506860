import { expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

/** As springdoc writes a controller that takes a `Pageable` and answers with a `Page`. */
const DOCUMENT = `
openapi: 3.0.1
info: { title: Books, version: v0 }
paths:
  /books:
    get:
      operationId: getAll
      parameters: [{ name: pageable, in: query, required: true, schema: { $ref: "#/components/schemas/Pageable" } }, { name: title, in: query, schema: { type: string } }]
      responses: { "200": { description: OK, content: { "*/*": { schema: { $ref: "#/components/schemas/PageBook" } } } } }
components:
  schemas:
    Pageable: { type: object, properties: { page: { type: integer, format: int32, minimum: 0 }, size: { type: integer, format: int32, minimum: 1 }, sort: { type: array, items: { type: string } } } }
    PageBook:
      type: object
      properties:
        totalElements: { type: integer, format: int64 }
        totalPages: { type: integer, format: int32 }
        size: { type: integer, format: int32 }
        content: { type: array, items: { $ref: "#/components/schemas/Book" } }
        number: { type: integer, format: int32 }
        sort: { type: object, properties: { sorted: { type: boolean } } }
        first: { type: boolean }
        last: { type: boolean }
        numberOfElements: { type: integer, format: int32 }
        empty: { type: boolean }
    Book: { type: object, x-odata: { grants: { User: [View] } }, properties: { id: { type: integer, format: int64 }, title: { type: string } } }
`;

it('pages that Spring Data answers with are read as its object of parameters asks for them', async () => {
  const requested: string[] = [];
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const { search, searchParams: query } = new URL(target, upstream.url);
    requested.push(search);
    const [number, size] = [Number(query.get('page') ?? 0), Math.min(Number(query.get('size') ?? 20), 50)];
    const all = Array.from({ length: 130 }, (_, index) => ({ id: index + 1, title: `b${index + 1}` }));
    const content = all.slice(number * size, (number + 1) * size);
    const totalPages = Math.ceil(all.length / size);
    const page = { number, size, totalPages, totalElements: all.length, numberOfElements: content.length };
    reply.json({ content, ...page, first: number === 0, last: number + 1 >= totalPages, empty: false });
  });
  onTestFinished(() => upstream.close());
  const files = {
    'api.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
  };
  const { gateway } = await serveProject(createProject(files, onTestFinished), {}, onTestFinished);
  const response = await fetch(`${gateway.url}/odata/Book?$orderby=Id%20desc&$count=true`);
  const { value, ...json } = (await response.json()) as { value: { Id: number }[] };
  expect([response.status, value.length, value[0]?.Id, value.at(-1)?.Id]).toStrictEqual([200, 130, 130, 1]);
  expect(json).toMatchObject({ '@odata.count': 130 });
  expect(requested).toContain('?page=1&size=100');
});
