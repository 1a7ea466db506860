import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serverAudits } from 'graphql-http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

const AUDITS = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetch });

describe('GraphQL over HTTP', () => {
  it('has 61 audits', () => expect(AUDITS).toHaveLength(61));

  it.each(AUDITS.map(({ id, name, fn }) => [id, name, fn] as const))('%s: %s', async (_, __, fn) => {
    const result = await fn();
    expect(result.status === 'ok' ? 'ok' : result.reason).toBe('ok');
  });

  it.each([1, 10])('answers in the order of the query, repeated %i times', async (times) => {
    const query = '{ b: posts(take: 1) { title id userId } a: post(id: "1") { body id } }';
    const answers = Array.from({ length: times }, () => ask(gateway.url, { query }));
    for (const answer of await Promise.all(answers)) {
      expect(answer.text).toBe(
        '{"data":{"b":[{"title":"Cedar","id":"1","userId":2}],"a":{"body":"First","id":"1"}}}',
      );
    }
  });
});

const QUERY = '{ post(id: "1") { title } }';
const ANSWER = { data: { post: { title: 'Cedar' } } };

interface Params {
  readonly query?: string;
  readonly documentId?: unknown;
  readonly extensions?: object;
}

async function ask(url: string, params: Params) {
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(params) });
  return { status: response.status, text: await response.text() };
}

async function answer(url: string, params: Params): Promise<readonly [number, unknown]> {
  const { status, text } = await ask(url, params);
  return [status, JSON.parse(text)];
}

function hashed(query: string) {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  return { persistedQuery: { version: 1, sha256Hash } };
}

describe('an answer', () => {
  it.each([
    undefined,
    '*/*',
    'multipart/mixed; deferSpec=20220824, application/json',
    'text/event-stream, application/json;q=0.5',
    'application/*, text/event-stream',
  ])('is JSON with its length for Accept: %s', async (accept) => {
    for (let times = 0; times < 3; times += 1) {
      const headers = { 'content-type': 'application/json', ...(accept !== undefined && { accept }) };
      const body = JSON.stringify({ query: QUERY });
      const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toStrictEqual([200, ANSWER]);
      const fields = ['content-type', 'content-length', 'transfer-encoding'].map((name) =>
        response.headers.get(name),
      );
      const length = String(JSON.stringify(ANSWER).length);
      expect(fields).toStrictEqual([
        expect.stringMatching(/^application\/(graphql-response\+)?json/),
        length,
        null,
      ]);
    }
  });

  it.each(['multipart/mixed', 'text/event-stream', 'text/csv', 'application/json;q=0'])(
    'is refused with what there is for Accept: %s',
    async (accept) => {
      const headers = { 'content-type': 'application/json', accept };
      const body = JSON.stringify({ query: QUERY });
      const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
      const message =
        'Accept: expected application/json or application/graphql-response+json, found neither.';
      expect([response.status, await response.json()]).toStrictEqual([
        406,
        { errors: [{ message, extensions: { code: 'NotAcceptable', http: { status: 406 } } }] },
      ]);
    },
  );
});

describe('automatic persisted queries', () => {
  const without = useGateway({ GRAPHQL_PERSISTED_QUERIES: 'off' });
  const extensions = hashed(QUERY);

  it('are sent once, and named by their hash from then on', async () => {
    const unknown = [
      200,
      { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
    ];
    expect(await answer(gateway.url, { extensions })).toStrictEqual(unknown);
    expect(await answer(gateway.url, { query: QUERY, extensions })).toStrictEqual([200, ANSWER]);
    expect(await answer(gateway.url, { extensions })).toStrictEqual([200, ANSWER]);
    const byGet = `${gateway.url}/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`;
    expect(await (await fetch(byGet)).json()).toStrictEqual(ANSWER);
  });

  it('are refused under the hash of another one', async () => {
    const errors = [{ message: 'PersistedQueryMismatch', extensions: { code: 'PERSISTED_QUERY_MISMATCH' } }];
    expect(await answer(gateway.url, { query: '{ posts { id } }', extensions })).toStrictEqual([
      200,
      { errors },
    ]);
  });

  it('can be turned off', async () => {
    expect((await answer(without.url, { query: QUERY, extensions }))[0]).toBe(200);
    expect((await answer(without.url, { extensions }))[0]).toBe(400);
  });
});

describe('a list of the documents that are carried out', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'duogate-documents-')), 'documents.json');
  const { sha256Hash } = hashed(QUERY).persistedQuery;
  writeFileSync(file, JSON.stringify({ first: QUERY, ids: '{ posts { id } }', [sha256Hash]: QUERY }));
  afterAll(() => rmSync(dirname(file), { recursive: true }));
  const listed = useGateway({ GRAPHQL_DOCUMENTS: file });
  beforeEach(() => listed.upstream.behave(postsApi));

  it.each<[string, Params]>([
    ['its id', { documentId: 'first' }],
    ['its hash', { extensions: hashed(QUERY) }],
  ])('has them named by %s', async (_, params) => {
    expect(await answer(listed.url, params)).toStrictEqual([200, ANSWER]);
  });

  it('has them named in URLs, too', async () => {
    expect(await (await fetch(`${listed.url}/graphql?documentId=first`)).json()).toStrictEqual(ANSWER);
  });

  it('takes an id in the URL before a hash in the body, again and again', async () => {
    const named = await answer(listed.url, { documentId: 'ids' });
    await answer(listed.url, { extensions: hashed(QUERY) });
    for (let time = 0; time < 2; time += 1) {
      const response = await fetch(`${listed.url}/graphql?documentId=ids`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
        body: JSON.stringify({ extensions: hashed(QUERY) }),
      });
      expect([response.status, await response.json()]).toStrictEqual(named);
    }
  });

  it('refuses variables that nest too deep', async () => {
    const variables = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
    const message = 'Expected at most 64 levels of nesting in JSON.';
    const errors = [{ message, extensions: { code: 'BadRequest', http: { status: 400 } } }];
    const params = { documentId: 'first', variables };
    expect(await answer(listed.url, params)).toStrictEqual([400, { errors }]);
  });

  it.each<[string, Params, string]>([
    ['a document', { query: QUERY }, 'a document'],
    ['a document beside an id', { query: QUERY, documentId: 'first' }, 'a document'],
    ['another id', { documentId: 'second' }, 'another one'],
    ['what is no id', { documentId: { a: 1 } }, 'none'],
    ['nothing', {}, 'none'],
  ])('refuses %s', async (_, params, found) => {
    const message = `documentId: expected the id of a document that is in the list, found ${found}.`;
    const errors = [{ message, extensions: { code: 'BadRequest', http: { status: 400 } } }];
    expect(await answer(listed.url, params)).toStrictEqual([400, { errors }]);
  });
});
