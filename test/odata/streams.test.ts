import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';
import type { Behaviour, Reply } from '../support/stand-in-upstream.ts';
import { PHOTOS_DOCUMENT } from './streams.document.ts';

const project = mkdtempSync(join(tmpdir(), 'photos-'));
writeFileSync(join(project, 'photos.json'), JSON.stringify(PHOTOS_DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Photos\n    handler:\n      openapi:\n        source: ./photos.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml'), UPSTREAM_BODY_MIB: '1' });
/** The same, for what is to meet its deadline: anything else takes its time where the machine is busy. */
const impatient = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml'), UPSTREAM_TIMEOUT_MS: '1000' });

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\xff', 'latin1');
const PHOTO = { id: 1, title: 'Harbour', mime_type: 'image/png', content_tag: '"a"', thumbnail_version: 3 };
const MEDIA = '/Photos(1)/$value';

/** The last request for the bytes of {@link MEDIA}; the photo itself is asked for beside them. */
const mediaRead = () => gateway.upstream.requests.findLast(({ target }) => target === '/photos/1/content');

/** Has photo 1 and nothing else. */
const api: Behaviour = ({ method, target }, reply) => {
  if (method === 'POST' && target === '/photos') reply.send(201, JSON.stringify(PHOTO));
  else if (method === 'PUT' || method === 'DELETE') reply.send(204);
  else if (target === '/photos/1') reply.json(PHOTO);
  else if (target === '/photos') reply.json([PHOTO]);
  else if (target === '/photos/1/content') reply.send(200, PNG, { 'content-type': 'image/png', etag: '"a"' });
  else reply.send(404, 'secret');
};
beforeEach(() => gateway.upstream.behave(api));

/** Behaves so at the path of a stream, and else as ever. */
function streaming(
  behave: (reply: Reply, headers: Readonly<Record<string, string>>) => void,
  { upstream } = gateway,
): void {
  upstream.behave((request, reply) => {
    if (request.target.endsWith('/content')) behave(reply, request.headers);
    else api(request, reply);
  });
}

function fetchOData(target: string, init?: RequestInit): Promise<Response> {
  return fetch(`${gateway.url}/odata${target}`, init);
}

interface StreamRequest {
  readonly status: number;
  readonly error: unknown;
  readonly headers: Headers;
  /** The requests that the upstream received meanwhile. */
  readonly calls: readonly string[];
}

async function ask(
  method: string,
  target: string,
  headers = {},
  body?: string | Buffer,
): Promise<StreamRequest> {
  const before = gateway.upstream.requests.length;
  const sent = body === undefined ? null : new Uint8Array(Buffer.from(body));
  const response = await fetchOData(target, { method, headers, body: sent });
  const text = await response.text();
  const calls = gateway.upstream.requests.slice(before).map((each) => `${each.method} ${each.target}`);
  const error = response.status < 400 ? undefined : JSON.parse(text).error.code;
  return { status: response.status, error, headers: response.headers, calls };
}

describe('streams within their entities (Part 2, 5.1.3, and JSON Format, 9 and 10)', () => {
  const streams: Readonly<Record<string, readonly [string, string | Buffer]>> = {
    '/photos/1/content': ['image/png', PNG],
    '/photos/1/thumbnail': ['image/jpeg', Buffer.from([255, 254, 253])],
    '/photos/2/content': ['text/plain', 'two'],
    '/photos/2/thumbnail': ['text/plain; charset=utf-8', 'zwei: ²'],
    '/photos/3/thumbnail': ['application/vnd.x+json', '{"a":[1.50,12345678901234567890],"b":null}'],
  };
  const photos = [1, 2, 3].map((id) => ({ ...PHOTO, id }));
  const many: Behaviour = ({ target }, reply) => {
    const [mediaType, body] = streams[target] ?? [];
    if (target === '/photos') return reply.json(photos);
    const photo = photos.find(({ id }) => target === `/photos/${id}`);
    if (photo !== undefined) return reply.json(photo);
    if (mediaType === undefined || body === undefined) return reply.send(404, 'secret');
    reply.send(200, body, { 'content-type': mediaType });
  };
  const textOf = async (target: string, headers = {}) => {
    gateway.upstream.behave(many);
    const text = await (await fetchOData(target, { headers })).text();
    return text.replace(/^\{"@(?:odata\.)?context":"[^"]*",?/, '{');
  };
  const [png, jpeg] = [PNG.toString('base64url'), '__79'];

  it.each<readonly [string, string]>([
    [
      '/Photos?$select=Id&$expand=Thumbnail',
      `{"value":[{"Id":1,"Thumbnail@odata.mediaContentType":"image/jpeg","Thumbnail":"${jpeg}"},{"Id":2,"Thumbnail@odata.mediaContentType":"text/plain; charset=utf-8","Thumbnail":"zwei: ²"},{"Id":3,"Thumbnail@odata.mediaContentType":"application/vnd.x+json","Thumbnail":{"a":[1.50,12345678901234567890],"b":null}}]}`,
    ],
    [
      '/Photos?$select=Id&$expand=$value',
      `{"value":[{"Id":1,"@odata.mediaContentType":"image/png","$value":"${png}"},{"Id":2,"@odata.mediaContentType":"text/plain","$value":"${Buffer.from('two').toString('base64url')}"},{"Id":3,"$value":null}]}`,
    ],
    [
      '/Photos(1)?$select=Title&$expand=Thumbnail/$value,$value&$format=application/json;odata.metadata=none',
      `{"Title":"Harbour","Thumbnail":"${jpeg}","$value":"${png}"}`,
    ],
    [
      '/Photos?$filter=Id eq 1&$select=Id&$expand=Thumbnail&$count=true',
      `{"@odata.count":1,"value":[{"Id":1,"Thumbnail@odata.mediaContentType":"image/jpeg","Thumbnail":"${jpeg}"}]}`,
    ],
  ])('%s', async (target, expected) => {
    expect(await textOf(target)).toBe(expected);
  });

  it('are announced by $metadata where there are any', async () => {
    const { Container } = (await (await fetchOData('/$metadata?$format=json')).json()).Photos;
    expect(Container.Photos['@Capabilities.ExpandRestrictions']).toStrictEqual({ StreamsExpandable: true });
  });

  it('have no prefix in 4.01', async () => {
    const answer = await textOf('/Photos(1)?$select=Id&$expand=Thumbnail', { 'odata-maxversion': '4.01' });
    expect(answer).toBe(`{"Id":1,"Thumbnail@mediaContentType":"image/jpeg","Thumbnail":"${jpeg}"}`);
  });

  it('stand beside the links in full metadata', async () => {
    const answer = await textOf(
      '/Photos(1)?$select=Id,Thumbnail&$expand=Thumbnail&$format=application/json;odata.metadata=full',
    );
    expect(JSON.parse(answer)).toMatchObject({
      'Thumbnail@odata.mediaReadLink': 'Photos(1)/Thumbnail',
      'Thumbnail@odata.mediaContentType': 'image/jpeg',
      Thumbnail: jpeg,
    });
  });

  it('are read anew for each answer', async () => {
    await textOf('/Photos?$select=Id&$expand=Thumbnail');
    gateway.upstream.behave((request, reply) =>
      request.target.endsWith('/thumbnail')
        ? reply.send(200, 'later', { 'content-type': 'text/plain' })
        : many(request, reply),
    );
    const answer = await (await fetchOData('/Photos?$select=Id&$expand=Thumbnail&$top=1')).json();
    expect(answer).toMatchObject({ value: [{ Thumbnail: 'later' }] });
  });

  it.each([
    ['text/plain', Buffer.from([0xff]), 'A stream that is to be shown in its entity is not text in UTF-8.'],
    ['application/json', '{"a":', 'A stream that is to be shown in its entity is not JSON.'],
  ])('fail the answer where %s is none', async (mediaType, body, message) => {
    gateway.upstream.behave((request, reply) =>
      request.target.endsWith('/thumbnail')
        ? reply.send(200, body, { 'content-type': mediaType })
        : many(request, reply),
    );
    const response = await fetchOData('/Photos(1)?$expand=Thumbnail');
    expect([response.status, await response.json()]).toMatchObject([502, { error: { message } }]);
  });

  it('are no more than a hundred', async () => {
    const before = gateway.upstream.requests.length;
    gateway.upstream.behave((_, reply) =>
      reply.json(Array.from({ length: 101 }, (_item, id) => ({ ...PHOTO, id }))),
    );
    const response = await fetchOData('/Photos?$expand=Thumbnail');
    const message =
      '$expand: expected at most 100 streams within one answer, found 101; ask for fewer entities.';
    expect([response.status, await response.json()]).toMatchObject([400, { error: { message } }]);
    expect(gateway.upstream.requests.length - before).toBe(1);
  });
});

describe('a stream that is read (Part 1, 11.2.3 and 11.2.5)', () => {
  it('comes as the upstream has it, with nothing else of its header fields', async () => {
    const more = { 'content-disposition': 'inline', 'set-cookie': 'a=b', 'x-secret': 's', server: 'x' };
    streaming((reply) => reply.send(200, PNG, { 'content-type': 'image/png', etag: '"a"', ...more }));
    const response = await fetchOData(MEDIA);
    expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true);
    expect(response.status).toBe(200);
    const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      etag: '"a"',
      'odata-version': '4.0',
      'accept-ranges': 'none',
      'cache-control': 'private, no-cache',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    for (const name of [...Object.keys(more)]) expect(headers).not.toHaveProperty(name);
  });

  it.each([
    ['image/svg+xml; charset=utf-8', 'image/svg+xml; charset=utf-8'],
    ['text/html', 'text/html'],
    [undefined, 'image/png'],
    ['nonsense', 'image/png'],
  ])('of the media type %s says %s, that of the entity where there is none', async (type, shown) => {
    streaming((reply) => reply.send(200, '<b>', type === undefined ? {} : { 'content-type': type }));
    const { headers } = await ask('GET', MEDIA);
    expect(headers.get('content-type')).toBe(shown);
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  });

  it('has no length where the upstream says none, and takes longer than the deadline', async () => {
    streaming((reply) => {
      reply.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n');
      setTimeout(() => reply.write('3\r\ntwo\r\n0\r\n\r\n'), 1_200);
    }, impatient);
    const response = await fetch(`${impatient.url}/odata${MEDIA}`);
    expect(response.headers.get('content-length')).toBeNull();
    expect(await response.text()).toBe('onetwo');
  });

  it('is passed on before its end has come', async () => {
    let finish = (): void => undefined;
    streaming((reply) => {
      reply.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\none');
      finish = () => reply.write('two');
    });
    const { body } = await fetchOData(MEDIA);
    const reader = body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
  });

  it('may be longer than other answers', async () => {
    const long = Buffer.alloc(3 * 1024 * 1024, 'x');
    streaming((reply) => reply.send(200, long, { 'content-type': 'image/png' }));
    expect((await (await fetchOData(MEDIA)).arrayBuffer()).byteLength).toBe(long.length);
  });

  it('is decoded where the upstream encodes it unasked', async () => {
    const { gzipSync } = await import('node:zlib');
    const headers = { 'content-encoding': 'gzip', etag: '"a"' };
    streaming((reply) => reply.send(200, gzipSync('plain'), headers));
    const response = await fetchOData(MEDIA);
    expect(await response.text()).toBe('plain');
    expect(response.headers.get('etag')).toBe('W/"a"');
    expect(response.headers.get('content-length')).toBeNull();
  });

  it('has no body for HEAD, and gives the upstream up', async () => {
    streaming((reply) => reply.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nx'));
    const response = await fetchOData(MEDIA, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length')]).toStrictEqual([200, '1000']);
    await mediaRead()?.closed;
  });

  it.each([
    ['GET', '/Photos(1)/Thumbnail', 204, undefined],
    ['GET', '/Photos(2)/Thumbnail', 404, 'NotFound'],
    ['GET', '/Photos(2)/$value', 404, 'NotFound'],
    ['GET', "/Photos('x')/$value", 400, 'BadRequest'],
    ['GET', '/Photos(1)/$value/$value', 400, 'BadRequest'],
    ['GET', '/Photos(1)/$value?$select=Id', 400, 'BadRequest'],
    ['GET', '/Photos?$expand=Thumbnail,Thumbnail/$value', 400, 'BadRequest'],
    ['GET', '/Photos?$expand=Thumbnail($filter=true)', 400, 'BadRequest'],
    ['GET', '/Photos?$expand=Thumbnail/$count', 400, 'BadRequest'],
    ['GET', '/Photos?$expand=Thumbnail/Width', 400, 'BadRequest'],
    ['POST', MEDIA, 405, 'MethodNotAllowed'],
    ['PATCH', MEDIA, 405, 'MethodNotAllowed'],
    ['DELETE', '/Photos(1)/Thumbnail', 405, 'MethodNotAllowed'],
  ])('%s %s: %i %s', async (method, target, status, code) => {
    expect(await ask(method, target)).toMatchObject({ status, error: code });
  });

  it('says what is possible', async () => {
    expect((await ask('OPTIONS', MEDIA)).headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
    expect((await ask('DELETE', '/Photos(1)/Thumbnail')).headers.get('allow')).toBe(
      'GET, HEAD, PUT, OPTIONS',
    );
  });
});

describe('the state of a stream in the payload of its entity (JSON Format, 4.5.13)', () => {
  const stated = async () => {
    const accept = 'application/json;odata.metadata=full';
    const entity: Readonly<Record<string, unknown>> = await (
      await fetchOData('/Photos(1)', { headers: { accept } })
    ).json();
    return Object.fromEntries(
      Object.entries(entity).filter(([name]) => /media(?:Etag|ContentType)$/.test(name)),
    );
  };

  it('is what properties say, in the form of an entity tag', async () => {
    expect(await stated()).toStrictEqual({
      '@odata.mediaEtag': '"a"',
      '@odata.mediaContentType': 'image/png',
      'Thumbnail@odata.mediaEtag': '"3"',
    });
    const read = await fetchOData(MEDIA, { headers: { 'if-none-match': '"a"' } });
    expect(read.status).toBe(304);
  });

  it('is left out where they do not say it', async () => {
    gateway.upstream.behave((_, reply) => reply.json({ id: 1, content_tag: null }));
    expect(await stated()).toStrictEqual({});
  });
});

describe('the state of a stream (RFC 9110, 13)', () => {
  it.each([
    ['an upstream that compares', 304],
    ['one that does not', 200],
  ])('is not sent again by %s', async (_, status) => {
    streaming((reply) => reply.send(status, status === 304 ? '' : PNG, { etag: '"a"' }));
    const response = await fetchOData(MEDIA, { headers: { 'if-none-match': '"a"' } });
    expect([response.status, response.headers.get('etag'), await response.text()]).toStrictEqual([
      304,
      '"a"',
      '',
    ]);
    expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(gateway.upstream.requests.at(-1)?.headers['if-none-match']).toBe('"a"');
  });

  it('is refused to whoever wants it in another state (Part 1, 8.2.4)', async () => {
    streaming((reply) => reply.send(200, PNG, { etag: '"a"' }));
    const read = (match: string) => fetchOData(MEDIA, { headers: { 'if-match': match } });
    for (const match of ['"a"', 'W/"a"', '"b", "a"', '*']) expect((await read(match)).status).toBe(200);
    const refused = await read('"b"');
    expect([refused.status, JSON.parse(await refused.text()).error.message]).toStrictEqual([
      412,
      'If-Match: expected the ETag "b", found "a".',
    ]);
  });

  it('is no 304 unasked', async () => {
    streaming((reply) => reply.send(304));
    expect(await ask('GET', MEDIA)).toMatchObject({ status: 502, error: 'UpstreamBadResponse' });
  });

  it('has parts where the upstream gives them', async () => {
    const part = { 'content-range': 'bytes 1-3/10', 'content-type': 'image/png', etag: '"a"' };
    streaming((reply) => reply.send(206, 'PNG', part));
    const response = await fetchOData(MEDIA, { headers: { range: 'bytes=1-3', 'if-range': '"a"' } });
    expect([response.status, await response.text()]).toStrictEqual([206, 'PNG']);
    expect(response.headers.get('content-range')).toBe('bytes 1-3/10');
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    const { range, 'if-range': ifRange } = gateway.upstream.requests.at(-1)?.headers ?? {};
    expect([range, ifRange]).toStrictEqual(['bytes=1-3', '"a"']);
  });

  it.each(['bytes=0-1,4-5', 'lines=1-2'])('is whole for the range %s', async (range) => {
    expect(await ask('GET', MEDIA, { range })).toMatchObject({ status: 200 });
    expect(gateway.upstream.requests.at(-1)?.headers).not.toHaveProperty('range');
  });

  it.each([
    ['a range that is not there', 416, {}, { range: 'bytes=90-' }, 416, 'RangeNotSatisfiable'],
    [
      'a part that nobody asked for',
      206,
      { 'content-range': 'bytes 1-3/10' },
      {},
      502,
      'UpstreamBadResponse',
    ],
    ['a part of nobody knows what', 206, {}, { range: 'bytes=1-3' }, 502, 'UpstreamBadResponse'],
    [
      'a part of what is encoded',
      206,
      { 'content-range': 'bytes 1-3/10', 'content-encoding': 'gzip' },
      { range: 'bytes=1-3' },
      502,
      'UpstreamBadResponse',
    ],
  ])('is not %s', async (_, answered, given, sent, status, error) => {
    streaming((reply) => reply.send(answered, 'x', given));
    expect(await ask('GET', MEDIA, sent)).toMatchObject({ status, error });
  });
});

describe('a stream that breaks off', () => {
  it.each<[string, (reply: Reply) => void]>([
    ['with a length', (reply) => reply.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf')],
    [
      'in chunks',
      (reply) => reply.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
    ],
    [
      'in a content coding',
      (reply) =>
        reply.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1000\r\n\r\n\x1f\x8b\x08'),
    ],
  ])('%s breaks the connection off', async (_, begin) => {
    streaming((reply) => {
      begin(reply);
      setTimeout(() => reply.reset(), 50);
    });
    await expect(fetchOData(MEDIA).then((response) => response.arrayBuffer())).rejects.toThrow();
    gateway.upstream.behave(api);
    expect(await ask('GET', MEDIA)).toMatchObject({ status: 200 });
  });

  it('is given up when the client goes', async () => {
    streaming((reply) => reply.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf'));
    const sent = request(`${gateway.url}/odata${MEDIA}`).end();
    sent.on('error', () => undefined);
    await once(sent, 'response');
    sent.destroy();
    await mediaRead()?.closed;
  });
});

describe('an upstream that fails', () => {
  it.each<[string, (reply: Reply) => void, number, string]>([
    ['answers 500', (reply) => reply.send(500, 'secret'), 502, 'UpstreamUnavailable'],
    ['answers 401', (reply) => reply.send(401, 'secret'), 502, 'UpstreamBadResponse'],
    [
      'answers 302',
      (reply) => reply.send(302, 'secret', { location: '/secret' }),
      502,
      'UpstreamBadResponse',
    ],
    ['answers 429', (reply) => reply.send(429, 'secret'), 503, 'UpstreamThrottled'],
    ['hangs up', (reply) => reply.reset(), 502, 'UpstreamUnavailable'],
    ['speaks no HTTP', (reply) => reply.write('secret\r\n\r\n'), 502, 'UpstreamBadResponse'],
    [
      'encodes as nobody knows',
      (reply) => reply.send(200, 'secret', { 'content-encoding': 'secret' }),
      502,
      'UpstreamBadResponse',
    ],
  ])('and %s is told of as elsewhere', async (_, misbehave, status, code) => {
    streaming((reply) => misbehave(reply));
    const response = await fetchOData(MEDIA);
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.code]).toStrictEqual([status, code]);
    expect(text).not.toContain('secret');
  });

  it('and is silent is told of as elsewhere', async () => {
    streaming(() => undefined, impatient);
    const { status, text } = await impatient.fetch(`/odata${MEDIA}`);
    expect([status, JSON.parse(text).error.code]).toStrictEqual([504, 'UpstreamTimeout']);
  });
});

describe('a stream that is changed (Part 1, 11.4.7 and 11.4.8)', () => {
  const png = { 'content-type': 'image/png' };

  it('reaches the upstream byte for byte', async () => {
    const put = await ask('PUT', MEDIA, png, PNG);
    expect(put).toMatchObject({ status: 204, calls: ['PUT /photos/1/content'] });
    const { headers, body } = gateway.upstream.requests.at(-1) ?? {};
    expect([headers?.['content-type'], body?.equals(PNG)]).toStrictEqual(['image/png', true]);
    expect(headers?.['x-application-name']).toBeUndefined();
  });

  it('may be empty', async () => {
    expect(await ask('PUT', MEDIA, png, '')).toMatchObject({ status: 204 });
    expect(gateway.upstream.requests.at(-1)?.body.length).toBe(0);
  });

  it('is gone', async () => {
    expect(await ask('DELETE', MEDIA)).toMatchObject({ status: 204, calls: ['DELETE /photos/1/content'] });
  });

  it('is of any type where the document does not say', async () => {
    expect(await ask('PUT', '/Photos(1)/Thumbnail', { 'content-type': 'x/y' }, 'b')).toMatchObject({
      status: 204,
    });
    expect(gateway.upstream.requests.at(-1)?.headers['content-type']).toBe('x/y');
  });

  it('says its new state, and shows nothing else of the answer', async () => {
    streaming((reply) => reply.send(200, 'secret', { etag: '"b"' }));
    const response = await fetchOData(MEDIA, { method: 'PUT', headers: png, body: 'b' });
    expect([response.status, response.headers.get('etag'), await response.text()]).toStrictEqual([
      204,
      '"b"',
      '',
    ]);
  });

  it.each([
    ['another type', { 'content-type': 'image/gif' }],
    ['no type', {}],
    ['a content coding', { ...png, 'content-encoding': 'gzip' }],
  ])('is not taken with %s', async (_, headers) => {
    const sent = await ask('PUT', MEDIA, headers, PNG);
    expect(sent).toMatchObject({ status: 415, error: 'UnsupportedMediaType', calls: [] });
  });

  it.each([
    [400, 400, 'BadRequest'],
    [404, 404, 'NotFound'],
    [409, 409, 'Conflict'],
    [413, 413, 'PayloadTooLarge'],
    [415, 415, 'UnsupportedMediaType'],
    [422, 422, 'UnprocessableContent'],
    [403, 502, 'UpstreamBadResponse'],
    [500, 502, 'UpstreamUnavailable'],
  ])('is refused by the upstream with %i', async (answered, status, error) => {
    streaming((reply) => reply.send(answered, 'secret'));
    expect(await ask('PUT', MEDIA, png, PNG)).toMatchObject({ status, error });
  });

  it.each([
    ['PUT', { 'if-match': '"a"' }, 204],
    ['PUT', { 'if-match': '*' }, 204],
    ['PUT', { 'if-match': '"b"' }, 412],
    ['PUT', { 'if-none-match': '*' }, 412],
    ['PUT', { 'if-none-match': '"b"' }, 204],
    ['DELETE', { 'if-match': '"a"' }, 204],
    ['DELETE', { 'if-match': '"b"' }, 412],
  ])('%s under %o: %i', async (method, condition, status) => {
    const requested = await ask(method, MEDIA, { ...png, ...condition }, method === 'PUT' ? PNG : undefined);
    expect(requested.status).toBe(status);
    const change = status === 204 ? [`${method} /photos/1/content`] : [];
    expect(requested.calls).toStrictEqual(['GET /photos/1/content', ...change]);
    const [[name, value] = []] = Object.entries(condition);
    if (status === 204) expect(gateway.upstream.requests.at(-1)?.headers[name ?? '']).toBe(value);
  });

  it('is set where there is none', async () => {
    const none = { ...png, 'if-none-match': '*' };
    expect(await ask('PUT', '/Photos(1)/Thumbnail', none, PNG)).toMatchObject({
      status: 204,
      calls: ['GET /photos/1/thumbnail', 'GET /photos/1', 'PUT /photos/1/thumbnail'],
    });
  });
});

describe('a media entity that is created from its stream (Part 1, 11.4.7.1)', () => {
  it('is answered with', async () => {
    const response = await fetchOData('/Photos', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: new Uint8Array(PNG),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`${gateway.url}/odata/Photos(1)`);
    expect(await response.json()).toStrictEqual({
      '@odata.context': `${gateway.url}/odata/$metadata#Photos/$entity`,
      Id: 1,
      Title: 'Harbour',
      MimeType: 'image/png',
      ContentTag: '"a"',
      ThumbnailVersion: 3,
    });
    const { headers, body } = gateway.upstream.requests.at(-1) ?? {};
    expect([headers?.['content-type'], body?.equals(PNG)]).toStrictEqual(['image/png', true]);
  });

  it.each(['application/json', 'text/plain'])('is not made of %s', async (type) => {
    const created = await ask('POST', '/Photos', { 'content-type': type }, '{}');
    expect(created).toMatchObject({ status: 415, error: 'UnsupportedMediaType', calls: [] });
  });
});

describe('functions and actions that return a stream (Part 1, 11.5)', () => {
  it.each([
    ['GET', '/Report(Year=2026)', undefined, 'GET /report?year=2026'],
    ['GET', '/Photos(1)/Photos.GetPrint()', undefined, 'GET /photos/1/print'],
    ['POST', '/Export', '{"From":"now"}', 'POST /export'],
  ])('%s %s', async (method, target, body, call) => {
    gateway.upstream.behave((_, reply) => reply.send(200, 'a,b', { 'content-type': 'text/csv' }));
    const before = gateway.upstream.requests.length;
    const init = { method, headers: { 'content-type': 'application/json' }, body: body ?? null };
    const response = await fetchOData(target, init);
    expect([response.status, await response.text()]).toStrictEqual([200, 'a,b']);
    expect(response.headers.get('content-type')).toBe('text/csv');
    const calls = gateway.upstream.requests.slice(before);
    expect(calls.map((each) => `${each.method} ${each.target}`)).toStrictEqual([call]);
    if (body !== undefined) expect(JSON.parse(String(calls[0]?.body))).toStrictEqual({ from: 'now' });
  });

  it('may return nothing, or fail', async () => {
    gateway.upstream.behave((_, reply) => reply.send(204));
    expect(await ask('GET', '/Report(Year=2026)')).toMatchObject({ status: 204 });
    gateway.upstream.behave((_, reply) => reply.send(500, 'secret'));
    expect(await ask('GET', '/Report(Year=2026)')).toMatchObject({
      status: 502,
      error: 'UpstreamUnavailable',
    });
  });
});

it('a stream is whole in a batch', async () => {
  const response = await fetchOData('/$batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ requests: [{ id: '1', method: 'GET', url: 'Photos(1)/$value' }] }),
  });
  const { responses } = (await response.json()) as { responses: readonly { body: unknown }[] };
  expect(responses[0]?.body).toBe(PNG.toString('base64url'));
});

describe('a stream in an expression', () => {
  it.each([
    // Part 1, 11.2.6.2: streams cannot be sorted by.
    [
      '$orderby=Thumbnail desc',
      400,
      '$orderby: expected a single primitive value to sort by, found Edm.Stream at position 0',
    ],
    [
      '$filter=Thumbnail eq null',
      501,
      "$filter: the use of the stream 'Thumbnail' at position 0 is not implemented",
    ],
  ])('%s', async (query, status, message) => {
    const response = await fetchOData(`/Photos?${query}`);
    expect([response.status, (await response.json()).error.message]).toEqual([status, message]);
  });
});
