import { describe, expect, it } from 'vitest';
import { open, parseAnswer, sendRaw, sendRequest } from './raw-client.ts';
import { protocolPart, runServer } from './running-server.ts';

function plain(message: string, code = 'BadRequest'): string {
  return JSON.stringify({ error: { code, message } });
}

const HOST_MESSAGE = 'protocol: BadRequest: The request needs exactly one valid Host header.';

describe('the Host header', () => {
  it.each([
    ['is missing', []],
    ['is there twice', ['Host: x', 'hOsT: x']],
    ['has a space', ['Host: a b']],
    ['has a path', ['Host: a/b']],
    ['has a user', ['Host: a@b']],
    ['has letters for a port', ['Host: a:b']],
    ['has two ports', ['Host: a:1:2']],
    ['has a broken IPv6 address', ['Host: [::1']],
    ['has an address of a later version without one', ['Host: [v1]']],
  ])('is refused when it %s', async (_, headers) => {
    const { port } = await runServer([protocolPart()]);
    const { status, body } = await sendRequest(port, 'GET /odata', headers);
    expect([status, body]).toStrictEqual([400, HOST_MESSAGE]);
  });

  it.each(['x', 'evil.example:8080', '[::1]', '[::1]:80', '[v1.a:b]', '[V1f.x!]:80', '127.0.0.1', 'a_b', ''])(
    'may be %j',
    async (host) => {
      const { port } = await runServer([protocolPart()]);
      expect((await sendRequest(port, 'GET /odata', [`Host: ${host}`])).status).toBe(200);
    },
  );

  it('may be missing in HTTP/1.0', async () => {
    const { port } = await runServer([protocolPart()]);
    expect(parseAnswer(await sendRaw(port, 'GET /odata HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

describe('the Authorization header', () => {
  it.each([
    ['twice', ['Authorization: Bearer a', 'authorization: Basic Yjpi'], 400],
    ['twice, the same', ['Authorization: Bearer a', 'Authorization: Bearer a'], 400],
    ['once', ['Authorization: Bearer a'], 200],
  ])('that is there %s is answered accordingly (RFC 9110, 5.3)', async (_, headers, expected) => {
    const { port } = await runServer([protocolPart()]);
    const { status, body } = await sendRequest(port, 'GET /odata', ['Host: x', ...headers]);
    const refusal = 'protocol: BadRequest: The request has more than one Authorization header.';
    expect([status, body === refusal]).toStrictEqual([expected, expected === 400]);
  });
});

describe('a URL', () => {
  it('of 8 KiB is served', async () => {
    const { port } = await runServer([protocolPart()]);
    expect((await sendRequest(port, `GET /odata/${'a'.repeat(8192 - 7)}`)).status).toBe(200);
  });

  it.each([8193, 10_000, 60_000])(
    'of %i characters is answered in the protocol of its part',
    async (length) => {
      const { port } = await runServer([protocolPart()]);
      const { status, body } = await sendRequest(port, `GET /odata/${'a'.repeat(length - 7)}`);
      expect([status, body]).toStrictEqual([
        414,
        'protocol: UriTooLong: The URL is longer than 8192 characters (URL_LENGTH).',
      ]);
    },
  );
});

describe('what is no request', () => {
  it.each([
    ['a word', 'FOO\r\n\r\n', 400, 'This is not an HTTP/1.1 request.'],
    [
      'a method that nobody knows',
      'FETCH /odata HTTP/1.1\r\nHost: x\r\n\r\n',
      501,
      'The method of the request is not known here.',
      'NotImplemented',
    ],
    [
      'a tunnel',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
      405,
      'CONNECT is not supported here.',
      'MethodNotAllowed',
    ],
    ['a TLS handshake', '\x16\x03\x01\x02\x00', 400, 'This is not an HTTP/1.1 request.'],
    [
      'a space in the target',
      'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
      400,
      'This is not an HTTP/1.1 request.',
    ],
    [
      'a line break in a name',
      'GET / HTTP/1.1\r\nHo\nst: x\r\n\r\n',
      400,
      'This is not an HTTP/1.1 request.',
    ],
    [
      'two lengths',
      'POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
      400,
      'This is not an HTTP/1.1 request.',
    ],
    [
      'a length and chunks',
      'POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'This is not an HTTP/1.1 request.',
    ],
    [
      'a chunk without a length',
      'POST /odata HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n',
      400,
      'This is not an HTTP/1.1 request.',
    ],
    [
      'endless header fields',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`,
      431,
      'The request line and the header fields are too long.',
    ],
  ])('is answered and closed: %s', async (_, bytes, status, message, code = 'BadRequest') => {
    const { port } = await runServer([protocolPart()]);
    const answer = parseAnswer(await sendRaw(port, bytes));
    expect([answer.status, answer.headers, answer.body]).toStrictEqual([
      status,
      {
        'content-type': 'application/json',
        'content-language': 'en',
        'cache-control': 'no-store',
        'content-length': String(Buffer.byteLength(plain(message, code))),
        'odata-version': '4.0',
        connection: 'close',
        ...(status === 405 && { allow: '' }),
      },
      plain(message, code),
    ]);
  });

  it('gets no second answer when it follows one that was refused', async () => {
    const { port } = await runServer([protocolPart()]);
    const socket = await open(port);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
      socket.end();
    });
    socket.write('POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n');
    await new Promise((resolve) => socket.on('close', resolve));
    expect(received.match(/HTTP\/1\.1 \d+/g)).toStrictEqual(['HTTP/1.1 413']);
  });

  it('leaves the others alone', async () => {
    const { url, port } = await runServer([protocolPart()]);
    await sendRaw(port, '\0'.repeat(100));
    expect((await fetch(`${url}/odata`)).status).toBe(200);
  });
});

describe('a body', () => {
  const TOO_LARGE = 'protocol: PayloadTooLarge: The body is larger than 10 bytes.';
  const chunked = (chunk: string) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`;

  it.each([
    ['of the limit', ['Content-Length: 10'], '0123456789', '0123456789'],
    [
      'in chunks',
      ['Transfer-Encoding: chunked'],
      `${chunked('01234')}${chunked('56789')}0\r\n\r\n`,
      '0123456789',
    ],
    ['that is empty', ['Content-Length: 0'], '', ''],
    ['of any bytes', ['Content-Length: 3'], '\0\xff\x80', '\0\xff\x80'],
    ['that is none', [], '', undefined],
  ])('%s arrives as it was sent', async (_, headers, bytes, expected) => {
    const { port } = await runServer([protocolPart()]);
    const { status, body } = await sendRequest(port, 'POST /odata', ['Host: x', ...headers], bytes);
    expect([status, JSON.parse(body).body]).toStrictEqual([200, expected]);
  });

  it.each([
    ['announces more than the limit', ['Content-Length: 11'], '01234567890'],
    ['announces far more and sends a part', ['Content-Length: 99999999999'], 'a'.repeat(100_000)],
    ['announces more than numbers can say', [`Content-Length: ${'9'.repeat(19)}`], 'a'],
    [
      'comes in too many chunks',
      ['Transfer-Encoding: chunked'],
      `${chunked('a'.repeat(5000)).repeat(50)}0\r\n\r\n`,
    ],
    ['comes in chunks without an end', ['Transfer-Encoding: chunked'], chunked('a'.repeat(5000)).repeat(50)],
  ])('is refused when it %s', async (_, headers, bytes) => {
    const { port } = await runServer([protocolPart()]);
    const socket = await open(port);
    const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    socket.write(['POST /odata HTTP/1.1', 'Host: x', ...headers, '', bytes].join('\r\n'));
    const { status, body } = parseAnswer(await answer);
    socket.destroy();
    expect([status, body]).toStrictEqual([413, TOO_LARGE]);
  });

  it('may have a limit for each target', async () => {
    const part = { ...protocolPart(), maxBodyBytes: (target: string) => (target === '/$batch' ? 20 : 10) };
    const { port } = await runServer([part]);
    const send = (line: string) => sendRequest(port, line, ['Host: x', 'Content-Length: 15'], 'a'.repeat(15));
    const statuses = [(await send('POST /odata/Post')).status, (await send('POST /odata/$batch')).status];
    expect(statuses).toStrictEqual([413, 200]);
  });

  it('is asked for only when the client may send it', async () => {
    const { port } = await runServer([protocolPart()]);
    const send = (length: number, body: string) =>
      sendRaw(
        port,
        `POST /odata HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${body}`,
      );
    expect((await send(5, 'hello')).match(/HTTP\/1\.1 \d+/g)).toStrictEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    expect((await send(11, '')).match(/HTTP\/1\.1 \d+/g)).toStrictEqual(['HTTP/1.1 413']);
  });

  it('may come with an expectation that nobody knows', async () => {
    const { port } = await runServer([protocolPart()]);
    const answer = await sendRequest(port, 'GET /odata', ['Host: x', 'Expect: tea']);
    expect(answer.status).toBe(200);
  });
});
