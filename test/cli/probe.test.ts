import { expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

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

it('prints which parameters of lists do what they are called', async () => {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const query = new URL(target, 'http://api').searchParams;
    const kind = query.get('kind');
    const sort = query.get('sort');
    const rows = PARTS.filter((part) => kind === null || part.kind === kind);
    const sign = sort === '-size' ? -1 : 1;
    reply.json(sort === null ? rows : rows.toSorted((a, b) => sign * (a.size - b.size)));
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    'api.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Stock', './api.yaml', upstream.url)}`,
  });
  const { code, stdout } = await outcome(['probe'], {
    MESH_CONFIG: project.path('.meshrc.yaml'),
    AUTH: 'off',
  });
  expect([
    code,
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
  ]).toStrictEqual([
    0,
    [
      'Part  kind        Kind equal          used',
      'Part  maker       Maker equal         not used: it does something else',
      'Part  note        Note equal          not used: the first page could not show it',
      'Part  sort=size   order by Size       used',
      'Part  sort=-size  order by Size desc  used',
    ],
  ]);
  expect(upstream.requests.every(({ method }) => method === 'GET')).toBe(true);
});
