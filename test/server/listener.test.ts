import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { createSchema, createYoga } from 'graphql-yoga';
import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../src/contract/exchange.ts';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import type { ListenerRoute } from '../../src/server/route.ts';
import { sendRaw, sendRequest } from './raw-client.ts';
import { runServer, text } from './running-server.ts';

function listenerPart(listener: ListenerRoute['listener']): ListenerRoute {
  return {
    path: '/graphql',
    maxBodyBytes: 10,
    listener,
    headers: { 'x-frame-options': 'DENY' },
    errorResponse: (error) => text(`protocol: ${error.code}`, error.status),
  };
}

async function echoBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request);
  response.end(JSON.stringify({ method: request.method, url: request.url, body }));
}

const chunked = (chunk: string): string => `${chunk.length.toString(16)}\r\n${chunk}\r\n`;

describe('a listener', () => {
  it.each([
    ['without a body', 'GET /graphql?query=%7Ba%7D', [], ''],
    ['with a body of known length', 'POST /graphql', ['Content-Length: 10'], '0123456789'],
    ['with a body in chunks', 'POST /graphql/x', ['Transfer-Encoding: chunked'], '0123456789'],
  ])('gets a request %s as it came', async (_, line, headers, body) => {
    const { port } = await runServer([listenerPart(echoBody)]);
    const bytes = headers[0]?.startsWith('T') ? `${chunked(body)}0\r\n\r\n` : body;
    const answer = await sendRequest(port, line, ['Host: x', ...headers], bytes);
    const [method, url] = line.split(' ');
    expect(answer.body).toContain(JSON.stringify({ method, url, body }));
    expect([answer.headers['x-frame-options'], answer.headers['referrer-policy']]).toStrictEqual([
      'DENY',
      'no-referrer',
    ]);
  });

  it.each([
    ['a body that is too long', 'POST /graphql', ['Content-Length: 11'], 413, 'PayloadTooLarge'],
    ['a URL that is too long', `GET /graphql?${'a'.repeat(9000)}`, [], 414, 'UriTooLong'],
    ['two hosts', 'GET /graphql', ['Host: y'], 400, 'BadRequest'],
  ])('is not called for %s', async (_, line, headers, status, code) => {
    const { port } = await runServer([listenerPart(echoBody)]);
    const answer = await sendRequest(port, line, ['Host: x', ...headers], 'a'.repeat(11));
    expect([answer.status, answer.body]).toStrictEqual([status, `protocol: ${code}`]);
  });

  it('is not called for chunks without an end', async () => {
    const { port } = await runServer([listenerPart(echoBody)]);
    const head = 'POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await sendRaw(port, head + chunked('a'.repeat(11)), 200)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('that throws is answered for, and logged', async () => {
    const { url, entries } = await runServer([listenerPart(() => Promise.reject(new Error('broken')))]);
    const response = await fetch(`${url}/graphql`);
    expect([response.status, await response.text()]).toStrictEqual([500, 'protocol: InternalError']);
    expect(entries()).toContainEqual(
      expect.objectContaining({ level: 'error', err: expect.objectContaining({ message: 'broken' }) }),
    );
  });

  it('that throws in the middle of its answer loses the connection', async () => {
    const part = listenerPart((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      throw new GatewayError('Conflict', 'Too late.');
    });
    const { url } = await runServer([part]);
    await expect(fetch(`${url}/graphql`).then((response) => response.text())).rejects.toThrow();
  });

  it('may be Yoga, also for a body in chunks', async () => {
    const schema = createSchema<CallContext>({
      typeDefs: 'type Query { who: String }',
      resolvers: { Query: { who: (_root, _args, call) => call.principal.kind } },
    });
    const yoga = createYoga<CallContext>({ schema, logging: false });
    const listener: ListenerRoute['listener'] = (request, response, call) => yoga(request, response, call);
    const { port } = await runServer([{ path: '/graphql', listener, maxBodyBytes: 100 }]);
    const query = '{"query":"{who}"}';
    const json = ['Host: x', 'Content-Type: application/json'];
    const answers = [
      await sendRequest(port, 'POST /graphql', [...json, `Content-Length: ${query.length}`], query),
      await sendRequest(
        port,
        'POST /graphql',
        [...json, 'Transfer-Encoding: chunked'],
        `${chunked(query)}0\r\n\r\n`,
      ),
      await sendRequest(port, 'GET /graphql?query=%7Bwho%7D', json),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body]).toStrictEqual([
        200,
        expect.stringContaining('{"data":{"who":"unrestricted"}}'),
      ]);
    }
  });
});
