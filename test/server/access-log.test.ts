import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/server/logger.ts';
import { open, sendRequest } from './raw-client.ts';
import { echo, protocolPart, runServer } from './running-server.ts';

const PARTS = [{ path: '/odata', handler: echo }];

/** Request target → what the log holds of it. */
const TARGETS: readonly (readonly [string, string])[] = [
  ["/odata/Post('1')?$top=1", "/odata/Post('1')?$top=1"],
  ['/odata?api_key=s3cret&$top=1', '/odata?api_key=[redacted]&$top=1'],
  ['/odata?a=1&Subscription-Key=s3cret', '/odata?a=1&Subscription-Key=[redacted]'],
  ['/odata?api%5Fk%65y=s3cret', '/odata?api%5Fk%65y=[redacted]'],
  ['/odata?access_token=s3cret=x', '/odata?access_token=[redacted]'],
  ['/odata?%=1&password=s3cret', '/odata?%=1&password=[redacted]'],
  ['/odata?code=s3cret', '/odata?code=[redacted]'],
  ['/odata?code', '/odata?code=[redacted]'],
  [`/odata/duo_${'k'.repeat(43)}/x`, '/odata/[redacted]/x'],
  [`/odata?a=duo_${'k'.repeat(43)}&b=1`, '/odata?a=[redacted]&b=1'],
  [
    `/odata?$filter=Name eq 'duo_${'k'.repeat(43)}'`.replaceAll(' ', '%20'),
    "/odata?$filter=Name%20eq%20'[redacted]'",
  ],
  [`/odata?duo_${'k'.repeat(43)}=x`, '/odata?[redacted]=x'],
  ['/odata/eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln?x=1', '/odata/[redacted]?x=1'],
  ['/odata/x-eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln/y', '/odata/[redacted]/y'],
  ['/odata?$skiptoken=eyJhbGciOiJFZERTQSJ9', '/odata?$skiptoken=[redacted]'],
  ['/odata?x=eyJhbGciOiJFZERTQSJ9', '/odata?x=eyJhbGciOiJFZERTQSJ9'],
  ['/odata?x=Bearer%20abcdefgh', '/odata?x=[redacted]'],
  ['/odata?x=%2564uo_abcdefgh', '/odata?x=[redacted]'],
  ['/odata/People?$filter=Name%20eq%20%27duo%27', '/odata/People?$filter=Name%20eq%20%27duo%27'],
  [`/odata/${'a'.repeat(3000)}`, `/odata/${'a'.repeat(1993)}…`],
];

describe('the access log', () => {
  it('has one entry for each request', async () => {
    const { port, entries } = await runServer([protocolPart()]);
    const headers = ['Host: x', 'X-Request-Id: abc', 'User-Agent: "red\x9b"'];
    await sendRequest(port, 'POST /odata/Post?$top=1', [...headers, 'Content-Length: 11'], 'a'.repeat(11));
    expect(entries()).toStrictEqual([
      {
        level: 'info',
        time: expect.any(Number),
        id: 'abc',
        method: 'POST',
        target: '/odata/Post?$top=1',
        status: 413,
        ms: expect.any(Number),
        remote: '127.0.0.1',
        agent: '"red\\x9b"',
        msg: 'request',
      },
    ]);
  });

  it('takes no time for what looks like the beginnings of very many tokens', async () => {
    const { port, entries } = await runServer(PARTS);
    // All texts are distinct.
    const agents = Array.from({ length: 40 }, (_, index) => `${index}-${'eyJ'.repeat(30_000)}`);
    for (const agent of agents) await sendRequest(port, 'GET /odata', ['Host: x', `User-Agent: ${agent}`]);
    expect(entries().map(({ agent }) => agent)).toStrictEqual(
      agents.map((agent) => `${agent.slice(0, 2000)}…`),
    );
  });

  it('has no control characters', async () => {
    const { port, lines } = await runServer(PARTS);
    await sendRequest(port, 'GET /odata/%0A%1B', ['Host: x', 'User-Agent: \x9b31m\x80']);
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(lines[0]).toMatch(/^[^\0-\x1f\x7f-\x9f]+\n$/);
  });

  it.each(TARGETS)('writes %s as %s', async (target, logged) => {
    const { port, entries } = await runServer(PARTS);
    await sendRequest(port, `GET ${target}`);
    expect(entries().map((entry) => entry['target'])).toStrictEqual([logged]);
  });

  it('holds no key and no token, wherever it stands in a URL', async () => {
    const { port, lines } = await runServer(PARTS);
    const secret = 'S3cretOfTheKey';
    const credentials = [`duo_${secret}${'k'.repeat(29)}`, `eyJ${secret}.eyJ${secret}.${secret}`];
    const encode = (text: string) =>
      Buffer.from(text).reduce((all, byte) => `${all}%${byte.toString(16)}`, '');
    const encodings = [(text: string) => text, encode, (text: string) => encode(text).replaceAll('%', '%25')];
    const places = [
      '/odata/X',
      "/odata/Post('X')",
      '/X/odata',
      '/odata?X',
      '/odata?a=X',
      '/odata?a=1&b=cX',
      '/odata?X=1',
      '/odata?a=b=X',
      '/odata#X',
      "/odata?$filter=a%20eq%20'X'",
      '/odata?a=%E0%A4%AX',
      '/odata?%ff=X',
    ];
    for (const credential of credentials) {
      for (const encoded of encodings.map((each) => each(credential))) {
        for (const place of places)
          await sendRequest(port, `GET ${place.replace('X', encoded)}`, [
            'Host: x',
            `User-Agent: a ${encoded}`,
          ]);
      }
    }
    const plain = lines
      .join('')
      .replace(/%25/g, '%')
      .replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    expect(lines).toHaveLength(credentials.length * encodings.length * places.length);
    expect(plain.split('\n').filter((line) => line.includes(secret))).toStrictEqual([]);
  });

  it('never holds a credential', async () => {
    const { port, lines } = await runServer(PARTS);
    const headers = [
      'Host: x',
      'Authorization: Bearer s3cret',
      'Cookie: session=s3cret',
      'X-Api-Key: s3cret',
    ];
    await sendRequest(port, 'GET /odata?key=s3cret', headers);
    expect(lines.join('')).not.toContain('s3cret');
  });

  it('says when the client went away', async () => {
    let called = () => {};
    const reached = new Promise<void>((resolve) => {
      called = resolve;
    });
    let done = () => {};
    const aborted = new Promise<void>((resolve) => {
      done = resolve;
    });
    const { port, entries } = await runServer([
      protocolPart(async (request) => {
        request.signal.addEventListener('abort', () => setImmediate(done));
        called();
        await aborted;
        return echo(request);
      }),
    ]);
    const socket = await open(port);
    socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await reached;
    socket.destroy();
    await aborted;
    expect(entries()).toMatchObject([{ level: 'info', aborted: true, msg: 'request aborted' }]);
  });

  it('keeps quiet about looks at its health', async () => {
    const { url, entries } = await runServer([]);
    await (await fetch(`${url}/health/live`)).text();
    expect(entries()).toStrictEqual([]);
  });

  it('is off above the level info', async () => {
    const { url, entries } = await runServer(PARTS, { logLevel: 'warn' });
    await (await fetch(`${url}/odata`)).text();
    expect(entries()).toStrictEqual([]);
  });
});

describe('the logger', () => {
  it('conceals credentials wherever headers are logged', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
    const headers = {
      authorization: 's3cret',
      cookie: 's3cret',
      'set-cookie': 's3cret',
      'x-api-key': 's3cret',
    };
    log.info({ headers, request: { headers }, password: 's3cret', token: 's3cret', ...headers }, 'x');
    expect(lines.join('')).not.toContain('s3cret');
    expect(lines).toHaveLength(1);
  });
});
