import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { type Operation, readApiDocument } from './api-document.ts';
import { isObject } from './json.ts';
import { answerList } from './list-request.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { createResources, type GivenValues, type MockResources } from './mock-resources.ts';
import { queryMistake } from './parameter-check.ts';
import { createRouter, type Route } from './router.ts';

/** A request as the mock understood it. */
export interface MockRequest {
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  /** The path's template in the document; undefined where it has none that fits. */
  readonly path: string | undefined;
  /** It asked for a list. */
  readonly isList: boolean;
  readonly status: number;
}

/** An API as its vendor would build it, made from nothing but its OpenAPI document; on 127.0.0.1, at a free port. */
export interface MockApi {
  /** With the path of the document's first server, without a slash at its end. */
  readonly url: string;
  /** In the order in which they were answered. */
  readonly requests: readonly MockRequest[];
  /** The most requests that were ever under way at once. */
  readonly mostConcurrent: number;
  /** How many rows the list on that path has; undefined where there is no list. */
  rowsOf(path: string): number | undefined;
  /** Values that the parameters of that path's GET may have, where it has to have them. */
  valuesOf(path: string): GivenValues;
  /** How it misbehaves from now on. */
  misbehave(how: Misbehaviour): void;
  close(): Promise<void>;
}

/** What is answered; the body is written as JSON. */
export interface MockAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Rows of each list. */
const ROWS = 250;

/** Starts it; `text` is the document, in JSON or YAML. */
export async function startMockApi(text: string, rows: number = ROWS): Promise<MockApi> {
  const document = readApiDocument(text);
  const resources = createResources(document, rows);
  const route = createRouter(document.operations);
  const readAt = (path: string): Operation | undefined =>
    document.operations.find((operation) => operation.path === path && operation.method === 'GET');
  const requests: MockRequest[] = [];
  let misbehaviour: Misbehaviour = {};
  let lists = 0;
  let underWay = 0;
  let mostConcurrent = 0;

  const answer = async (request: IncomingMessage): Promise<MockAnswer> => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const method = request.method ?? 'GET';
    const found = route(method, url.pathname.slice(document.basePath.length));
    // Requests that have arrived together are under way together.
    await setImmediate();
    await misbehaviour.hold?.(url);
    const answered = found === undefined ? NOT_FOUND : await answerRoute(found, url, request);
    const { status } = answered;
    const isList = found !== undefined && resources.resourceOf(found.operation).kind === 'list';
    requests.push({ method, target: request.url ?? '', path: found?.operation.path, isList, status });
    return answered;
  };
  const answerRoute = async (found: Route, url: URL, request: IncomingMessage): Promise<MockAnswer> => {
    const { operation } = found;
    const mistake = queryMistake(resources.view, operation.parameters, url.searchParams);
    if (mistake !== undefined) return { status: 400, body: { message: mistake } };
    if (operation.method !== 'GET') return echo(resources, found, rows + 1, await bodyOf(request));
    const resource = resources.resourceOf(operation);
    if (resource.kind !== 'list') return answerObject(resources, found);
    lists += 1;
    const { busyEvery, retryAfter = '0' } = misbehaviour;
    if (busyEvery !== undefined && lists % busyEvery === 0) {
      return { status: 429, headers: { 'retry-after': retryAfter }, body: { message: 'Too many requests.' } };
    }
    return answerList(resources, resource, { ...found, url, misbehaviour });
  };

  const server = createServer((request, response) => {
    underWay += 1;
    mostConcurrent = Math.max(mostConcurrent, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    answer(request)
      .catch((error: unknown): MockAnswer => ({ status: 500, body: { message: String(error) } }))
      .then(({ status, headers, body }) => {
        const content = body === undefined ? {} : { 'content-type': 'application/json' };
        response.writeHead(status, { ...content, ...headers });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${document.basePath}`,
    requests,
    get mostConcurrent() {
      return mostConcurrent;
    },
    valuesOf(path) {
      const read = readAt(path);
      return read === undefined ? {} : resources.valuesFor(read);
    },
    rowsOf(path) {
      const read = readAt(path);
      const resource = read && resources.resourceOf(read);
      return resource?.kind === 'list' ? resources.sizeOf(resource) : undefined;
    },
    misbehave(how) {
      misbehaviour = how;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const NOT_FOUND: MockAnswer = { status: 404, body: { message: 'Not found.' } };

function answerObject(resources: MockResources, { operation, values }: Route): MockAnswer {
  const { status } = operation;
  const resource = resources.resourceOf(operation);
  if (operation.answer === undefined) return { status };
  if (resource.kind !== 'item') return { status, body: resources.answerOf(operation, 1, values) };
  const body = resources.itemOf(resource, operation, values);
  return body === undefined ? NOT_FOUND : { status, body };
}

/** What an operation answers with, and in it what was sent. */
function echo(
  resources: MockResources,
  { operation, values }: Route,
  row: number,
  sent: unknown,
): MockAnswer {
  const { status } = operation;
  const made = resources.answerOf(operation, row, values);
  return { status, body: isObject(made) && isObject(sent) ? { ...made, ...sent } : made };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return /json/.test(request.headers['content-type'] ?? '') ? json(request) : undefined;
}
