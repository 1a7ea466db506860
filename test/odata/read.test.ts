import { beforeEach, describe, expect, it } from 'vitest';
import { POSTS, postsApi, useGateway } from '../support/running-gateway.ts';
import { READS } from './read.cases.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

const root = () => `${gateway.url}/odata`;

describe('a read', () => {
  it.each(READS)('answers $target', async ({ target, body }) => {
    const answer = await gateway.fetch(`/odata${target}`);
    expect(JSON.parse(answer.text.replaceAll(root(), '~'))).toStrictEqual(body);
    expect(answer.status).toBe(200);
  });

  it('says what its answer is', async () => {
    const { headers } = await gateway.fetch('/odata/Post');
    expect(headers.get('content-type')).toBe('application/json;odata.metadata=minimal');
    expect(headers.get('odata-version')).toBe('4.0');
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('asks the upstream each time, and sees what has changed', async () => {
    const before = gateway.upstream.requests.length;
    const titles: unknown[] = [];
    for (const title of ['a', 'a', 'b']) {
      gateway.upstream.behave((_, reply) => reply.json([{ ...POSTS[0], title }]));
      const { text } = await gateway.fetch('/odata/Post?$select=Title');
      titles.push(JSON.parse(text).value[0].Title);
    }
    expect(titles).toStrictEqual(['a', 'a', 'b']);
    expect(gateway.upstream.requests.length - before).toBe(3);
  });

  it('reads the names of the upstream in any case', async () => {
    gateway.upstream.behave((_, reply) => reply.json({ USERID: 1, Id: 7, tItLe: 'x', body: 'y' }));
    const answer = await gateway.fetch("/odata/Post('7')");
    expect(JSON.parse(answer.text)).toStrictEqual({
      '@odata.context': `${root()}/$metadata#Post/$entity`,
      UserId: 1,
      Id: '7',
      Title: 'x',
      Body: 'y',
    });
  });

  it('identifies the gateway and hands on the request’s name, and nothing else of the client’s', async () => {
    await gateway.fetch('/odata/Post', {
      headers: {
        'x-application-name': 'evil',
        authorization: 'Bearer t',
        cookie: 'a=b',
        'x-forwarded-host': 'evil',
      },
    });
    const { headers, target } = gateway.upstream.requests.at(-1) ?? { headers: {}, target: '' };
    expect(target).toBe('/posts');
    expect(Object.keys(headers).sort()).toStrictEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
      'x-application-name',
      'x-gateway-api-name',
      'x-request-id',
    ]);
    expect(headers).toMatchObject({ 'x-application-name': 'posts-app', 'x-gateway-api-name': 'posts-api' });
  });
});

describe('versions and formats', () => {
  it.each([
    [{}, '4.0', '@odata.count', 'application/json;odata.metadata=minimal'],
    [{ 'odata-maxversion': '4.0' }, '4.0', '@odata.count', 'application/json;odata.metadata=minimal'],
    [{ 'odata-maxversion': '4.01' }, '4.01', '@count', 'application/json;metadata=minimal'],
    [{ accept: '*/*' }, '4.0', '@odata.count', 'application/json;odata.metadata=minimal'],
    [
      { accept: 'application/json;odata.metadata=none' },
      '4.0',
      '@odata.count',
      'application/json;odata.metadata=none',
    ],
    [
      { accept: 'application/json;charset=utf-8' },
      '4.0',
      '@odata.count',
      'application/json;odata.metadata=minimal;charset=utf-8',
    ],
    [
      { accept: 'text/html;q=0.9,application/*;q=0.8' },
      '4.0',
      '@odata.count',
      'application/json;odata.metadata=minimal',
    ],
  ])('answers %j with version %s', async (headers, version, count, contentType) => {
    const answer = await gateway.fetch('/odata/Post?$count=true&$top=0', { headers });
    expect(answer.headers.get('odata-version')).toBe(version);
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(JSON.parse(answer.text)[count]).toBe(4);
  });

  it('writes a count as a string where the client asks for IEEE 754 (JSON Format, 3.2)', async () => {
    const accept = 'application/json;odata.metadata=minimal;IEEE754Compatible=true';
    const { text, headers } = await gateway.fetch('/odata/Post?$count=true&$top=0', { headers: { accept } });
    expect(JSON.parse(text)['@odata.count']).toBe('4');
    expect(headers.get('content-type')).toBe(accept);
  });

  it('shows no control information without metadata, but the count (JSON Format, 3.1.3)', async () => {
    const { text } = await gateway.fetch(
      '/odata/Post?$count=true&$select=Title&$top=1&$format=application/json;metadata=none',
    );
    expect(JSON.parse(text)).toStrictEqual({ '@odata.count': 4, value: [{ Title: 'Cedar' }] });
  });

  it("answers Excel's request in JSON 4.0", async () => {
    const accept =
      'application/json;odata.metadata=minimal;q=1.0, application/json;odata=minimalmetadata;q=0.9, application/atomsvc+xml;q=0.8, application/atom+xml;q=0.8, application/xml;q=0.7, text/plain;q=0.7';
    const headers = { accept, 'odata-maxversion': '4.0', maxdataserviceversion: '3.0' };
    const answer = await gateway.fetch('/odata/Post', { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json;odata.metadata=minimal');
    const metadata = await gateway.fetch('/odata/$metadata', { headers });
    expect(metadata.headers.get('content-type')).toBe('application/xml');
  });

  it('answers HEAD with the header fields of GET', async () => {
    const head = await gateway.fetch('/odata/Post', { method: 'HEAD' });
    const { text } = await gateway.fetch('/odata/Post');
    expect(head.text).toBe('');
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });
});
