import { onTestFinished } from 'vitest';
import type { AtEnd } from './end-of-file.ts';
import { startStandInUpstream } from './stand-in-upstream.ts';
import { createProject, sourceOf } from './temporary-project.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Stock, version: '1' }
paths:
  /parts:
    get:
      operationId: parts
      parameters:
        - { name: kind, in: query, schema: { type: string } }
        - { name: maker, in: query, schema: { type: string } }
        - { name: note, in: query, schema: { type: string } }
        - { name: sort, in: query, schema: { type: string, enum: [size, -size] } }
      responses: { '200': { description: OK, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Part' } } } } } }
components:
  schemas:
    Part: { type: object, required: [id], properties: { id: { type: integer }, kind: { type: string }, maker: { type: string }, note: { type: string }, size: { type: integer } } }
`;

const PARTS = [
  { id: 1, kind: 'bolt', maker: 'acme', note: null, size: 5 },
  { id: 2, kind: 'nut', maker: 'bora', note: null, size: 3 },
  { id: 3, kind: 'bolt', maker: 'bora', note: null, size: 4 },
];

/** A project with an API of parts, of which `kind` and `sort` do what they are called, and `maker` does nothing. */
export async function servePartsApi(atEnd: AtEnd = onTestFinished) {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const query = new URL(target, 'http://api').searchParams;
    const kind = query.get('kind');
    const sort = query.get('sort');
    const rows = PARTS.filter((part) => kind === null || part.kind === kind);
    const sign = sort === '-size' ? -1 : 1;
    reply.json(sort === null ? rows : rows.toSorted((a, b) => sign * (a.size - b.size)));
  });
  atEnd(() => upstream.close());
  const files = {
    'openapi/stock.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Stock', './openapi/stock.yaml', upstream.url)}`,
  };
  return { upstream, project: createProject(files, atEnd) };
}
