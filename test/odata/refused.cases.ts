/** A read that is refused, with the whole error; nothing of it reaches the upstream. */
export interface RefusedCase {
  readonly target: string;
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string; readonly target?: string };
}

const badRequest = (target: string, message: string, about?: string): RefusedCase => ({
  target,
  status: 400,
  error: { code: 'BadRequest', message, ...(about !== undefined && { target: about }) },
});
const notFound = (target: string, found: string, near?: string): RefusedCase => {
  const meant = near === undefined ? '.' : `: is "${near}" meant?`;
  const error = { code: 'NotFound', message: `There is no resource "${found}" here${meant}` };
  return { target, status: 404, error };
};
export const REFUSED: readonly RefusedCase[] = [
  // Tokens are for the rest of a collection, or for its changes (Part 1, 11.2.6.7 and 11.3).
  badRequest('/Post/$count?$skiptoken=x', '$skiptoken does not apply to /$count', '$skiptoken'),
  badRequest('/Post/$count?$deltatoken=x', '$deltatoken does not apply to /$count', '$deltatoken'),
  // Keys (Part 2, 4.3).
  badRequest('/Post()', 'Key of Post: expected a value for Id, each once.'),
  badRequest("/Post(Id='1',Id='2')", "resource path: expected each name once at position 12, found Id='2')"),
  badRequest("/Post(Nope='1')", 'Key of Post: expected a value for Id, each once.'),
  badRequest(
    '/Post(1)',
    'Key of Post, Id: expected a value of Edm.String, which stands in single quotes, found 1.',
  ),
  badRequest(
    '/Post(@k)',
    'Key of Post, Id: expected a value of Edm.String, which stands in single quotes, found no @k.',
  ),
  badRequest('/Post%00', 'resource path: expected no control character at position 4, found "\\u0000"'),
  badRequest(
    "/Post('a')%00('b')",
    'resource path: expected no control character at position 9, found "\\u0000(\'b\')"',
  ),
  badRequest(
    "/Post('%ED%A0%80')",
    'resource path: expected percent-encoded UTF-8 at position 6, found "%ED%A0%80\')"',
  ),
  badRequest('/%', 'resource path: expected percent-encoded UTF-8 at position 0, found "%"'),
  badRequest('/%C0%AE', 'resource path: expected percent-encoded UTF-8 at position 0, found "%C0%AE"'),

  // Paths.
  notFound('/__proto__', '__proto__'),
  notFound('/constructor', 'constructor'),
  notFound('/post', 'post', 'Post'),
  notFound("/Post('1')/__proto__", '__proto__'),
  notFound("/Post('1')/Nope", 'Nope'),
  {
    target: '/$all?$filter=true',
    status: 501,
    error: { code: 'NotImplemented', message: '$filter of $all is not implemented', target: '$filter' },
  },
  {
    target: '/$batch',
    status: 405,
    error: { code: 'MethodNotAllowed', message: 'GET is not allowed here; allowed: POST, OPTIONS.' },
  },

  // Query options (Part 2, 5.1).
  badRequest('/Post?$top=-1', '$top: expected a non-negative integer at position 0, found -1', '$top'),
  badRequest('/Post?$top=1e3', '$top: expected the end at position 1, found e3', '$top'),
  badRequest('/Post?$top=abc', '$top: expected a non-negative integer at position 0, found abc', '$top'),
  badRequest('/Post?$top=', '$top: expected a non-negative integer at position 0, found the end', '$top'),
  badRequest('/Post?$top=1.5', '$top: expected the end at position 1, found .5', '$top'),
  badRequest('/Post?$top=+1', '$top: expected a non-negative integer at position 0, found +1', '$top'),
  badRequest('/Post?$skip=-1', '$skip: expected a non-negative integer at position 0, found -1', '$skip'),
  badRequest('/Post?$top=1&$top=2', '$top: expected to be given once, found it twice', '$top'),
  badRequest('/Post?$top=1&top=2', '$top: expected to be given once, found it twice', '$top'),
  badRequest('/Post?$count=yes', '$count: expected true or false at position 0, found yes', '$count'),
  badRequest('/Post?$foo=1', '$foo: expected the name of a system query option, found none of them', '$foo'),
  badRequest(
    '/Post?$filter=__proto__%20eq%201',
    "$filter: expected a property of Posts.Post, found '__proto__' at position 0",
    '$filter',
  ),
  badRequest(
    '/Post?$filter=Nope%20eq%201',
    "$filter: expected a property of Posts.Post, found 'Nope' at position 0",
    '$filter',
  ),
  badRequest(
    "/Post?$filter=UserId%20eq%20'x'",
    "$filter: 'eq' expects operands of one type, found Edm.Int32 and Edm.String at position 7",
    '$filter',
  ),
  badRequest(
    "/Post?$filter=contains(UserId,'x')",
    "$filter: 'contains' expects (Edm.String, Edm.String) or (collection, collection), found (Edm.Int32, Edm.String) at position 0",
    '$filter',
  ),
  badRequest(
    '/Post?$filter=Title',
    '$filter: $filter expects Edm.Boolean, found Edm.String at position 0',
    '$filter',
  ),
  badRequest(
    '/Post?$filter=UserId%20eq',
    '$filter: expected an expression at position 9, found the end',
    '$filter',
  ),
  badRequest(
    '/Post?$filter=(UserId%20eq%201',
    '$filter: expected ) at position 12, found the end',
    '$filter',
  ),
  badRequest(
    '/Post?$filter=@a&@a=@b&@b=@a',
    "@b: expected a value, found that '@a' refers to itself at position 0",
    '@b',
  ),
  badRequest(
    '/Post?$orderby=Nope',
    "$orderby: expected a property of Posts.Post, found 'Nope' at position 0",
    '$orderby',
  ),
  badRequest(
    '/Post?$select=Nope',
    "$select: expected a property of Posts.Post, found 'Nope' at position 0",
    '$select',
  ),
  badRequest("/Post('1')?$top=1", '$top does not apply to a single entity', '$top'),
  badRequest(
    `/Post?$filter=${'('.repeat(500)}1%20eq%201${')'.repeat(500)}`,
    '$filter: expected at most 30 levels of nesting (QUERY_DEPTH) at position 30, found ((((((((((((((((((((((((((((((((((((((((…',
    '$filter',
  ),
  badRequest(
    `/Post?$filter=${'not%20'.repeat(1_000)}true`,
    '$filter: expected at most 30 levels of nesting (QUERY_DEPTH) at position 124, found not not not not not not not not not not …',
    '$filter',
  ),
  badRequest(
    `/Post?$filter=${'concat('.repeat(1_000)}`,
    '$filter: expected at most 30 levels of nesting (QUERY_DEPTH) at position 216, found (concat(concat(concat(concat(concat(conc…',
    '$filter',
  ),
  badRequest(
    `/Post?$filter=${'Id%20eq%20null%20or%20'.repeat(200)}true`,
    '$filter: expected at most 100 expressions (QUERY_NODES) at position 350, found Id eq null or Id eq null or Id eq null o…',
    '$filter',
  ),
  badRequest(
    '/Post?$expand=Author',
    '$expand: expected a navigation property of Posts.Post, found "Author" at position 0',
    '$expand',
  ),
  {
    target: '/Post?$apply=aggregate(Forecast)',
    status: 501,
    error: {
      code: 'NotImplemented',
      message: "$apply: the custom aggregate 'Forecast' at position 10 is not implemented",
      target: '$apply',
    },
  },
  {
    target: `/Post?$filter=${'x'.repeat(10_000)}`,
    status: 414,
    error: {
      code: 'UriTooLong',
      message:
        'The URL is longer than 8192 characters (URL_LENGTH). Send the query in the body of a POST, to the same path with /$query behind it.',
    },
  },
  {
    target: '/Post?$format=../../x',
    status: 406,
    error: {
      code: 'NotAcceptable',
      message:
        '$format: this resource is available as application/json, text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/jsonl or application/x-ndjson.',
      target: '$format',
    },
  },
  {
    target: '/Post?$format=application/json;metadata=all',
    status: 406,
    error: {
      code: 'NotAcceptable',
      message:
        '$format: this resource is available as application/json, text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/jsonl or application/x-ndjson.',
      target: '$format',
    },
  },
];
