import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    get: { operationId: listNotes, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } } } }
    patch: { operationId: patchNote, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } } } }
components:
  schemas:
    Note: { type: object, required: [id], additionalProperties: true, properties: { id: { type: integer }, text: { type: string } } }
`;

const LONG = 'x'.repeat(20_000);

/** The second one lacks what every object of JavaScript has under that name. */
const NOTES = [JSON.parse('{"id":1,"text":"é","constructor":"own"}'), { id: 2, text: 'b' }];

let served: ServedDocument;
beforeAll(async () => {
  const answers = { 'GET /notes': NOTES, 'GET /notes/1': NOTES[0], 'GET /notes/2': { id: 2, text: LONG } };
  served = await serveDocument(DOCUMENT, answers, atEndOfFile);
});

const at = (path: string): string => `${served.gateway.url}/odata/${path}`;

async function batch(requests: readonly object[]): Promise<readonly (readonly [number, unknown])[]> {
  const [, json] = await served.ask('$batch', 'POST', { requests });
  const { responses } = json as { responses: readonly { status: number; body: { error?: unknown } }[] };
  return responses.map(({ status, body }) => [status, body.error] as const);
}

/** The response to a batch of one request, from its status line on. */
async function multipart(request: string): Promise<string> {
  const headers = { 'content-type': 'multipart/mixed;boundary=b' };
  const body = Buffer.from(`--b\r\nContent-Type: application/http\r\n\r\n${request}\r\n--b--\r\n`);
  const text = await (await fetch(at('$batch'), { method: 'POST', headers, body })).text();
  return text.slice(text.indexOf('HTTP/1.1')).replace(/\r\n--batchresponse.*$/s, '');
}

/** None of them may keep others waiting for longer than it takes to read it. */
describe('a request that is costly to read', () => {
  it.each([
    ['options of its own', 'x=1&'.repeat(150_000)],
    ['empty options', '&'.repeat(1_000_000)],
    ['aliases', Array.from({ length: 1_001 }, (_each, index) => `@a${index}=1`).join('&')],
  ])('is refused with very many %s', async (_, body) => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await fetch(at('Note/$query'), { method: 'POST', headers, body });
    const message = 'query: expected at most 1000 options and aliases';
    expect([answer.status, await answer.json()]).toStrictEqual([
      400,
      { error: { code: 'BadRequest', message } },
    ]);
  });

  it('may have 1,000 options', async () => {
    const body = Array.from({ length: 1_000 }, (_each, index) => `@a${index}=1`).join('&');
    const headers = { 'content-type': 'text/plain' };
    const answer = await fetch(at('Note/$query'), { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ value: [{ Id: 1 }, { Id: 2 }] });
  });

  it.each([
    ['an entity', (members: object) => members],
    ['a value in it', (members: object) => ({ Text: 'x', More: [{ a: members }] })],
  ])('is refused with very many members of %s', async (_, bodyOf) => {
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_each, index) => [`a:${index}`, ':{']));
    const message = 'Body: expected at most 10000 members in one object.';
    expect(await served.ask('Note(1)', 'PATCH', bodyOf(members(10_001)))).toStrictEqual([
      400,
      { error: { code: 'BadRequest', message } },
    ]);
    const [status] = await served.ask('Note(1)', 'PATCH', bodyOf(members(9_000)));
    expect(status).not.toBe(413);
    expect(JSON.stringify(await served.ask('Note(1)', 'PATCH', bodyOf(members(9_000))))).not.toContain(
      'at most',
    );
  });

  it('may accept very many media types', async () => {
    const headers = { accept: '*/*;a,'.repeat(150_000) };
    expect(await batch([{ id: '1', method: 'get', url: 'Note', headers }])).toMatchObject([
      [406, { code: 'NotAcceptable' }],
    ]);
    expect(await batch([{ id: '1', method: 'get', url: '$metadata', headers }])).toStrictEqual([
      [200, undefined],
    ]);
  });

  it.each([
    ['a long text over and over', '$a/Text '.repeat(50_000)],
    ['a long text once', "$a/Text eq 'x'"],
    ['nothing, at length', `'${'x'.repeat(9_000)}' eq 'x'`],
  ])('may have a condition that refers to %s', async (_, condition) => {
    const requests = [
      { id: 'a', method: 'get', url: 'Note(2)' },
      { id: 'b', method: 'get', url: 'Note(1)', dependsOn: ['a'], if: condition },
    ];
    const message = 'if: expected at most 8192 characters with all values in it (URL_LENGTH), found more.';
    expect((await batch(requests))[1]).toStrictEqual([400, { code: 'BadRequest', message, target: 'if' }]);
  });

  it('may chain very many functions where the grammar looks ahead', async () => {
    const body = `$apply=traverse(x,q,p,preorder,${'N.f()/'.repeat(150_000)}identity)`;
    const headers = { 'content-type': 'text/plain' };
    const answer = await fetch(at('Note/$query'), { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { target: '$apply' } }]);
  });

  it('may nest cases before very much space, as deeply as an operator may allow', async () => {
    const deep = await serveDocument(DOCUMENT, { 'GET /notes': NOTES }, undefined, {
      QUERY_DEPTH: '200',
      QUERY_NODES: '5000',
    });
    const depth = 199;
    const body = `$filter=${'case('.repeat(depth)}true${' '.repeat(900_000)}${':true)'.repeat(depth)}`;
    const headers = { 'content-type': 'text/plain' };
    const answer = await fetch(`${deep.gateway.url}/odata/Note/$query`, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ value: [{ Id: 1 }, { Id: 2 }] });
  }, 5_000);
});

describe('a name that every object of JavaScript has', () => {
  const apply = '$apply=concat(aggregate($count as constructor),aggregate($count as b))';

  it('is a name like any other in the results of $apply', async () => {
    const [, json] = await served.ask(`Note?${apply}&$select=constructor,b`);
    const { value } = json as { value: readonly object[] };
    expect(value.map((row) => Object.entries(row).filter(([name]) => !name.includes('@')))).toStrictEqual([
      [['constructor', 2]],
      [['b', 2]],
    ]);
  });

  it.each([
    ['constructor eq null', [{ b: 2 }]],
    ['constructor ne null', [{ constructor: 2 }]],
    ['constructor add 1 eq 3', [{ constructor: 2 }]],
    ['constructor in (1,2)', [{ constructor: 2 }]],
  ])('is in a condition what $apply has made of it: %s', async (condition, expected) => {
    const [, json] = await served.ask(`Note?${apply}&$filter=${condition}`);
    const { value } = json as { value: readonly object[] };
    const reported = value.map((row) => Object.entries(row).filter(([name]) => !name.includes('@')));
    expect(reported.map((members) => Object.fromEntries(members))).toEqual(expected);
  });

  it.each([
    [`Note?$format=csv;header=absent&${apply}`, '2,\r\n,2\r\n'],
    ['Note?$format=csv;header=absent&$select=Id,constructor', '1,own\r\n2,\r\n'],
  ])('has no value in a table where an entity has none: %s', async (path, lines) => {
    expect(await (await fetch(at(path.replace('csv;', 'text/csv;')))).text()).toBe(lines);
  });

  it('is null in a condition of a batch where an answer does not have it', async () => {
    const requests = [
      { id: 'a', method: 'get', url: 'Note(1)' },
      { id: 'b', method: 'get', url: 'Note(1)', dependsOn: ['a'], if: '$a/toString eq null' },
      { id: 'c', method: 'get', url: 'Note(1)', dependsOn: ['a'], if: "$a/constructor eq 'own'" },
    ];
    expect(await batch(requests)).toStrictEqual([
      [200, undefined],
      [200, undefined],
      [200, undefined],
    ]);
  });
});

describe('an If-Match that is very long', () => {
  it('is not repeated at length', async () => {
    const headers = { 'if-match': `"${'x'.repeat(100_000)}"` };
    const message = /^If-Match: expected the ETag "x{99}…, found [^x]{1,60}\.$/;
    expect(await batch([{ id: '1', method: 'get', url: 'Note(1)', headers }])).toStrictEqual([
      [412, { code: 'PreconditionFailed', message: expect.stringMatching(message) }],
    ]);
  });
});

describe('text in a batch that is not what it should be', () => {
  it('is not repeated at length', async () => {
    const headers = { accept: '\t'.repeat(100_000) };
    const [, json] = await served.ask('$batch', 'POST', {
      requests: [{ id: '1', method: 'get', url: 'Note', headers }],
    });
    const { message } = (json as { error: { message: string } }).error;
    expect(message).toBe(
      `Batch, requests[0]/headers/accept: expected text without control characters, found "${'\\t'.repeat(50)}…".`,
    );
  });

  it('is UTF-8 in a URL that is not percent-encoded', async () => {
    expect(await multipart("GET Note?$filter=Text eq 'é'&$select=Id HTTP/1.1\r\n\r\n")).toMatch(
      /"value":\[\{"Id":1\}\]\}$/,
    );
  });

  it('is a BadRequest of its own where a reference in a body is no string of JSON', async () => {
    const request =
      'PATCH Note(1) HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"Other@odata.bind":"$1\\q"}';
    const message = 'Body: expected a JSON object, found malformed JSON at line 1, column 24.';
    const answer = await multipart(request);
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request/);
    expect(answer).toContain(JSON.stringify({ error: { code: 'BadRequest', message } }));
  });

  it('is half a surrogate pair in a condition', async () => {
    const json = '{"requests":[{"id":"1","method":"get","url":"Note(1)","if":"\'\\ud800\' eq \'x\'"}]}';
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(at('$batch'), { method: 'POST', headers, body: json });
    expect(await answer.json()).toMatchObject({ responses: [{ status: 424 }] });
  });
});
