import { onTestFinished } from 'vitest';
import { type Reply, type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject } from '../support/temporary-project.ts';

/** A document of one list, `/api/things`. */
export interface ListDocument {
  /** Query parameters by name; one with `required: true` has to be given. */
  readonly parameters?: Readonly<Record<string, object>>;
  /** Properties beside `items`; undefined for a bare list. */
  readonly answer?: object | undefined;
  readonly headers?: object;
  /** Answers are what the document says of them, or an error. */
  readonly strict?: boolean;
  /** Further paths. */
  readonly paths?: object;
  /** Beside the operation's id. */
  readonly extensions?: object;
}

/** A request for the list. */
export interface ListRequest {
  readonly target: string;
  readonly query: URLSearchParams;
  /** The parameter as a number. */
  number(name: string, otherwise: number): number;
  readonly headers: Readonly<Record<string, string>>;
  /** Closed when the connection is. */
  readonly closed: Promise<void>;
  /** The address of the upstream. */
  readonly url: string;
}

export interface PagedList extends ProjectGateway {
  readonly upstream: StandInUpstream;
  /** The queries that the upstream was sent, as they came, oldest first. */
  queries(): readonly string[];
  /** The JSON at a path of the service, without context and next link, with its status and with {@link ranges} of keys. */
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<object>;
  /** The keys on the page and on all that its next links lead to, page by page. */
  pages(path: string, headers?: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

interface ListJson {
  readonly value?: readonly { readonly Id: number }[];
  readonly '@odata.nextLink'?: string;
  readonly '@odata.count'?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Thing {
  readonly id: number;
  readonly name: string;
}

/** So many things, numbered from 1. */
export function things(count: number): readonly Thing[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `Thing ${index + 1}` }));
}

/** Keys as they follow each other: `1-100`, or `1-3 5`. */
export function ranges(keys: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const key of keys) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === key - 1) last[1] = key;
    else runs.push([key, key]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');
}

/** The ranges of several pages, one after the other, as one. */
export function joined(pages: readonly string[]): string {
  const runs = pages.flatMap((page) => page.split(' ').filter((run) => run !== ''));
  const keys = runs.flatMap((run) => {
    const [first = 0, last = first] = run.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return ranges(keys);
}

/** Serves the document before an upstream that answers the list so. */
export async function servePaged(
  document: ListDocument,
  answer: (request: ListRequest, reply: Reply) => void,
  options: { readonly source?: object; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<PagedList> {
  const queries: string[] = [];
  const upstream = await startStandInUpstream(({ target, headers, closed }, reply) => {
    const { pathname, searchParams: query, search } = new URL(target, upstream.url);
    if (!pathname.startsWith('/api/')) return reply.send(404);
    queries.push(search);
    const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise);
    answer({ target, query, number, headers, closed, url: upstream.url }, reply);
  });
  onTestFinished(() => upstream.close());
  const openapi = { source: './api.json', endpoint: `${upstream.url}/api`, ...options.source };
  const project = createProject({
    'api.json': JSON.stringify(documentOf(document)),
    '.meshrc.yaml': `sources: ${JSON.stringify([{ name: 'Test', handler: { openapi } }])}`,
  });
  const served = await serveProject(project, options.environment);
  const get = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(url, { headers });
    return [response.status, (await response.json()) as ListJson] as const;
  };
  return {
    ...served,
    upstream,
    queries: () => queries,
    async ask(path, headers) {
      const [status, { value, error, '@odata.count': count }] = await get(
        `${served.gateway.url}/odata/${path}`,
        headers,
      );
      return {
        status,
        ...(value && { keys: keysOf(value) }),
        ...(count !== undefined && { count }),
        ...error,
      };
    },
    async pages(path, headers) {
      const pages: string[] = [];
      for (let url: string | undefined = `${served.gateway.url}/odata/${path}`; url !== undefined; ) {
        const [status, { value, error, ...json }]: readonly [number, ListJson] = await get(url, headers);
        pages.push(value === undefined ? `${status} ${error?.message}` : keysOf(value));
        url = json['@odata.nextLink'];
      }
      return pages;
    },
  };
}

function keysOf(value: NonNullable<ListJson['value']>): string {
  return ranges(value.map(({ Id }) => Id));
}

function documentOf({
  parameters = {},
  answer,
  headers,
  extensions,
  paths,
  strict = false,
}: ListDocument): object {
  const things = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };
  const schema = answer === undefined ? things : { type: 'object', properties: { items: things, ...answer } };
  const described = Object.entries(parameters).map(([name, parameter]) => {
    const { required = false, ...of } = parameter as { readonly required?: boolean };
    return { name, in: 'query', required, schema: of };
  });
  return {
    openapi: '3.1.0',
    ...(strict && { 'x-odata': { strict } }),
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        get: {
          operationId: 'things',
          ...extensions,
          parameters: described,
          responses: {
            200: { description: 'Things', headers, content: { 'application/json': { schema } } },
          },
        },
      },
      ...paths,
      '/things/{id}': {
        get: {
          operationId: 'thing',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: {
            200: {
              description: 'A thing',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, name: { type: 'string' } },
        },
      },
    },
  };
}
