import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../../support/running-gateway.ts';
import { sendBatch, sendMultipart } from './batch-client.ts';
import { FAILING_PARTS, MALFORMED, WIRES } from './multipart.cases.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

describe('a multipart batch (Part 1, 11.7.7)', () => {
  it.each(WIRES)('$name', async ({ wire, answer, asked }) => {
    const answered = await sendMultipart(gateway, wire);
    expect({ ...answered, asked: readsSorted(answered.asked) }).toStrictEqual({
      status: 200,
      contentType: 'multipart/mixed; boundary=batchresponse',
      text: answer.join('\r\n'),
      asked: readsSorted(asked ?? []),
    });
  });

  it('says how many bytes each body has, where that is more than its characters', async () => {
    gateway.upstream.behave((_, reply) => reply.json({ userId: 1, id: 1, title: 'Über 😀', body: 'b' }));
    const body = "--b\nContent-Type: application/http\n\nGET Post('1')/Title/$value HTTP/1.1\n\n\n--b--";
    const headers = { 'content-type': 'multipart/mixed;boundary=b' };
    const { text } = await gateway.fetch('/odata/$batch', { method: 'POST', body, headers });
    expect(/Content-Length: (\d+)\r\n\r\n(.*)/.exec(text)?.slice(1)).toStrictEqual(['10', 'Über 😀']);
  });

  it.each(MALFORMED)('is refused as a whole: $name', async ({ wire, message }) => {
    const { status, text, asked } = await sendMultipart(gateway, wire);
    expect([status, asked]).toStrictEqual([400, []]);
    const { error } = JSON.parse(text);
    expect(error.message).toBe(`Batch${message.startsWith('expected') ? ': ' : ', '}${message}`);
  });

  it.each(FAILING_PARTS)('is answered with 200, and $name fails its request alone (11.7)', async (part) => {
    const http = '--b\nContent-Type: application/http\n\n';
    const wire = `${http}${part.line} HTTP/1.1\n\n\n${http}GET Post/$count HTTP/1.1\n\n\n--b--`;
    const { status, text } = await sendMultipart(gateway, wire, { prefer: 'continue-on-error' });
    expect([status, text.match(/^HTTP.*/gm)]).toStrictEqual([
      200,
      ['HTTP/1.1 400 Bad Request', 'HTTP/1.1 200 OK'],
    ]);
    expect(JSON.parse(/^\{.*\}/m.exec(text)?.[0] ?? '').error.message).toBe(`Batch, ${part.message}`);
  });

  it.each([
    ['GET Post/$count', 'a change in a change set, found GET'],
    ['POST http://other.example/Post', 'a URL of this service, found "http://other.example/Post"'],
  ])('fails a change set with %s, of which nothing is sent (11.7)', async (line, message) => {
    const http = 'Content-Type: application/http\n\n';
    const set = `--c\n${http}POST Post\nContent-Type: application/json\n\n{"title":"x"}\n--c\n${http}${line}\n\n\n--c--`;
    const wire = `--b\nContent-Type: multipart/mixed;boundary=c\n\n${set}\n--b\n${http}GET Post/$count\n\n\n--b--`;
    const { status, text, asked } = await sendMultipart(gateway, wire, { prefer: 'continue-on-error' });
    expect([status, text.match(/^HTTP.*/gm), asked]).toStrictEqual([
      200,
      ['HTTP/1.1 400 Bad Request', 'HTTP/1.1 200 OK'],
      ['GET /posts'],
    ]);
    expect(JSON.parse(/^\{.*\}/m.exec(text)?.[0] ?? '').error.message).toBe(
      `Batch, part 1, part 2: expected ${message}.`,
    );
  });

  it.each([
    'Post/$count',
    '/odata/Post/$count',
    'odata/Post/$count',
    './Post/$count',
    '~/Post/$count',
    '^/odata/Post/$count',
    'Post/%24count',
  ])('takes URLs of every form: %s', async (written) => {
    const url = written.replace('~', `${gateway.url}/odata`).replace('^', gateway.url.replace('http:', ''));
    const wire = `--b\r\nContent-Type: application/http\r\n\r\nGET ${url} HTTP/1.1\r\n\r\n--b--`;
    const { text } = await sendMultipart(gateway, wire);
    expect(text).toContain('HTTP/1.1 200 OK');
  });

  it('takes the credentials of the batch again in its parts', async () => {
    const authorization = 'Bearer same';
    const wire = `--b\nContent-Type: application/http\n\nGET Post/$count\nAuthorization: ${authorization}\n\n--b--`;
    const { text } = await sendMultipart(gateway, wire, { authorization });
    expect(text).toContain('HTTP/1.1 200 OK');
  });

  it.each([
    ['multipart/mixed', 400],
    ['multipart/mixed;boundary=', 400],
    ['multipart/form-data;boundary=b', 415],
    ['application/json;charset=utf-7', 415],
    ['text/plain', 415],
  ])('does not take Content-Type: %s', async (contentType, expected) => {
    const { status, asked } = await sendBatch(gateway, '--b--', { 'content-type': contentType });
    expect([status, asked]).toStrictEqual([expected, []]);
  });

  it('says how long the bodies are, in bytes', async () => {
    const wire = '--b\nContent-Type: application/http\n\nGET Post/$count\n\n--b--';
    const headers = { 'content-type': 'multipart/mixed;boundary=b' };
    const { text } = await gateway.fetch('/odata/$batch', { method: 'POST', body: wire, headers });
    expect(text).toMatch(/Content-Length: 1\r\n\r\n4\r\n--batchresponse_[\da-f-]{36}--\r\n$/);
  });

  it('forwards bytes that are no UTF-8 unchanged', async () => {
    const body = Buffer.from([0x7b, 0x22, 0x74, 0x22, 0x3a, 0x22, 0xff, 0xc0, 0x80, 0x22, 0x7d]);
    gateway.upstream.behave((_, reply) => reply.send(201, '{"id":101}'));
    const head =
      '--b\r\nContent-Type: application/http\r\n\r\nPOST Post\r\nContent-Type: application/json\r\n\r\n';
    const wire = Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n--b--')]);
    const headers = { 'content-type': 'multipart/mixed;boundary=b' };
    const answer = await gateway.fetch('/odata/$batch', { method: 'POST', body: wire, headers });
    expect(answer.text).toContain('HTTP/1.1 201 Created');
    expect(gateway.upstream.requests.at(-1)?.body.equals(body)).toBe(true);
  });
});

/** Reads are sent at the same time, so that any of them may be the first; changes have an order. */
function readsSorted(asked: readonly string[]): readonly string[] {
  return asked.every((call) => call.startsWith('GET ')) ? asked.toSorted() : asked;
}
