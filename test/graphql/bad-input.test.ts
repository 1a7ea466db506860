import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway({ GRAPHQL_TOKENS: '100000', GRAPHQL_BODY_KIB: '2048' });

beforeEach(() => gateway.upstream.behave(postsApi));

async function send(body: string | Uint8Array<ArrayBuffer>, accept = 'application/json') {
  const headers = { 'content-type': 'application/json', accept };
  const before = gateway.upstream.requests.length;
  const { status, text } = await gateway.fetch('/graphql', { method: 'POST', body, headers });
  return { status, text, calls: gateway.upstream.requests.length - before };
}

const times = (count: number, text: string, separator = ' ') => Array(count).fill(text).join(separator);

const FORGED = Buffer.from('[1,2]').toString('base64url');
const query = (text: string, variables?: unknown) => JSON.stringify({ query: text, variables });

/** What is sent; how the status is by either media type; the beginning of the message. */
const BAD: readonly (readonly [what: string, body: string, message: string | RegExp])[] = [
  ['an unknown field', query('{ posts { colour } }'), 'Cannot query field "colour" on type "Post".'],
  [
    'an unknown argument',
    query('{ posts(top: 1) { id } }'),
    'Unknown argument "top" on field "Query.posts".',
  ],
  [
    'an operator on the wrong type',
    query('{ posts(where: { userId: { contains: "1" } }) { id } }'),
    'Field "contains" is not defined by type "IntFilter".',
  ],
  [
    'a forged cursor',
    query(`{ postsConnection(first: 1, after: "${FORGED}") { nodes { id } } }`),
    'after: expected a cursor of this list in this order, found another text.',
  ],
  [
    'first and last',
    query('{ postsConnection(first: 1, last: 1) { nodes { id } } }'),
    'first: expected either first or last, found both.',
  ],
  [
    'a negative number',
    query('{ posts(take: -1) { id } }'),
    'take: expected a number that is not negative, found -1.',
  ],
  [
    'a huge number',
    query('{ posts(take: 99999999999) { id } }'),
    'Int cannot represent non 32-bit signed integer',
  ],
  [
    'a where of 10,000 nodes',
    query('query ($where: PostFilter) { posts(where: $where) { id } }', {
      where: { or: Array(10_000).fill({ id: { eq: '1' } }) },
    }),
    /^where: expected at most \d+ (conditions|values) \(QUERY_(NODES|LITERALS)\), found more\.$/,
  ],
  [
    '1,000 aliases',
    query(`{ ${Array.from({ length: 1000 }, (_, index) => `a${index}: posts { id }`).join(' ')} }`),
    'Aliases limit of 15 exceeded, found 1000 (GRAPHQL_ALIASES).',
  ],
  [
    '500 selections in each other',
    query(`{ posts ${times(500, '{ a')} ${times(500, '}')} }`),
    /limit of \d+ exceeded|Cannot query field "a"/,
  ],
  [
    'a directive 1,000 times',
    query(`{ posts { id ${times(1000, '@skip(if: false)')} } }`),
    'Directives limit of 50 exceeded, found 1000 (GRAPHQL_DIRECTIVES).',
  ],
  ['a batch', `[${query('{ posts { id } }')}]`, /batch/i],
  [
    'a variable of the wrong type',
    query('query ($take: Int) { posts(take: $take) { id } }', { take: 'x' }),
    'Variable "$take" got invalid value "x"',
  ],
  ['variables that are no object', query('{ posts { id } }', [1]), /variables/],
  ['names that come twice', '{"query":"{posts{id}}","query":"{post{id}}"}', 'query: expected each name once'],
  [
    'names that come twice in variables',
    '{"query":"{posts{id}}","variables":{"a":{"b":1,"b":2}}}',
    'variables/a/b: expected each name once, found "b" twice.',
  ],
  ['no JSON', '{"query":', 'The body must be JSON in UTF-8.'],
];

describe('bad input', () => {
  it.each(BAD)('%s is told by name, without a call', async (_, body, message) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, text, calls } = await send(body, accept);
      const { errors } = JSON.parse(text);
      expect(calls).toBe(0);
      expect([200, 400]).toContain(status);
      expect(errors[0].message).toMatch(typeof message === 'string' ? literal(message) : message);
      expect(text).not.toMatch(/stack|node_modules|\.ts:/);
    }
  });

  it('a cursor of another list', async () => {
    const page = await send(
      query('{ postsConnection(first: 1, order: [{ title: ASC }]) { edges { cursor } } }'),
    );
    const { cursor } = JSON.parse(page.text).data.postsConnection.edges[0];
    const { text, calls } = await send(
      query(`{ postsConnection(first: 1, after: "${cursor}") { nodes { id } } }`),
    );
    expect(JSON.parse(text).errors[0].message).toBe(
      'after: expected a cursor of this list in this order, found another text.',
    );
    expect(calls).toBe(0);
  });

  it('a body that is no UTF-8', async () => {
    const bytes = new Uint8Array(
      Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    );
    expect(await send(bytes)).toMatchObject({ status: 400, calls: 0 });
  });
});

function literal(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
