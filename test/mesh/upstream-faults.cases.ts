import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '../../src/contract/gateway-error.ts';
import type { Behaviour, Reply } from '../support/stand-in-upstream.ts';
import { post } from './support.ts';

/** A fault of an upstream, and the error for a client. */
export interface FaultCase {
  readonly name: string;
  /** Does it to any GET. `item` is true where one post is asked for. */
  readonly behaviour: (reply: Reply, item: boolean) => void;
  /** One code for lists and for keys, or one each. */
  readonly code: ErrorCode | { readonly list: ErrorCode; readonly key: ErrorCode };
  readonly calls: number;
  /** The code of a create, if that is not the declared failure. */
  readonly create?: ErrorCode;
  /** The expected cause in the log. */
  readonly logged?: RegExp;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** An answer that is right but for what is done to its post. */
function posts(change: (post: Record<string, unknown>) => unknown): FaultCase['behaviour'] {
  return (reply, item) => reply.json(item ? change(post(1)) : [change(post(1))]);
}

function body(text: string | Uint8Array, type = 'application/json'): FaultCase['behaviour'] {
  return (reply) => reply.send(200, text, { 'content-type': type });
}

function status(code: number, text = ''): FaultCase['behaviour'] {
  return (reply) => reply.send(code, text);
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

function forever(reply: Reply, text: string): void {
  const chunk = text.repeat(16_384);
  const timer = setInterval(() => reply.write(chunk), 1);
  setTimeout(() => clearInterval(timer), 5_000).unref();
}

const BOMB = gzipSync(Buffer.alloc(4 * 1024 * 1024, '['));

/** The faults of an upstream, numbered as in the table of promises. */
export const FAULTS: readonly FaultCase[] = [
  {
    name: '2 accepts and stays silent',
    behaviour: () => undefined,
    code: 'UpstreamTimeout',
    create: 'OutcomeUnknown',
    calls: 1,
  },
  {
    name: '2 sends headers and stays silent',
    behaviour: (reply) => reply.write(`${HEAD}content-length: 10\r\n\r\n`),
    code: 'UpstreamTimeout',
    create: 'OutcomeUnknown',
    calls: 1,
  },
  {
    name: '2 drips bytes, so that no body timeout is reached',
    behaviour: (reply) => {
      reply.write(`${HEAD}content-length: 100000\r\n\r\n`);
      const timer = setInterval(() => reply.write(' '), 30);
      setTimeout(() => clearInterval(timer), 5_000).unref();
    },
    code: 'UpstreamTimeout',
    create: 'OutcomeUnknown',
    calls: 1,
    logged: /deadline/,
  },
  {
    name: '3 resets before the answer',
    behaviour: (reply) => reply.reset(),
    code: 'UpstreamUnavailable',
    create: 'OutcomeUnknown',
    calls: 2,
  },
  {
    name: '3 resets in the middle of the body',
    behaviour: (reply) => {
      reply.write(`${HEAD}content-length: 100\r\n\r\n[{"id":1},`);
      setTimeout(() => reply.reset(), 20);
    },
    code: 'UpstreamUnavailable',
    create: 'OutcomeUnknown',
    calls: 2,
  },
  {
    name: '3 ends early',
    behaviour: (reply) => {
      reply.write(`${HEAD}content-length: 100\r\n\r\n[{"id":1}]`);
      reply.end();
    },
    code: 'UpstreamUnavailable',
    create: 'OutcomeUnknown',
    calls: 2,
  },
  {
    name: '3 ends a chunked body early',
    behaviour: (reply) => {
      reply.write(`${HEAD}transfer-encoding: chunked\r\n\r\na\r\n[{"id":1}]\r\n`);
      reply.end();
    },
    code: 'UpstreamUnavailable',
    create: 'OutcomeUnknown',
    calls: 2,
  },
  {
    name: '3 ends early a body that the end of the connection delimits',
    behaviour: (reply) => {
      reply.write(`${HEAD}connection: close\r\n\r\n[{"id":1},{"id":`);
      reply.end();
    },
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '3 gives a content length that is too small',
    behaviour: (reply) => reply.send(200, '[{"id":1}]', { ...JSON_TYPE, 'content-length': '5' }),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '3 sends no HTTP',
    behaviour: (reply) => reply.write('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '3 changes to a protocol that was not requested (RFC 9110, 15.2.2)',
    behaviour: (reply) =>
      reply.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '3 sends endless headers',
    behaviour: (reply) => {
      reply.write('HTTP/1.1 200 OK\r\n');
      forever(reply, 'a: b\r\n');
    },
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '4 answers malformed JSON',
    behaviour: body('[{"id":1,'),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /the body begins "\[\{\\"id\\":1,"/,
  },
  {
    name: '4 answers bytes that are no UTF-8 (RFC 8259, 8.1)',
    behaviour: (reply, item) => {
      const text = JSON.stringify(item ? post(1) : [post(1)]).replace('title', 't\u00eftle');
      body(Buffer.from(text, 'latin1'))(reply, item);
    },
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /the body is not UTF-8/,
  },
  { name: '4 answers an empty body', behaviour: body(''), code: 'UpstreamBadResponse', calls: 1 },
  {
    name: '4 answers HTML as HTML',
    behaviour: body('<!doctype html>\u001b[31m<p>é', 'text/html'),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /<!doctype html>\\u001b\[31m<p>\\u00c3\\u00a9"/,
  },
  { name: '4 answers HTML as JSON', behaviour: body('<html>'), code: 'UpstreamBadResponse', calls: 1 },
  {
    name: '5 answers an object for a list, a list for an object',
    behaviour: (reply, item) => reply.json(item ? [post(1)] : post(1)),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /the body: expected (a list|an object), found (a list|an object)/,
  },
  { name: '5 answers null', behaviour: body('null'), code: 'UpstreamBadResponse', calls: 1 },
  { name: '5 answers a text', behaviour: body('"posts"'), code: 'UpstreamBadResponse', calls: 1 },
  { name: '5 answers a number', behaviour: body('7'), code: 'UpstreamBadResponse', calls: 1 },
  { name: '5 answers a list with a null', behaviour: body('[null]'), code: 'UpstreamBadResponse', calls: 1 },
  { name: '5 answers a list of lists', behaviour: body('[[]]'), code: 'UpstreamBadResponse', calls: 1 },
  {
    name: '6 sends text for a number',
    behaviour: posts((right) => ({ ...right, id: 'abc' })),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /(\[0\])?\.id: expected an integer( of 32 bits)?, found "abc"/,
  },
  {
    name: '6 sends a number as text',
    behaviour: posts((right) => ({ ...right, id: '7' })),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '6 sends a number beyond the type',
    behaviour: posts((right) => ({ ...right, userId: 2 ** 31 })),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /\.userId/,
  },
  {
    name: '6 sends a fraction for an integer',
    behaviour: posts((right) => ({ ...right, id: 1.5 })),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '6 sends a number for a text',
    behaviour: posts((right) => ({ ...right, title: 5 })),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '6 sends true for a text',
    behaviour: posts((right) => ({ ...right, title: true })),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '6 sends an object for a text',
    behaviour: posts((right) => ({ ...right, title: {} })),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '6 misses a required property',
    behaviour: posts(({ id, ...rest }) => rest),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /\.id: expected a value, found nothing/,
  },
  {
    name: '6 sends null for a required property',
    behaviour: posts((right) => ({ ...right, id: null })),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '9 sends 200,000 nested arrays',
    behaviour: body('['.repeat(200_000) + ']'.repeat(200_000)),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '9 sends an endless body',
    behaviour: (reply) => {
      reply.write(`${HEAD}connection: close\r\n\r\n`);
      forever(reply, '[');
    },
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /larger than/,
  },
  {
    name: '9 announces a body that is too large',
    behaviour: (reply) => reply.write(`${HEAD}content-length: 99999999999\r\n\r\n[`),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /larger than/,
  },
  {
    name: '9 sends a gzip bomb',
    behaviour: (reply) => reply.send(200, BOMB, { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /cannot be decoded/,
  },
  {
    name: '9 sends broken gzip',
    behaviour: (reply) => reply.send(200, '[]', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '9 uses a content coding that nobody asked for',
    behaviour: (reply) => reply.send(200, '[]', { ...JSON_TYPE, 'content-encoding': 'zstd' }),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '10 redirects',
    behaviour: (reply) => reply.send(302, '', { location: '/elsewhere' }),
    code: 'UpstreamBadResponse',
    calls: 1,
    logged: /status 302/,
  },
  { name: '10 answers 401', behaviour: status(401), code: 'UpstreamBadResponse', calls: 1 },
  { name: '10 answers 403', behaviour: status(403), code: 'UpstreamBadResponse', calls: 1 },
  {
    name: '10 answers 204',
    behaviour: (reply) => reply.write('HTTP/1.1 204 -\r\n\r\n'),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '10 answers 304 unasked',
    behaviour: (reply) => reply.write('HTTP/1.1 304 -\r\n\r\n'),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '10 answers a part only',
    behaviour: (reply) => reply.send(206, '[]'),
    code: 'UpstreamBadResponse',
    calls: 1,
  },
  {
    name: '11 answers 404',
    behaviour: (reply) => reply.send(404, '{}', JSON_TYPE),
    code: { list: 'UpstreamBadResponse', key: 'NotFound' },
    calls: 1,
  },
  {
    name: '12 answers 429',
    behaviour: (reply) => reply.send(429, '', { 'retry-after': '7' }),
    code: 'UpstreamThrottled',
    create: 'UpstreamThrottled',
    calls: 1,
  },
  {
    name: '13 answers 500 with a stack',
    behaviour: status(500, 'Error: secret\n    at upstream (/srv/app.js:1:1)'),
    code: 'UpstreamUnavailable',
    calls: 2,
    logged: /status 500; the body begins "Error: secret/,
  },
  { name: '13 answers 501', behaviour: status(501), code: 'UpstreamUnavailable', calls: 1 },
  { name: '13 answers 503', behaviour: status(503), code: 'UpstreamUnavailable', calls: 2 },
];

/** The same fault for lists and for single entities, which have different paths. */
export function behaviourOf({ behaviour }: FaultCase): Behaviour {
  return (request, reply) => behaviour(reply, request.target !== '/posts');
}
