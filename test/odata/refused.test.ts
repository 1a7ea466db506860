import { describe, expect, it } from 'vitest';
import { rawRequest } from '../support/raw-request.ts';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { REFUSED } from './refused.cases.ts';

const gateway = useGateway();

describe('a request that is wrong', () => {
  it.each(REFUSED)('is refused: $target', async ({ target, status, error }) => {
    gateway.upstream.behave(postsApi);
    const before = gateway.upstream.requests.length;
    const answer = await rawRequest(gateway.url, `/odata${target}`);
    expect(JSON.parse(answer.text)).toStrictEqual({ error });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-language': 'en',
      'cache-control': 'no-store',
      'odata-version': '4.0',
    });
    expect(gateway.upstream.requests.length).toBe(before);
  });

  it('is told what is possible instead (Part 1, 9.2.2)', async () => {
    for (const [path, method, allow] of [
      ['/odata/Post', 'PATCH', 'GET, HEAD, POST, OPTIONS'],
      ["/odata/Post('1')", 'DELETE', 'GET, HEAD, OPTIONS'],
      ['/odata/Post/$count', 'POST', 'GET, HEAD, OPTIONS'],
      ['/odata/$metadata', 'PUT', 'GET, HEAD, OPTIONS'],
      ['/odata', 'POST', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const { status, headers } = await gateway.fetch(path, { method });
      expect([path, status, headers.get('allow')]).toStrictEqual([path, 405, allow]);
    }
  });

  it.each([
    [
      { 'odata-maxversion': '3.0' },
      'OData-MaxVersion: expected 4.0 or greater, found "3.0".',
      'OData-MaxVersion',
    ],
    [{ 'odata-version': '5.0' }, 'OData-Version: expected 4.0 or 4.01, found "5.0".', 'OData-Version'],
  ])('is refused for its version: %j', async (headers, message, target) => {
    const { status, text } = await gateway.fetch('/odata/Post', { headers });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toStrictEqual({ error: { code: 'BadRequest', message, target } });
  });

  it.each([
    'application/xml',
    'text/plain',
    'application/json;odata.metadata=huge',
    'application/json;foo=bar',
  ])('is not acceptable: %s', async (accept) => {
    const { status, text } = await gateway.fetch('/odata/Post', { headers: { accept } });
    expect(status).toBe(406);
    expect(text).toContain(
      'Accept: this resource is available as application/json, text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/jsonl or application/x-ndjson.',
    );
  });
});

describe('a key', () => {
  it.each([
    ['..%2Fusers', '..%2Fusers'],
    ['a%2Fb', 'a%2Fb'],
    ['1%3Fx=y', '1%3Fx%3Dy'],
    ['1%23f', '1%23f'],
    ['..%252Fusers', '..%252Fusers'],
    ['$%26', '%24%26'],
    ['%7Benv.PATH%7D', '%7Benv.PATH%7D'],
    ['%20', '%20'],
    ['%C3%A4', '%C3%A4'],
    ['%5C..%5C', '%5C..%5C'],
    ["O''Neil", "O'Neil"],
  ])('%s stays one segment of the path upstream', async (key, segment) => {
    gateway.upstream.behave(postsApi);
    const { status } = await rawRequest(gateway.url, `/odata/Post('${key}')`);
    expect(gateway.upstream.requests.at(-1)?.target).toBe(`/posts/${segment}`);
    expect(status).toBe(404);
  });
});
