import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type SampleUpstream, startSampleServer } from '../../../src/demo/sample-server.ts';
import { BOOK_ROUTES } from './book-routes.ts';
import { CATALOGUE_ROUTES } from './catalogue-routes.ts';
import { parseExactJson } from './exact-json.ts';
import type { LibraryAnswer, LibraryRequest, Route } from './exchange.ts';
import { LENDING_ROUTES } from './lending-routes.ts';
import { Problem } from './readers.ts';
import { READING_LIST_ROUTES } from './reading-list-routes.ts';
import type { Holdings } from './records.ts';
import { sampleLibrary } from './sample-library.ts';

/** The first that fits answers. */
const ROUTES: readonly Route[] = [
  ...BOOK_ROUTES,
  ...CATALOGUE_ROUTES,
  ...READING_LIST_ROUTES,
  ...LENDING_ROUTES,
];

/**
 * Starts the library of `examples/library/openapi/library.yaml` on the loopback address. It begins with the same books,
 * members and loans each time, and keeps what is changed for as long as it runs.
 */
export function startLibraryUpstream(now: () => Date = () => new Date()): Promise<SampleUpstream> {
  const holdings = sampleLibrary(now);
  return startSampleServer((request, response) => {
    answer(holdings, request).then(
      (answered) => send(request, response, answered),
      (error: unknown) => sendProblem(response, error),
    );
  });
}

/** Covers may be large. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

async function answer(holdings: Holdings, request: IncomingMessage): Promise<LibraryAnswer> {
  const url = URL.parse(request.url ?? '', 'http://library');
  const bytes = await buffer(request);
  if (url === null) throw new Problem(400, 'The target is no URL.');
  if (bytes.length > MAX_BODY_BYTES) throw new Problem(413, 'The body is too large.');
  const { handle, path } = routeTo(request.method ?? '', url.pathname);
  return handle({
    holdings,
    path,
    query: url.searchParams,
    bytes,
    json: () => parseBody(bytes),
    ifMatch: request.headers['if-match'],
  });
}

interface Target {
  readonly handle: Route[1];
  readonly path: LibraryRequest['path'];
}

function routeTo(method: string, path: string): Target {
  const given = path.split('/');
  const requested = method === 'HEAD' ? 'GET' : method;
  const fitting = ROUTES.flatMap(([name, handle]) => {
    const [routeMethod, template = ''] = name.split(' ');
    const filled = fill(template.split('/'), given);
    return filled === undefined ? [] : [{ method: routeMethod, handle, path: filled }];
  });
  const target = fitting.find((each) => each.method === requested);
  if (target !== undefined) return target;
  throw new Problem(fitting.length > 0 ? 405 : 404, `There is no ${method} ${path}.`);
}

/** The values of the parameters; undefined for another path. */
function fill(template: readonly string[], given: readonly string[]): readonly string[] | undefined {
  if (template.length !== given.length) return undefined;
  const isLike = template.every((segment, index) => segment.startsWith('{') || segment === given[index]);
  return isLike ? given.filter((_, index) => template[index]?.startsWith('{')).map(decodeSegment) : undefined;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Problem(400, `The path has a segment that is not encoded: ${segment}`);
  }
}

function parseBody(bytes: Buffer): unknown {
  try {
    return parseExactJson(bytes.toString());
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}

function send(request: IncomingMessage, response: ServerResponse, answered: LibraryAnswer): void {
  const { status, json, location } = answered;
  const media = answered.media ?? jsonMedia(json);
  if (location !== undefined) response.setHeader('location', location);
  if (status === 204 || media === undefined) {
    response.writeHead(status).end();
    return;
  }
  const etag = answered.etag ?? `W/"${createHash('sha1').update(media.bytes).digest('base64url')}"`;
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'no-cache');
  if (request.method === 'GET' && request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(status, { 'content-type': media.type, 'content-length': media.bytes.length });
  response.end(media.bytes);
}

function jsonMedia(json: unknown): LibraryAnswer['media'] {
  if (json === undefined) return undefined;
  return { type: 'application/json; charset=utf-8', bytes: Buffer.from(JSON.stringify(json)) };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  500: 'Internal Server Error',
};

function sendProblem(response: ServerResponse, error: unknown): void {
  const known = error instanceof Problem ? error : new Problem(500, 'The library does not know what to do.');
  const body = JSON.stringify({ title: TITLES[known.status], status: known.status, detail: known.message });
  response.writeHead(known.status, { 'content-type': 'application/problem+json' }).end(body);
}
