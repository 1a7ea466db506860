import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Post } from '../../.mesh/index.js';
import { type Pick, picker } from './picker.ts';
import { type SampleUpstream, startSampleServer } from './sample-server.ts';

/**
 * Starts an API of posts on the loopback address, similar to public ones: 100 posts to read, and a POST that
 * numbers and echoes its body without storing it.
 */
export function startSampleUpstream(port = 0): Promise<SampleUpstream> {
  return startSampleServer(sampleListener(), port);
}

/** A response that is serialized once. */
interface Document {
  readonly text: string;
  readonly etag: string;
}

function sampleListener(): RequestListener {
  const posts = samplePosts();
  const documents: ReadonlyMap<string, Document> = new Map([
    ['/posts', writeDocument(posts)],
    ...posts.map((post) => [`/posts/${post.id}`, writeDocument(post)] as const),
  ]);
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const document = reads ? documents.get(path) : undefined;
    if (document !== undefined) sendDocument(request, response, document);
    else if (request.method === 'POST' && path === '/posts') create(request, response);
    else send(response, 404, '{}');
  };
}

function writeDocument(value: unknown): Document {
  const text = JSON.stringify(value, null, 2);
  const hash = createHash('sha1').update(text).digest('base64url');
  return { text, etag: `W/"${text.length.toString(16)}-${hash}"` };
}

function sendDocument(request: IncomingMessage, response: ServerResponse, document: Document): void {
  response.setHeader('etag', document.etag);
  response.setHeader('cache-control', 'no-cache');
  if (request.headers['if-none-match'] === document.etag) response.writeHead(304).end();
  else send(response, 200, document.text);
}

function send(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  };
  response.writeHead(status, headers).end(text);
}

const CREATED_ID = 101;
const MAX_BODY_BYTES = 1_048_576;

function create(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    const sent = size > MAX_BODY_BYTES ? undefined : parseObject(Buffer.concat(chunks).toString());
    if (sent === undefined) {
      send(response, 400, '{}');
      return;
    }
    response.setHeader('location', `http://${request.headers.host}/posts/${CREATED_ID}`);
    send(response, 201, JSON.stringify({ ...sent, id: CREATED_ID }, null, 2));
  });
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A complete post with an id. */
export type SamplePost = { readonly [Name in keyof Required<Post>]: NonNullable<Post[Name]> };

const USERS = 10;
const POSTS_PER_USER = 10;

/** The same hundred posts at every start: ten by each of ten users, numbered from 1. */
export function samplePosts(): readonly SamplePost[] {
  const pick = picker(1);
  return Array.from({ length: USERS * POSTS_PER_USER }, (_, index) => ({
    userId: Math.floor(index / POSTS_PER_USER) + 1,
    id: index + 1,
    title: TITLES[index % TITLES.length]?.(pick) ?? '',
    body: Array.from({ length: 2 + (index % 3) }, () => writeSentence(pick)).join('\n'),
  }));
}

const ADJECTIVES = [
  'quiet',
  'crooked',
  'wooden',
  'borrowed',
  'small',
  'salty',
  'patient',
  'loud',
  'blue',
  'slow',
];
const NOUNS = [
  'harbour',
  'kettle',
  'bicycle',
  'garden',
  'letter',
  'lantern',
  'staircase',
  'river',
  'clock',
  'map',
];
const PLACES = [
  'by the sea',
  'in March',
  'after rain',
  'on the roof',
  'at the market',
  'before breakfast',
  'up north',
];
const PEOPLE = [
  'My neighbour',
  'The baker',
  'A stranger',
  'Our postman',
  'The gardener',
  'Everyone here',
  'Nobody',
];
const VERBS = ['mended', 'painted', 'forgot', 'found', 'praised', 'measured', 'carried', 'drew'];
const ENDINGS = [
  'and said nothing',
  'twice',
  'without a plan',
  'for the fun of it',
  'as if it were new',
  'in one go',
];

const TITLES: readonly ((pick: Pick) => string)[] = [
  (pick) => `Notes on a ${pick(ADJECTIVES)} ${pick(NOUNS)}`,
  (pick) => `The ${pick(ADJECTIVES)} ${pick(NOUNS)} ${pick(PLACES)}`,
  (pick) => `How to keep a ${pick(NOUNS)} ${pick(PLACES)}`,
  (pick) => `A ${pick(NOUNS)} and a ${pick(ADJECTIVES)} afternoon`,
  (pick) => `What the ${pick(ADJECTIVES)} ${pick(NOUNS)} taught me`,
];

function writeSentence(pick: Pick): string {
  return `${pick(PEOPLE)} ${pick(VERBS)} the ${pick(ADJECTIVES)} ${pick(NOUNS)} ${pick(PLACES)}, ${pick(ENDINGS)}.`;
}
