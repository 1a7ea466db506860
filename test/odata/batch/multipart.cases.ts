/** A batch as it comes over the wire with the boundary `b`, and the whole answer, its lines ended with CRLF. */
export interface WireCase {
  readonly name: string;
  readonly wire: string;
  readonly answer: readonly string[];
  readonly asked?: readonly string[];
}

const crlf = (...lines: readonly string[]): string => lines.join('\r\n');
const lf = (...lines: readonly string[]): string => lines.join('\n');

const headers = (contentType: string): readonly string[] => [
  `Content-Type: ${contentType}`,
  'Cache-Control: private, no-cache',
  'OData-Version: 4.0',
  'Vary: accept, odata-maxversion, prefer',
];

const part = (id: string | undefined, ...lines: readonly string[]): readonly string[] => [
  'Content-Type: application/http',
  'Content-Transfer-Encoding: binary',
  ...(id === undefined ? [] : [`Content-ID: ${id}`]),
  '',
  ...lines,
];

const count = (id?: string): readonly string[] =>
  part(id, 'HTTP/1.1 200 OK', ...headers('text/plain'), 'Content-Length: #', '', '4');

const created = (id?: string): readonly string[] =>
  part(
    id,
    'HTTP/1.1 201 Created',
    ...headers('application/json;odata.metadata=minimal'),
    "Location: ~/Post('101')",
    'Content-Length: #',
    '',
    '{"@odata.context":"~/$metadata#Post/$entity","UserId":null,"Id":"101","Title":"x","Body":null}',
  );

const failed = (id: string | undefined, status: string, error: object): readonly string[] =>
  part(
    id,
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    'Content-Language: en',
    'Cache-Control: no-store',
    'OData-Version: 4.0',
    'Content-Length: #',
    '',
    JSON.stringify({ error }),
  );

const batch = (...parts: readonly (readonly string[])[]): readonly string[] => [
  ...parts.flatMap((lines) => ['--batchresponse', ...lines]),
  '--batchresponse--',
  '',
];

const changeSet = (...parts: readonly (readonly string[])[]): readonly string[] => [
  'Content-Type: multipart/mixed; boundary=changesetresponse',
  '',
  ...parts.flatMap((lines) => ['--changesetresponse', ...lines]),
  '--changesetresponse--',
];

const HTTP = 'Content-Type: application/http';
const COUNT = 'GET Post/$count HTTP/1.1';
const LIST = ['GET /posts'];
const noBlanks = "There is no Post('9').";

export const WIRES: readonly WireCase[] = [
  {
    name: 'a read',
    wire: crlf(
      '--b',
      HTTP,
      'Content-Transfer-Encoding: binary',
      '',
      COUNT,
      'Accept: */*',
      '',
      '',
      '--b--',
      '',
    ),
    answer: batch(count()),
    asked: LIST,
  },
  {
    name: 'no requests',
    wire: crlf('--b--'),
    answer: batch(),
    asked: [],
  },
  {
    name: 'bare line feeds',
    wire: lf('--b', HTTP, '', COUNT, '', '', '--b--'),
    answer: batch(count()),
    asked: LIST,
  },
  {
    name: 'no blank after colons, blanks at the ends of lines',
    wire: crlf(
      '--b  ',
      'Content-Type:application/http  ',
      'Content-ID:7 ',
      ' ',
      `${COUNT} `,
      'Accept:*/* ',
      '',
      '--b-- ',
    ),
    answer: batch(count('7')),
    asked: LIST,
  },
  {
    name: 'empty lines in front of everything',
    wire: crlf('', '', '--b', '', '', HTTP, '', '', '', COUNT, '', '', '', '--b--'),
    answer: batch(count()),
    asked: LIST,
  },
  {
    name: 'text in front of the first delimiter and behind the closing one',
    wire: crlf('A preamble', '--b', HTTP, '', COUNT, '', '--b--', 'an epilogue', '--b', HTTP, '', COUNT),
    answer: batch(count()),
    asked: LIST,
  },
  {
    name: 'no version and no empty line at the end',
    wire: crlf('--b', HTTP, '', 'get Post/$count', '--b--'),
    answer: batch(count()),
    asked: LIST,
  },
  {
    name: 'parameters, letters of another case, header fields over two lines',
    wire: crlf(
      '--b',
      'CONTENT-TYPE: Application/HTTP;',
      ' msgtype=request',
      '',
      COUNT,
      'ACCEPT: */*',
      '',
      '--b--',
    ),
    answer: batch(count()),
    asked: LIST,
  },
  {
    name: 'a delimiter within a body, where no line starts',
    wire: crlf(
      '--b',
      HTTP,
      '',
      'POST Post HTTP/1.1',
      'Content-Type: application/json',
      '',
      '{"title":"--b--"}',
      '--b--',
    ),
    answer: batch([...created().slice(0, -1), created().at(-1)?.replace('"x"', '"--b--"') ?? '']),
    asked: ['POST /posts {"title":"--b--"}'],
  },
  {
    name: 'a URL with blanks, and one that names nobody',
    wire: crlf(
      '--b',
      HTTP,
      '',
      "GET Post/$count?$filter=Id eq '1' HTTP/1.1",
      '',
      '--b',
      HTTP,
      '',
      "GET Post('9')",
      '--b--',
    ),
    answer: batch(
      [...count().slice(0, -1), '1'],
      failed(undefined, '404 Not Found', { code: 'NotFound', message: noBlanks }),
    ),
    asked: ['GET /posts', 'GET /posts/9'],
  },
  {
    name: 'a change set with Content-ID as MIME header and as inner header, with dots',
    wire: crlf(
      '--b',
      'Content-Type: multipart/mixed; boundary="c"',
      '',
      '--c',
      HTTP,
      'Content-ID: 0.0',
      '',
      'POST Post HTTP/1.1',
      'Content-Type: application/json;charset=UTF-8;IEEE754Compatible=true',
      'Content-Length: 13',
      '',
      '{"title":"x"}',
      '',
      '--c',
      HTTP,
      '',
      'POST Post HTTP/1.1',
      'Content-ID: 1.0',
      'Content-Type: application/json',
      '',
      '{"title":"x"}',
      '',
      '--c--',
      '--b--',
    ),
    answer: batch(changeSet(created('0.0'), created('1.0'))),
    asked: ['POST /posts {"title":"x"}', 'POST /posts {"title":"x"}'],
  },
  {
    name: 'a Content-Length in characters where the body has more bytes',
    wire: crlf(
      '--b',
      HTTP,
      '',
      'POST Post',
      'Content-Type: application/json',
      'Content-Length: 13',
      '',
      '{"title":"ä"}',
      '--b--',
    ),
    answer: batch([...created().slice(0, -1), created().at(-1)?.replace('"x"', '"ä"') ?? '']),
    asked: ['POST /posts {"title":"ä"}'],
  },
  {
    name: 'HEAD, which has no body',
    wire: crlf('--b', HTTP, 'Content-ID: h', '', 'HEAD Post/$count HTTP/1.1', '', '--b--'),
    answer: batch(part('h', 'HTTP/1.1 200 OK', ...headers('text/plain'), '', '')),
    asked: LIST,
  },
  {
    name: 'a method that the resource does not have',
    wire: crlf('--b', HTTP, '', "DELETE Post('1') HTTP/1.1", '', '--b--'),
    answer: batch([
      ...failed(undefined, '405 Method Not Allowed', {
        code: 'MethodNotAllowed',
        message: 'DELETE is not allowed here; allowed: GET, HEAD, OPTIONS.',
      }).flatMap((line) =>
        line.startsWith('Content-Length') ? ['Allow: GET, HEAD, OPTIONS', line] : [line],
      ),
    ]),
    asked: [],
  },
  {
    name: 'a failure: what is behind it is not carried out (Part 1, 8.2.8.3)',
    wire: crlf('--b', HTTP, '', 'GET Nope', '', '--b', HTTP, '', 'POST Post', '', '{}', '--b--'),
    answer: batch(
      failed(undefined, '404 Not Found', { code: 'NotFound', message: 'There is no resource "Nope" here.' }),
    ),
    asked: [],
  },
  {
    name: 'a change set with a mistake: one answer for all of it, and nothing is sent (Part 1, 11.7.7.5)',
    wire: crlf(
      '--b',
      'Content-Type: multipart/mixed;boundary=c',
      '',
      '--c',
      HTTP,
      'Content-ID: 1',
      '',
      'POST Post',
      'Content-Type: application/json',
      '',
      '{"title":"x"}',
      '--c',
      HTTP,
      'Content-ID: 2',
      '',
      'POST Post',
      'Content-Type: application/json',
      '',
      '{"title":[]}',
      '--c--',
      '--b--',
    ),
    answer: batch(
      failed('2', '400 Bad Request', {
        code: 'BadRequest',
        message: 'title: expected Edm.String, found an array.',
        target: 'title',
      }),
    ),
    asked: [],
  },
];

export interface MalformedCase {
  readonly name: string;
  readonly wire: string;
  readonly message: string;
}

const only = (...lines: readonly string[]): string => crlf('--b', HTTP, '', ...lines, '', '--b--');

export const MALFORMED: readonly MalformedCase[] = [
  { name: 'nothing', wire: '', message: 'the body: expected the delimiter "--b--" at its end, found none.' },
  {
    name: 'no closing delimiter',
    wire: crlf('--b', HTTP, '', COUNT, ''),
    message: 'the body: expected the delimiter "--b--" at its end, found none.',
  },
  {
    name: 'another boundary',
    wire: crlf('--bc', HTTP, '', COUNT, '--bc--'),
    message: 'the body: expected the delimiter "--b--" at its end, found none.',
  },
  {
    name: 'a part of another type',
    wire: crlf('--b', HTTP, '', COUNT, '--b', 'Content-Type: text/plain', '', COUNT, '--b--'),
    message: 'part 2: expected Content-Type application/http, found "text/plain".',
  },
  {
    name: 'a part without a type',
    wire: crlf('--b', 'Content-ID: 1', '', COUNT, '--b--'),
    message: 'part 1: expected Content-Type application/http, found "".',
  },
  {
    name: 'an encoding',
    wire: crlf('--b', HTTP, 'Content-Transfer-Encoding: base64', '', COUNT, '--b--'),
    message: 'part 1: expected Content-Transfer-Encoding binary, found "base64".',
  },
  {
    name: 'no header field',
    wire: only(COUNT, 'Accept'),
    message: 'part 1: expected a header field, found "Accept".',
  },
  {
    name: 'no URL',
    wire: only('GET'),
    message: 'part 1: expected a request line such as "GET Name HTTP/1.1", found "GET".',
  },
  {
    name: 'no request',
    wire: only(''),
    message: 'part 1: expected a request line such as "GET Name HTTP/1.1", found "".',
  },
  { name: 'no method', wire: only('G=T Post'), message: 'part 1: expected a method, found "G=T".' },
  {
    name: 'a Content-ID twice (Part 1, 11.7.3)',
    wire: crlf('--b', HTTP, 'Content-ID: 1', '', COUNT, '--b', HTTP, 'Content-ID: 1', '', COUNT, '--b--'),
    message: 'part 2: expected a Content-ID of its own, found "1".',
  },
  {
    name: 'a Content-ID again in a change set (Part 1, 11.7.3)',
    wire: crlf(
      '--b',
      HTTP,
      'Content-ID: 1',
      '',
      COUNT,
      '--b',
      'Content-Type: multipart/mixed;boundary=c',
      '',
      '--c',
      HTTP,
      '',
      'POST Post',
      'Content-ID: 1',
      '',
      '{}',
      '--c--',
      '--b--',
    ),
    message: 'part 2, part 1: expected a Content-ID of its own, found "1".',
  },
  {
    name: 'a change set in a change set',
    wire: crlf(
      '--b',
      'Content-Type: multipart/mixed;boundary=c',
      '',
      '--c',
      'Content-Type: multipart/mixed;boundary=d',
      '',
      '--d--',
      '--c--',
      '--b--',
    ),
    message: 'part 1, part 1: expected Content-Type application/http, found "multipart/mixed;boundary=d".',
  },
  {
    name: 'a change set without a boundary',
    wire: crlf('--b', 'Content-Type: multipart/mixed', '', '--b--'),
    message: 'part 1: expected a boundary of at most 70 characters, found "multipart/mixed".',
  },
  {
    name: 'a change set that does not end',
    wire: crlf(
      '--b',
      'Content-Type: multipart/mixed;boundary=c',
      '',
      '--c',
      HTTP,
      '',
      'POST Post',
      '',
      '{}',
      '--b--',
    ),
    message: 'part 1: expected the delimiter "--c--" at its end, found none.',
  },
  {
    name: 'credentials of somebody else (Part 1, 11.7.7.1)',
    wire: only(COUNT, 'Authorization: Bearer other'),
    message: 'part 1: expected no credentials but those of the batch, found authorization.',
  },
  {
    name: '1,001 requests',
    wire: crlf(...Array.from({ length: 1_001 }, () => crlf('--b', HTTP, '', COUNT)), '--b--'),
    message: 'expected at most 1000 requests (BATCH_REQUESTS), found more.',
  },
  {
    name: '1,001 requests in change sets',
    wire: crlf(
      ...['c', 'd'].flatMap((boundary) => [
        '--b',
        `Content-Type: multipart/mixed;boundary=${boundary}`,
        '',
        ...Array.from({ length: 501 }, () => crlf(`--${boundary}`, HTTP, '', 'POST Post', '', '{}')),
        `--${boundary}--`,
      ]),
      '--b--',
    ),
    message: 'expected at most 1000 requests (BATCH_REQUESTS), found more.',
  },
];

/** Mistakes that fail only their own request; `line` is its request line. */
export const FAILING_PARTS: readonly {
  readonly name: string;
  readonly line: string;
  readonly message: string;
}[] = [
  {
    name: 'a batch in a batch',
    line: 'POST $batch',
    message: 'part 1: expected no batch in a batch, found $batch.',
  },
  {
    name: 'a batch in a batch, encoded',
    line: 'POST /odata/%24b%61tch?x=1',
    message: 'part 1: expected no batch in a batch, found $batch.',
  },
  {
    name: 'a URL of another host',
    line: 'GET http://other.example/odata/Post',
    message: 'part 1: expected a URL of this service, found "http://other.example/odata/Post".',
  },
  {
    name: 'a URL of another host without a scheme',
    line: 'GET //other.example/odata/Post',
    message: 'part 1: expected a URL of this service, found "//other.example/odata/Post".',
  },
  {
    name: 'a path beside the service',
    line: 'GET /odatas/Post',
    message: 'part 1: expected a URL below "/odata", found "/odatas/Post".',
  },
];
