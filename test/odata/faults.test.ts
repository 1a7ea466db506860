import { describe, expect, it } from 'vitest';
import { POSTS, useGateway } from '../support/running-gateway.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';

const patient = useGateway();
const impatient = useGateway({ UPSTREAM_TIMEOUT_MS: '1000' });

/** The error for a client of a misbehaving upstream; the mesh's own tests cover all kinds of misbehaviour. */
interface FaultCase {
  readonly fault: string;
  readonly behaviour: Behaviour;
  readonly status: number;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECRET = 'secret of the upstream';

const FAULTS: readonly FaultCase[] = [
  { fault: 'silence', behaviour: () => undefined, status: 504, code: 'UpstreamTimeout' },
  { fault: 'a reset', behaviour: (_, reply) => reply.reset(), status: 502, code: 'UpstreamUnavailable' },
  {
    fault: 'a stack',
    behaviour: (_, reply) => reply.send(500, `${SECRET} at /srv/app.js:7`),
    status: 502,
    code: 'UpstreamUnavailable',
  },
  {
    fault: 'HTML',
    behaviour: (_, reply) => reply.send(200, `<h1>${SECRET}</h1>`),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: 'an object for a list',
    behaviour: (_, reply) => reply.json({ a: SECRET }),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: 'a null item',
    behaviour: (_, reply) => reply.json([null]),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: 'a wrong type',
    behaviour: (_, reply) => reply.json([{ id: 1, title: 5 }]),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: 'a missing required property',
    behaviour: (_, reply) => reply.json([{ title: 'x' }]),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: 'a redirect',
    behaviour: (_, reply) => reply.send(302, '', { location: 'http://127.0.0.1:1/' }),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: '401',
    behaviour: (_, reply) => reply.send(401, SECRET, { 'www-authenticate': SECRET }),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: '404 for the list',
    behaviour: (_, reply) => reply.send(404, '{}'),
    status: 502,
    code: 'UpstreamBadResponse',
  },
  {
    fault: '429',
    behaviour: (_, reply) => reply.send(429, SECRET, { 'retry-after': '7' }),
    status: 503,
    code: 'UpstreamThrottled',
    headers: { 'retry-after': '7' },
  },
  {
    fault: '503 with a time after which to ask again (RFC 9110, 15.6.4)',
    behaviour: (_, reply) => reply.send(503, SECRET, { 'retry-after': '9' }),
    status: 503,
    code: 'UpstreamUnavailable',
    headers: { 'retry-after': '9' },
  },
  {
    fault: '503 with a time that is far away',
    behaviour: (_, reply) => reply.send(503, SECRET, { 'retry-after': '999999999' }),
    status: 503,
    code: 'UpstreamUnavailable',
    headers: { 'retry-after': '3600' },
  },
];

describe('an upstream that misbehaves', () => {
  it.each(FAULTS)('is told as $code: $fault', async ({ behaviour, status, code, headers = {} }) => {
    // Only what a timeout ends is to meet one: anything else takes its time where the machine is busy.
    const gateway = code === 'UpstreamTimeout' ? impatient : patient;
    gateway.upstream.behave(behaviour);
    const answer = await gateway.fetch('/odata/Post');
    const { error } = JSON.parse(answer.text);
    expect([answer.status, error.code]).toStrictEqual([status, code]);
    expect(Object.keys(error)).toStrictEqual(['code', 'message']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'odata-version': '4.0',
      'content-language': 'en',
      'cache-control': 'no-store',
      ...headers,
    });
    const reported = `${answer.text}${JSON.stringify(Object.fromEntries(answer.headers))}`;
    expect(reported).not.toMatch(/secret|srv|127\.0\.0\.1/);
  });

  it('is 404 for a key that it does not have', async () => {
    patient.upstream.behave((_, reply) => reply.send(404, '{}'));
    const { status, text } = await patient.fetch("/odata/Post('999')");
    expect(status).toBe(404);
    expect(JSON.parse(text)).toStrictEqual({
      error: { code: 'NotFound', message: "There is no Post('999')." },
    });
  });

  it('may send more than the model has', async () => {
    const more = `[{"id":1,"__proto__":{"polluted":1},"constructor":2,"more":3}]`;
    patient.upstream.behave((_, reply) => reply.send(200, `\ufeff${more}`));
    const { text } = await patient.fetch('/odata/Post');
    expect(JSON.parse(text).value).toStrictEqual([{ UserId: null, Id: '1', Title: null, Body: null }]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('is given up when the client goes away', async () => {
    const called = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    patient.upstream.behave((request) => {
      called.resolve();
      request.closed.then(closed.resolve);
    });
    const controller = new AbortController();
    const answer = patient.fetch('/odata/Post', { signal: controller.signal });
    await called.promise;
    controller.abort();
    await expect(answer).rejects.toThrow();
    await closed.promise;
  });

  it('is asked again after it has recovered', async () => {
    patient.upstream.behave((_, reply) => reply.json(POSTS));
    expect((await patient.fetch('/odata/Post')).status).toBe(200);
  });
});
