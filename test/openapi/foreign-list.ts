import { onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

interface ForeignList {
  readonly path: string;
  /** The object that holds the list and what is shown of it; undefined for the answer itself. */
  readonly holder?: string;
  readonly parameters: Readonly<Record<string, 'page' | 'size' | 'offset' | 'cursor'>>;
  readonly members: Readonly<Record<string, 'url' | 'total' | 'cursor' | 'more'>>;
}

const ROWS = Array.from({ length: 45 }, (_, index) => ({ id: index + 1, nota: `n${index + 1}` }));
const LARGEST = 10;

const PARAMETERS = {
  page: { type: 'integer', default: 1 },
  size: { type: 'integer', maximum: LARGEST },
  offset: { type: 'integer', default: 0 },
  cursor: { type: 'string' },
} as const;
const MEMBERS = {
  url: { type: ['string', 'null'] },
  cursor: { type: ['string', 'null'] },
  total: { type: 'integer' },
  more: { type: 'boolean' },
} as const;

/** Serves an API of 45 rows in pages of ten, and a gateway before it. */
export async function createTestList({ path, holder, parameters, members }: ForeignList) {
  const nameOf = (role: string): string | undefined =>
    Object.entries(parameters).find(([, each]) => each === role)?.[0];
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const url = new URL(target, 'http://list');
    if (url.pathname !== `/${path}`) return reply.send(404, '{}');
    const value = (role: string): string | null => url.searchParams.get(nameOf(role) ?? role);
    const size = Math.min(LARGEST, Number(value('size') ?? LARGEST));
    const page = value('page');
    const start = page === null ? Number(value('offset') ?? value('cursor') ?? 0) : (Number(page) - 1) * size;
    const end = start + size;
    const isMore = end < ROWS.length;
    const shown = {
      url: isMore ? `${upstream.url}/${path}?offset=${end}` : null,
      cursor: isMore ? String(end) : null,
      total: ROWS.length,
      more: isMore,
    };
    const own = Object.fromEntries(Object.entries(members).map(([name, kind]) => [name, shown[kind]]));
    const answer = { [path]: ROWS.slice(start, end), ...own };
    reply.json(holder === undefined ? answer : { [holder]: answer });
  });
  onTestFinished(() => upstream.close());
  const inner = {
    type: 'object',
    properties: {
      [path]: { type: 'array', items: { $ref: '#/components/schemas/Ding' } },
      ...Object.fromEntries(Object.entries(members).map(([name, kind]) => [name, MEMBERS[kind]])),
    },
  };
  const schema = holder === undefined ? inner : { type: 'object', properties: { [holder]: inner } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'List', version: '1' },
    paths: {
      [`/${path}`]: {
        get: {
          operationId: 'list',
          parameters: Object.entries(parameters).map(([name, role]) => ({
            name,
            in: 'query',
            schema: PARAMETERS[role],
          })),
          responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } },
        },
      },
      [`/${path}/{id}`]: {
        get: {
          operationId: 'item',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Ding' } } },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Ding: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, nota: { type: 'string' } },
        },
      },
    },
  };
  const files = {
    'api.json': JSON.stringify(document),
    '.meshrc.yaml': `sources:\n${sourceOf('List', './api.json', upstream.url)}`,
  };
  const { gateway } = await serveProject(createProject(files));
  const set = path.replace(/^./, (letter) => letter.toUpperCase());
  const get = async (url: string) => {
    const response = await fetch(url);
    return [response.status, await response.json()] as const;
  };
  return {
    async ask(options: string) {
      const [status, { value = [], '@odata.count': count, error }] = await get(
        `${gateway.url}/odata/${set}?${options}`,
      );
      return { status, ...(count && { count }), last: value.at(-1)?.Id, rows: value.length, ...error };
    },
    async pages(): Promise<readonly number[]> {
      const lengths: number[] = [];
      for (let url: string | undefined = `${gateway.url}/odata/${set}`; url !== undefined; ) {
        const [status, body]: readonly [number, { value?: readonly unknown[]; '@odata.nextLink'?: string }] =
          await get(url);
        lengths.push(status === 200 ? (body.value?.length ?? 0) : -status);
        url = body['@odata.nextLink'];
      }
      return lengths;
    },
  };
}
