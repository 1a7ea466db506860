import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../../support/running-gateway.ts';
import { outline, sendBatch, sendJson, sendMultipart } from './batch-client.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

const JSON_TYPE = { 'content-type': 'application/json' };
const ON = { prefer: 'continue-on-error' };
const OFF = { prefer: 'continue-on-error=false' };
const COUNT = { method: 'get', url: 'Post/$count' };
const create = (id: string, more: object = {}) => ({
  id,
  method: 'post',
  url: 'Post',
  body: { title: id },
  ...more,
});
const data = (contentType: string) => ({
  'content-type': contentType,
  'cache-control': 'private, no-cache',
  'odata-version': '4.0',
  vary: 'accept, odata-maxversion, prefer',
});
const MINIMAL = 'application/json;odata.metadata=minimal';

describe('a JSON batch (JSON Format, 19)', () => {
  it('is answered with a response for each request', async () => {
    const answer = await sendJson(gateway, [
      { id: 'r', method: 'get', url: "/odata/Post('1')?$select=Title" },
      create('c'),
      { id: 't', ...COUNT, headers: { Accept: '' } },
      { id: 'h', method: 'head', url: `${gateway.url}/odata/Post` },
    ]);
    expect(answer).toStrictEqual({
      status: 200,
      responses: [
        {
          id: 'r',
          status: 200,
          headers: { ...data(MINIMAL), etag: 'W/"Ytt6_0gtSVZ1dyxDWuXZf4dP42s"' },
          body: {
            '@odata.context': '~/$metadata#Post(Title)/$entity',
            '@odata.id': "Post('1')",
            Title: 'Cedar',
          },
        },
        {
          id: 'c',
          status: 201,
          headers: { ...data(MINIMAL), location: "~/Post('101')" },
          body: {
            '@odata.context': '~/$metadata#Post/$entity',
            UserId: null,
            Id: '101',
            Title: 'c',
            Body: null,
          },
        },
        { id: 't', status: 200, headers: data('text/plain'), body: '4' },
        { id: 'h', status: 200, headers: { ...data(MINIMAL), etag: expect.stringMatching(/^W\//) } },
      ],
      asked: ['GET /posts/1', 'POST /posts {"title":"c"}', 'GET /posts', 'GET /posts'],
    });
  });

  it('takes numbers for the names of requests and groups', async () => {
    const requests = [
      create('1', { id: 1, atomicityGroup: 7 }),
      { id: 2, dependsOn: [7], ...COUNT },
      { id: '3', dependsOn: [2, '1'], ...COUNT },
    ];
    const { responses } = await sendJson(gateway, requests);
    expect(responses.map(({ id, status }) => [id, status])).toStrictEqual([
      ['1', 201],
      ['2', 200],
      ['3', 200],
    ]);
  });

  it('has binary answers as base64url', async () => {
    const { responses } = await sendJson(gateway, [{ id: '1', method: 'GET', url: '$metadata' }]);
    expect(Buffer.from(String(responses[0]?.body), 'base64url').toString()).toMatch(
      /^<\?xml .*<\/edmx:Edmx>/s,
    );
  });

  it.each([
    ['digits', '{"title":"x","more":[12345678901234567890,1e400,0.10]}'],
    ['white space and names that come again', '{ "title" : "x",\n "requests":[{"body":1}], "a,}":"]"}'],
    ['escapes', '{"title":"\\u00e9\\"}"}'],
  ])('forwards bodies as they were written: %s', async (_, body) => {
    const others = `{"id":"0","body":null,"url":"Post/$count","method":"GET"}`;
    const text = `{"x":[[{"body":2}]],"requests":[${others},{"body": ${body} ,"id":"1","method":"POST","url":"Post"}]}`;
    const { asked } = await sendBatch(gateway, text, JSON_TYPE);
    expect(asked).toStrictEqual(['GET /posts', `POST /posts ${body}`]);
  });

  it('takes hundreds of thousands of escapes in a string', async () => {
    const body = JSON.stringify({ requests: [create('1', { body: { title: '"'.repeat(400_000) } })] });
    const { status, asked } = await sendBatch(gateway, body, JSON_TYPE);
    expect([status, asked.length]).toStrictEqual([200, 1]);
  });

  it('reads bodies that are no JSON as text or as base64url', async () => {
    const answer = await sendJson(
      gateway,
      ['text/plain', 'image/png'].map((type) =>
        create(type, { headers: { 'Content-Type': type }, body: 'eA' }),
      ),
      ON,
    );
    expect(outline(answer)).toStrictEqual([
      'text/plain 415 Content-Type: expected application/json in UTF-8.',
      'image/png 415 Content-Type: expected application/json in UTF-8.',
    ]);
  });

  it('has the bodies of the last member of a name, as it has its requests', async () => {
    const requests = (...all: readonly object[]) => `"requests":${JSON.stringify(all)}`;
    const body = `{${requests(create('1'), create('2'))},${requests({ id: '3', ...COUNT }, create('4'))}}`;
    const { text, asked } = await sendBatch(gateway, body, JSON_TYPE);
    expect(JSON.parse(text).responses.map(({ id }: { id: string }) => id)).toStrictEqual(['3', '4']);
    expect(asked).toStrictEqual(['GET /posts', 'POST /posts {"title":"4"}']);
  });

  it.each([
    ['{"requests":', 'Body: expected a JSON object, found malformed JSON at line 1, column 13.'],
    ['[]', 'Body: expected a JSON object, found an array.'],
    ['{}', 'Batch, requests: expected an array, found nothing.'],
    ['{"requests":[1]}', 'Batch, requests[0]: expected an object, found a number.'],
    ['{"requests":[{}]}', 'Batch, requests[0]/id: expected a string, found nothing.'],
    ['{"requests":[{"id":""}]}', 'Batch, requests[0]/id: expected text that is not empty, found "".'],
    [
      '{"requests":[{"id":"1\\r\\nA: b"}]}',
      'Batch, requests[0]/id: expected text without control characters, found "1\\r\\nA: b".',
    ],
    [
      '{"requests":[{"id":"1","method":"GET","url":"Post","headers":{"Prefer":"x\\ny"}}]}',
      'Batch, requests[0]/headers/Prefer: expected text without control characters, found "x\\ny".',
    ],
    ['{"requests":[{"id":"1"}]}', 'Batch, requests[0]/method: expected a string, found nothing.'],
    ['{"requests":[{"id":"1","method":"GET"}]}', 'Batch, requests[0]/url: expected a string, found nothing.'],
    [
      '{"requests":[{"id":"1","method":"GET","url":"Post","headers":{"Accept":1}}]}',
      'Batch, requests[0]/headers/Accept: expected a string, found a number.',
    ],
    [
      '{"requests":[{"id":"1","method":"GET","url":"Post","dependsOn":"0"}]}',
      'Batch, requests[0]/dependsOn: expected an array of strings, found a string.',
    ],
    [
      '{"requests":[{"id":"1","method":"POST","url":"Post","headers":{"content-type":"text/plain"},"body":{}}]}',
      'Batch, requests[0]/body: expected a string, found an object.',
    ],
  ])('is refused where it is malformed: %s', async (body, message) => {
    const { status, text, asked } = await sendBatch(gateway, body, JSON_TYPE);
    expect([status, JSON.parse(text).error.message, asked]).toStrictEqual([400, message, []]);
  });

  it.each([
    ['the same id twice', [create('1'), create('1')], 'requests[1]/id: expected an id of its own, found "1"'],
    [
      'a group named like a request',
      [create('1'), create('2', { atomicityGroup: '1' })],
      'requests[0]/id: expected an id of its own, found "1"',
    ],
    [
      'what depends on what comes later (19.1)',
      [create('1', { dependsOn: ['2'] }), create('2', { dependsOn: ['1'] })],
      'requests[0]/dependsOn: expected requests in front of this one, found "2"',
    ],
    [
      'what depends on itself',
      [create('1', { dependsOn: ['1'] })],
      'requests[0]/dependsOn: expected requests in front of this one, found "1"',
    ],
    [
      'what depends on its own group',
      [create('1', { atomicityGroup: 'g' }), create('2', { atomicityGroup: 'g', dependsOn: ['g'] })],
      'requests[1]/dependsOn: expected requests in front of this one, found "g"',
    ],
    [
      'a group that is not in one piece',
      [create('1', { atomicityGroup: 'g' }), create('2'), create('3', { atomicityGroup: 'g' })],
      'requests[2]/atomicityGroup: expected its requests side by side, found "g"',
    ],
  ])('is refused for %s', async (_, requests, message) => {
    const body = JSON.stringify({ requests });
    const { status, text, asked } = await sendBatch(gateway, body, JSON_TYPE);
    expect([status, JSON.parse(text).error.message, asked]).toStrictEqual([400, `Batch, ${message}.`, []]);
  });
});

it('fails a request alone whose URL is none (Part 1, 11.7)', async () => {
  const answer = await sendJson(gateway, [
    create('1', { url: '/odata/$batch/' }),
    create('2', { url: 'http://other.example/odata/Post' }),
    { id: '3', ...COUNT },
  ]);
  expect(outline(answer)).toStrictEqual([
    '1 400 Batch, requests[0]: expected no batch in a batch, found $batch.',
    '2 400 Batch, requests[1]: expected a URL of this service, found "http://other.example/odata/Post".',
    '3 200 "4"',
  ]);
  expect(answer.asked).toStrictEqual(['GET /posts']);
});

describe('failures in a batch', () => {
  const NOPE = { method: 'GET', url: 'Nope' };

  const FAILING = [
    { id: '1', ...COUNT },
    { id: '2', ...NOPE },
    create('3'),
    create('4', { dependsOn: ['2'] }),
    create('5', { dependsOn: ['4'] }),
    create('6', { dependsOn: ['1'] }),
  ];

  it('end it where the client wants that, and fail what depends on them (Part 1, 8.2.8.3 and 11.7.2)', async () => {
    const answer = await sendJson(gateway, FAILING, OFF);
    expect(outline(answer)).toStrictEqual([
      '1 200 "4"',
      '2 404 There is no resource "Nope" here.',
      '4 424 This request needs what "2" did not bring about.',
      '5 424 This request needs what "4" did not bring about.',
    ]);
    expect(answer.asked).toStrictEqual(['GET /posts']);
  });

  it.each(['', 'continue-on-error=perhaps'])(
    'do not end one in the JSON form without a preference (JSON Format, 19.4): %s',
    async (prefer) => {
      const answer = await sendJson(gateway, FAILING, { prefer });
      expect(answer.responses.map(({ id, status }) => [id, status])).toStrictEqual([
        ['1', 200],
        ['2', 404],
        ['3', 201],
        ['4', 424],
        ['5', 424],
        ['6', 201],
      ]);
      expect(answer.asked).toStrictEqual([
        'GET /posts',
        'POST /posts {"title":"3"}',
        'POST /posts {"title":"6"}',
      ]);
    },
  );

  it('fail what depends on the group that they are in, whichever member failed (JSON Format, 19.1)', async () => {
    const requests = [
      create('1', { atomicityGroup: 'g' }),
      create('2', { atomicityGroup: 'g', url: 'Nope' }),
      create('3', { dependsOn: ['g'] }),
      create('4', { atomicityGroup: 'h' }),
      create('5', { dependsOn: ['h'] }),
    ];
    const answer = await sendJson(gateway, requests);
    expect(answer.responses.map(({ id, status }) => [id, status])).toStrictEqual([
      ['1', 424],
      ['2', 404],
      ['3', 424],
      ['4', 201],
      ['5', 201],
    ]);
    expect(answer.asked).toStrictEqual(['POST /posts {"title":"4"}', 'POST /posts {"title":"5"}']);
  });

  it.each(['continue-on-error', 'odata.continue-on-error=true', 'Continue-On-Error=TRUE'])(
    'do not end it with Prefer: %s',
    async (prefer) => {
      const requests = [{ id: '1', ...NOPE }, create('2', { dependsOn: ['1'] }), { id: '3', ...COUNT }];
      const body = JSON.stringify({ requests });
      const answer = await gateway.fetch('/odata/$batch', {
        method: 'POST',
        body,
        headers: { ...JSON_TYPE, prefer },
      });
      expect(answer.headers.get('preference-applied')).toBe(prefer);
      const { responses } = JSON.parse(answer.text);
      expect(responses.map(({ id, status }: { id: string; status: number }) => [id, status])).toStrictEqual([
        ['1', 404],
        ['2', 424],
        ['3', 200],
      ]);
    },
  );

  it('hide what went wrong upstream, as everywhere', async () => {
    gateway.upstream.behave((_, reply) => reply.send(500, 'secret'));
    const answer = await sendJson(gateway, [create('1'), { id: '2', ...COUNT }], ON);
    expect(outline(answer)).toStrictEqual([
      '1 400 Failed to add a post.',
      '2 502 The upstream service is not available.',
    ]);
  });
});

it('defers no request of a batch (Part 1, 8.2.8.8)', async () => {
  const headers = { prefer: 'respond-async, return=minimal, odata.callback;url="http://x"' };
  const prefer = 'respond-async, wait=20';
  const { responses } = await sendJson(gateway, [create('1', { headers })], { prefer });
  expect([responses[0]?.status, responses[0]?.headers['preference-applied']]).toStrictEqual([
    204,
    'return=minimal',
  ]);
});

describe('references (Part 1, 11.7.4)', () => {
  it.each(['$c', '/odata/$c', '/$c'])('%s leads on from what a request has created', async (url) => {
    const answer = await sendJson(
      gateway,
      [create('c'), { id: 'r', method: 'GET', url: `${url}/Title` }],
      ON,
    );
    expect(answer.asked).toStrictEqual(['POST /posts {"title":"c"}', 'GET /posts/101']);
  });

  it('lead on from what a request has read', async () => {
    const answer = await sendJson(gateway, [
      { id: '1.0', method: 'GET', url: "Post('3')?$select=Id" },
      { id: 'r', method: 'GET', url: '$1.0/Body' },
    ]);
    expect(answer.responses[1]?.body).toMatchObject({ value: 'Third' });
  });

  it('to what has failed fail, too', async () => {
    const requests = [
      { id: '1', method: 'GET', url: 'Nope' },
      { id: '2', method: 'GET', url: '$1/Title' },
    ];
    expect(outline(await sendJson(gateway, requests, ON)).at(-1)).toBe(
      '2 424 This request needs what "1" did not bring about.',
    );
  });

  it('never stand for what the service itself calls so', async () => {
    const requests = [create('metadata'), { id: '2', method: 'GET', url: '$metadata' }];
    const { responses } = await sendJson(gateway, requests);
    expect(responses[1]?.headers['content-type']).toBe('application/xml');
  });
});

describe('references in bodies (JSON Format, 8.5)', () => {
  it.each([
    ['{"Author@odata.bind":"$c","title":"$c"}', `{"Author@odata.bind":"~/Post('101')","title":"$c"}`],
    [
      '{"A@bind": [ "$c" , "$c/B" ,"$x"],"b":1}',
      `{"A@bind": [ "~/Post('101')" , "~/Post('101')/B" ,"$x"],"b":1}`,
    ],
    ['{"a":[{"@odata.id":"$c"},{"@id":"/$c"}]}', `{"a":[{"@odata.id":"~/Post('101')"},{"@id":"/$c"}]}`],
    ['{"@id":{"x":"$c"},"n":"@id","m":"$c"}', '{"@id":{"x":"$c"},"n":"@id","m":"$c"}'],
  ])('are resolved where URLs of entities stand: %s', async (body, sent) => {
    const first = JSON.stringify(create('c'));
    const text = `{"requests":[${first},{"id":"2","method":"POST","url":"Post","body":${body}}]}`;
    const { asked } = await sendBatch(gateway, text, JSON_TYPE);
    expect(asked.map((call) => call.replaceAll(`${gateway.url}/odata`, '~'))).toStrictEqual([
      'POST /posts {"title":"c"}',
      `POST /posts ${sent}`,
    ]);
  });
});

describe('conditions of requests (JSON Format, 19.1)', () => {
  it.each([
    ["$r/Title eq 'Cedar'", '200'],
    ["$r/Title eq 'cedar'", `424 This request is for "$r/Title eq 'cedar'", which is not true.`],
    ["$r/UserId add 1 gt 2 and startswith($r/Body,'F')", '200'],
    ["$r/Nope eq null and '$r/Title' ne $r/Title", '200'],
    ['$n/Title eq null', '200'],
    ["$c/Id eq '101'", '200'],
    ['$f/Title eq null', '424 This request needs what "f" did not bring about.'],
    ['$l/value eq null', '400 if: expected the path of a single value, found "$l/value".'],
    ['$r/Title', '400 if: $filter expects'],
    ['$x/Title eq 1', '400 if: '],
    ['true', '200'],
  ])('%s: %s', async (condition, expected) => {
    const answer = await sendJson(
      gateway,
      [
        { id: 'r', method: 'GET', url: "Post('1')" },
        { id: 'n', method: 'GET', url: "Post('3')" },
        create('c'),
        { id: 'f', method: 'GET', url: "Post('9')" },
        { id: 'l', method: 'GET', url: 'Post' },
        { id: 'if', ...COUNT, if: condition },
      ],
      ON,
    );
    expect(
      outline(answer)
        .at(-1)
        ?.slice(3, expected.length + 3),
    ).toBe(expected);
    expect(answer.asked.length).toBe(expected === '200' ? 6 : 5);
  });
});

describe('the form of the answer', () => {
  const requests = [{ id: '1', ...COUNT }];
  const json = JSON.stringify({ requests });
  const wire = '--b\nContent-Type: application/http\nContent-ID: 1\n\nGET Post/$count\n\n--b--';
  const MULTIPART = 'multipart/mixed; boundary=batchresponse';

  it.each([
    [{}, 'application/json', MULTIPART],
    [{ accept: '*/*' }, 'application/json', MULTIPART],
    // 4.0 has only the multipart form: JSON is for the answers within.
    [{ accept: 'application/json' }, 'application/json', MULTIPART],
    [{ accept: 'application/json', 'odata-maxversion': '4.01' }, 'application/json', 'application/json'],
    [{ accept: 'application/json, multipart/mixed;q=0' }, 'application/json', 'application/json'],
    [{ accept: 'application/json, multipart/mixed' }, 'application/json', MULTIPART],
    [{ accept: 'multipart/mixed' }, MULTIPART, MULTIPART],
    [{ accept: 'multipart/mixed;q=0.5, application/json;q=0.9' }, 'application/json', MULTIPART],
    [{ accept: 'text/html, multipart/*' }, MULTIPART, MULTIPART],
  ])('is what %j asks for', async (headers, forJson, forMultipart) => {
    const first = await sendBatch(gateway, json, { ...JSON_TYPE, ...headers });
    const second = await sendMultipart(gateway, wire, headers);
    expect([first.contentType, second.contentType]).toStrictEqual([forJson, forMultipart]);
    for (const { contentType, text } of [first, second]) {
      const body = contentType === MULTIPART ? /^4$/m : /"id":"1",.*"body":"4"/;
      expect(text).toMatch(body);
    }
  });

  it.each(['text/html', 'application/json;q=0, multipart/mixed;q=0'])('cannot be %s', async (accept) => {
    const { status, asked } = await sendBatch(gateway, json, { ...JSON_TYPE, accept });
    expect([status, asked]).toStrictEqual([406, []]);
  });

  it('can be asked for by $format', async () => {
    const headers = { 'content-type': 'multipart/mixed;boundary=b' };
    const answer = await gateway.fetch('/odata/$batch?$format=json', { method: 'POST', body: wire, headers });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('has parts in the format that the batch asks for, or that they ask for themselves', async () => {
    const post = { method: 'GET', url: "Post('1')" };
    const own = { headers: { accept: 'application/json;odata.metadata=full', 'odata-maxversion': '4.01' } };
    const outer = { accept: 'application/json;odata.metadata=none', prefer: 'omit-values=nulls' };
    const answer = await sendJson(
      gateway,
      [
        { id: '1', ...post },
        { id: '2', ...post, ...own },
      ],
      outer,
    );
    expect(
      answer.responses.map(({ headers }) => [headers['content-type'], headers['preference-applied']]),
    ).toStrictEqual([
      ['application/json;odata.metadata=none', 'omit-values=nulls'],
      ['application/json;metadata=full', 'omit-values=nulls'],
    ]);
  });

  it('is of the version that the batch asks for', async () => {
    const headers = { ...JSON_TYPE, 'odata-maxversion': '4.01' };
    const answer = await gateway.fetch('/odata/$batch', { method: 'POST', body: json, headers });
    expect(answer.headers.get('odata-version')).toBe('4.01');
    expect(JSON.parse(answer.text).responses[0].headers['odata-version']).toBe('4.01');
  });

  it.each(['/odata/$batch', '/odata/$batch/'])('is there for POST alone: %s', async (path) => {
    const head = await gateway.fetch(path, { method: 'HEAD', headers: { 'x-csrf-token': 'Fetch' } });
    expect([head.status, head.headers.get('allow')]).toStrictEqual([405, 'POST, OPTIONS']);
    const { status } = await gateway.fetch(path, { method: 'POST', body: json, headers: JSON_TYPE });
    expect(status).toBe(200);
  });
});
