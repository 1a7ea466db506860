import { onTestFinished } from 'vitest';
import type { AtEnd } from '../support/end-of-file.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

/** A row of the tried list; `twin` has the values of `status` of another row. */
export interface Item {
  readonly id: number;
  readonly code: string;
  readonly status: string;
  readonly twin: string;
  readonly flag: boolean;
  readonly size: number;
  readonly weight: number;
  readonly made_at: string;
  readonly changed_at: string;
  readonly tags: readonly string[];
}

const STATUS = ['open', 'done', 'lost'] as const;

export const ITEMS: readonly Item[] = Array.from({ length: 240 }, (_, index) => ({
  id: index + 1,
  code: `K-${String((index * 37) % 120).padStart(3, '0')}`,
  status: STATUS[index % 3] ?? 'open',
  twin: ['Left', 'Right', 'middle'][(index * 7 + 1) % 3] ?? '',
  flag: index % 4 === 0,
  size: (index * 13) % 50,
  weight: ((index * 29) % 240) + 1000,
  made_at: new Date(Date.UTC(2026, 0, 1) + ((index * 101) % 240) * 3_600_000).toISOString(),
  changed_at: new Date(Date.UTC(2026, 2, 1) + ((index * 67) % 240) * 3_600_000).toISOString(),
  tags: [`t${index % 48}`, `u${(index * 5) % 7}`],
}));

/** The rows that a parameter leaves of the list for its value. */
export type Filter = (rows: readonly Item[], value: string) => readonly Item[];

/** A parameter of the document, in YAML, with what the API does with it. */
export interface Tried {
  readonly name: string;
  readonly schema: string;
  readonly description?: string;
  readonly does: Filter;
  /** The API applies it to each page instead of the list. */
  readonly withinPages?: true;
  /** The answer to some values, instead of a list. */
  readonly refuses?: (value: string) => number | undefined;
  /** The API never answers. */
  readonly stalls?: () => boolean;
}

export interface TriedApi {
  /** Answers of GET `path` below /odata, and the calls that they took, without the size of pages. */
  ask(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly body: unknown; readonly status: number; readonly calls: readonly string[] }>;
  post(path: string, body: object): Promise<number>;
  metrics(): Promise<string>;
}

const SIZE = 20;

/** Serves a list of 240 items in pages of 20, with a total or by cursors, and with these parameters. */
export async function serveTried(
  parameters: readonly Tried[],
  environment: Readonly<Record<string, string>> = {},
  { shift = 0, byCursor = false }: { readonly shift?: number; readonly byCursor?: boolean } = {},
  atEnd: AtEnd = onTestFinished,
): Promise<TriedApi> {
  const calls: string[] = [];
  const upstream = await startStandInUpstream(({ method, target }, reply) => {
    const url = new URL(target, 'http://api');
    url.searchParams.delete('per_page');
    url.searchParams.sort();
    calls.push(`${method} ${url.pathname}${url.search}`);
    if (method === 'POST') return reply.send(201, JSON.stringify({ ...ITEMS[0], id: 999 }));
    const [, id] = /^\/items\/(\d+)$/.exec(url.pathname) ?? [];
    if (id !== undefined) {
      const found = ITEMS.find((each) => String(each.id) === id);
      return found === undefined ? reply.send(404) : reply.json(found);
    }
    const given = parameters.flatMap((each) => {
      const value = url.searchParams.get(each.name);
      return value === null ? [] : [{ ...each, value }];
    });
    if (given.some(({ stalls }) => stalls?.() === true)) return;
    for (const { refuses, value } of given) {
      const status = refuses?.(value);
      if (status !== undefined) return reply.send(status, '{"message":"no"}');
    }
    const apply = (rows: readonly Item[], within: boolean): readonly Item[] =>
      given
        .filter(({ withinPages = false }) => withinPages === within)
        .reduce<readonly Item[]>((left, { does, value }) => does(left, value), rows);
    const rows = apply(ITEMS, false);
    const page = Number(url.searchParams.get('page') ?? 1);
    const start = byCursor ? Number(url.searchParams.get('cursor') ?? 0) : (page - 1) * SIZE;
    const items = apply(rows.slice(start, start + SIZE), true);
    if (byCursor)
      return reply.json({ items, next: start + SIZE < rows.length ? String(start + SIZE) : null });
    reply.json({ items, page, total: Math.max(0, rows.length - shift) });
  });
  atEnd(() => upstream.close());
  const project = createProject(
    {
      'api.yaml': documentOf(parameters, byCursor),
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
    },
    atEnd,
  );
  const { gateway } = await serveProject(project, environment, atEnd);
  return {
    async ask(path, signal) {
      calls.length = 0;
      const response = await fetch(`${gateway.url}/odata/${path}`, signal ? { signal } : {});
      const text = await response.text();
      const body = text.startsWith('{') ? JSON.parse(text) : text;
      return { body, status: response.status, calls: [...calls] };
    },
    async metrics() {
      return (await fetch(`${gateway.url}/metrics`)).text();
    },
    async post(path, body) {
      const response = await fetch(`${gateway.url}/odata/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.status;
    },
  };
}

function documentOf(parameters: readonly Tried[], byCursor: boolean): string {
  const place = byCursor
    ? '{ name: cursor, in: query, schema: { type: string } }'
    : '{ name: page, in: query, schema: { type: integer, minimum: 1, default: 1 } }';
  const members = byCursor
    ? '{ next: { type: [string, "null"] } }'
    : '{ page: { type: integer }, total: { type: integer } }';
  const written = parameters.map(
    ({ name, schema, description = '' }) =>
      `        - { name: "${name}", in: query, description: "${description}", schema: ${schema} }`,
  );
  return `
openapi: 3.1.0
info: { title: Items, version: '1' }
paths:
  /items:
    get:
      operationId: items
      parameters:
        - ${place}
        - { name: per_page, in: query, schema: { type: integer, maximum: 20, default: 20 } }
${written.join('\n')}
      responses:
        '200':
          description: OK
          content:
            application/json:
              schema:
                type: object
                required: [items]
                allOf: [{ type: object, properties: ${members} }]
                properties:
                  items: { type: array, items: { $ref: '#/components/schemas/Item' } }
    post:
      operationId: addItem
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
      responses: { '201': { description: OK, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } } }
  /items/{id}:
    get:
      operationId: item
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200': { description: OK, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
        '404': { description: Not found }
components:
  schemas:
    Item:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        code: { type: string }
        status: { type: string, enum: [open, done, lost] }
        twin: { type: string }
        flag: { type: boolean }
        size: { type: integer }
        weight: { type: integer }
        made_at: { type: string, format: date-time }
        changed_at: { type: string, format: date-time }
        tags: { type: array, items: { type: string } }
`;
}
