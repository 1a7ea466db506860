import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ApiUser, type SharedApi, serveSharedApi, withheld } from '../support/shared-api.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';

const photo = { id: 1, title: 'Harbour' };

/** Streams begin, and have no end; all else is answered. */
const endless: Behaviour = ({ target }, reply) => {
  if (/content|thumbnail|print/.test(target)) {
    reply.write('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 4\r\n\r\nha');
  } else reply.json(target === '/photos' ? [photo] : photo);
};

/** The status of a download, whose connection is kept until the end of the test. */
async function download({ url }: SharedApi, { headers }: ApiUser, path: string): Promise<number> {
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  return (await fetch(`${url}/odata${path}`, { headers, signal: ended.signal })).status;
}

const codeOf = ({ text }: { readonly text: string }): string => JSON.parse(text).error.code;

describe('streams that do not end', () => {
  it('leave other calls half of the places, and other users their share', async () => {
    const api = await serveSharedApi(endless, { UPSTREAM_CONNECTIONS: '8', UPSTREAM_QUEUE_MS: '50' });
    const [anna, ben] = [await api.user('anna'), await api.user('ben')];
    // Half of the places are for streams, and a quarter of that for each user.
    expect(await download(api, anna, '/Photos(1)/$value')).toBe(200);
    expect(await download(api, anna, '/Photos(2)/$value')).toBe(503);
    expect(await download(api, anna, '/Photos(2)/Thumbnail')).toBe(503);
    expect(await download(api, ben, '/Photos(2)/$value')).toBe(200);
    expect((await anna.fetch('/odata/Photos')).status).toBe(200);
    expect((await ben.fetch('/odata/Photos')).status).toBe(200);
  });

  it.each([
    ['UPSTREAM_STREAMS', { UPSTREAM_STREAMS: '1', USER_STREAMS_AT_ONCE: '4' }, [200, 503, 503]],
    ['USER_STREAMS_AT_ONCE', { UPSTREAM_STREAMS: '4', USER_STREAMS_AT_ONCE: '2' }, [200, 200, 503]],
  ])('are bounded by %s', async (_, environment, statuses) => {
    const api = await serveSharedApi(endless, { ...environment, UPSTREAM_QUEUE_MS: '50' });
    const anna = await api.user('anna');
    const found: number[] = [];
    for (const key of [1, 2, 3]) found.push(await download(api, anna, `/Photos(${key})/$value`));
    expect(found).toEqual(statuses);
    expect((await anna.fetch('/odata/Photos')).status).toBe(200);
  });
});

describe('an upload', () => {
  /** Sends the head of a request for so many bytes. */
  function begin({ url }: SharedApi, { headers }: ApiUser): ClientRequest {
    const sent = request(`${url}/odata/Photos(1)/$value`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'image/png', 'content-length': '10000000' },
      agent: false,
    });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    return sent;
  }

  it('that drips is given up, and its place is free again', async () => {
    const api = await serveSharedApi(endless, { UPLOAD_RATE_KIB: '1024', UPSTREAM_STREAMS: '1' });
    const anna = await api.user('anna');
    const sent = begin(api, anna);
    const drip = setInterval(() => sent.write('x'), 100);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    clearInterval(drip);
    expect(response.statusCode).toBe(408);
    expect(codeOf({ text: await text(response) })).toBe('RequestTimeout');
    expect(await download(api, anna, '/Photos(1)/$value')).toBe(200);
  }, 60_000);
});

describe('one user', () => {
  it('has three quarters of the places, and of the queue, at most', async () => {
    const held = withheld((_, reply) => reply.json(photo));
    const api = await serveSharedApi(held.behaviour, {
      UPSTREAM_CONNECTIONS: '4',
      UPSTREAM_QUEUE: '4',
      UPSTREAM_QUEUE_MS: '60000',
    });
    const [anna, ben] = [await api.user('anna'), await api.user('ben')];
    const read = (user: ApiUser, key: number) => user.fetch(`/odata/Photos(${key})`);
    const own = [1, 2, 3, 4, 5, 6].map((key) => read(anna, key));
    await expect.poll(held.waiting).toBe(3);
    // The answer to a request that needs no call comes after the others have found their places in the queue.
    expect((await anna.fetch('/odata/$metadata')).status).toBe(200);
    expect(codeOf(await read(anna, 7))).toBe('UpstreamBusy');
    const others = read(ben, 8);
    await expect.poll(held.waiting).toBe(4);
    const waiting = read(ben, 9);
    api.upstream.behave((_, reply) => reply.json(photo));
    held.answerAll();
    const answers = await Promise.all([...own, others, waiting]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  });
});
