import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createAnswering, NOT_FOUND } from './answer-request.ts';
import { type Operation, readApiDocument } from './api-document.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import type { MockAnswer } from './mock-answer.ts';
import { createResources, type GivenValues } from './mock-resources.ts';
import { plainWord } from './plain-word.ts';
import { createRouter } from './router.ts';

/** A request as the mock understood it. */
export interface MockRequest {
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  /** The path's template in the document; undefined where it has none that fits. */
  readonly path: string | undefined;
  /** True for a request of a list. */
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
  /** The number of rows in the list at that path, if any. */
  rowsOf(path: string): number | undefined;
  /** Values that the parameters of that path's GET may have, where it has to have them. */
  valuesOf(path: string): GivenValues;
  /** Paths of the lists that have to be given parameters with those names, and no others. */
  listsWith(names: readonly string[]): readonly string[];
  /** Sets the misbehaviour. */
  misbehave(how: Misbehaviour): void;
  close(): Promise<void>;
}

/** Rows of each list. */
const ROWS = 250;

/** Of answers that are kept as they were sent: clients read a list several times, and to make one up takes a while. */
const KEPT_BYTES = 128 * 2 ** 20;

const WELL_BEHAVED: Misbehaviour = {};

/** Starts it; `text` is the document, in JSON or YAML. */
export async function startMockApi(text: string, rows: number = ROWS): Promise<MockApi> {
  const document = readApiDocument(text);
  const resources = createResources(document, rows);
  const route = createRouter(document.operations);
  const answerRouted = createAnswering(resources);
  const requests: MockRequest[] = [];
  const kept = new LRUCache<string, SentAnswer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ content }) => 1 + (content?.length ?? 0),
  });
  let misbehaviour = WELL_BEHAVED;

  const { port, mostConcurrent, close } = await listen(async (request) => {
    const { method = 'GET', url: target = '/' } = request;
    const url = new URL(target, `http://${request.headers.host}`);
    const found = route(method, url.pathname.slice(document.basePath.length));
    const sent = await bodyOf(request);
    await misbehaviour.hold?.(url);
    const make = () =>
      written(found === undefined ? NOT_FOUND : answerRouted({ ...found, url, sent }, misbehaviour));
    const isKept = method === 'GET' && misbehaviour === WELL_BEHAVED;
    const answer = isKept ? (kept.get(url.href) ?? make()) : make();
    if (isKept) kept.set(url.href, answer);
    const isList = found !== undefined && resources.resourceOf(found.operation).kind === 'list';
    requests.push({ method, target, path: found?.operation.path, isList, status: answer.status });
    return answer;
  });
  const readAt = (path: string): Operation | undefined =>
    document.operations.find((operation) => operation.path === path && operation.method === 'GET');
  return {
    url: `http://127.0.0.1:${port}${document.basePath}`,
    requests,
    get mostConcurrent() {
      return mostConcurrent();
    },
    rowsOf(path) {
      const read = readAt(path);
      const resource = read && resources.resourceOf(read);
      return resource?.kind === 'list' ? resources.sizeOf(resource) : undefined;
    },
    valuesOf(path) {
      const read = readAt(path);
      return read === undefined ? {} : resources.valuesFor(read);
    },
    listsWith(names) {
      const wanted = names.map(plainWord).sort().join();
      return document.operations
        .filter((operation) => resources.resourceOf(operation).kind === 'list')
        .filter((read) => Object.keys(resources.valuesFor(read)).map(plainWord).sort().join() === wanted)
        .map(({ path }) => path);
    },
    misbehave(how) {
      misbehaviour = how;
    },
    close,
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return /json/.test(request.headers['content-type'] ?? '') ? json(request) : undefined;
}

interface Listening {
  readonly port: number;
  readonly mostConcurrent: () => number;
  readonly close: () => Promise<void>;
}

/** Serves what `answer` says, and counts the requests that are under way at once. */
async function listen(answer: (request: IncomingMessage) => Promise<SentAnswer>): Promise<Listening> {
  let underWay = 0;
  let most = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    // Requests that have arrived together are under way together.
    setImmediate()
      .then(() => answer(request))
      .catch((error: unknown) => written({ status: 500, body: { message: String(error) } }))
      .then(({ status, headers, content }) => response.writeHead(status, headers).end(content));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mostConcurrent: () => most,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An answer as it is sent. */
interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer | undefined;
}

function written({ status, headers, body }: MockAnswer): SentAnswer {
  if (body === undefined) return { status, headers: { ...headers }, content: undefined };
  const content = Buffer.from(JSON.stringify(body));
  return { status, headers: { 'content-type': 'application/json', ...headers }, content };
}
