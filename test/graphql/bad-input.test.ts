import { beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Harbour, version: '1' }
paths:
  /vessels: { get: { operationId: vessels, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Vessel' } } } } } } } }
  /vessels/{imo}: { get: { operationId: vessel, parameters: [&imo { name: imo, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Vessel' } } } } } } }
  /vessels/{imo}/berths: { get: { operationId: vesselBerths, parameters: [*imo], responses: { '200': &berths { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Berth' } } } } } } } }
  /berths: { get: { operationId: berths, responses: { '200': *berths } } }
  /berths/{quay}: { get: { operationId: berth, parameters: [{ name: quay, in: path, required: true, schema: { type: string } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Berth' } } } } } } }
components:
  schemas:
    Vessel: { type: object, required: [imo], properties: { imo: { type: integer }, length: { type: number } } }
    Berth: { type: object, required: [quay], properties: { quay: { type: string } } }
`;

let upstream: StandInUpstream;
let url: string;
beforeAll(async () => {
  upstream = await startStandInUpstream(({ target }, reply) =>
    reply.json(target.endsWith('berths') ? [{ quay: 'A' }] : [{ imo: 1, length: 90.5 }]),
  );
  atEndOfFile(() => upstream.close());
  const files = {
    'harbour.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Harbour', './harbour.yaml', upstream.url)}`,
  };
  const limits = { GRAPHQL_TOKENS: '100000', GRAPHQL_BODY_KIB: '2048' };
  url = (await serveProject(createProject(files, atEndOfFile), limits, atEndOfFile)).gateway.url;
});

async function send(body: string | Uint8Array<ArrayBuffer>, accept = 'application/json') {
  const headers = { 'content-type': 'application/json', accept };
  const before = upstream.requests.length;
  const response = await fetch(`${url}/graphql`, { method: 'POST', body, headers });
  const text = await response.text();
  return { status: response.status, text, calls: upstream.requests.length - before };
}

const times = (count: number, text: string, separator = ' ') => Array(count).fill(text).join(separator);

const FORGED = Buffer.from('[1,2]').toString('base64url');
const query = (text: string, variables?: unknown) => JSON.stringify({ query: text, variables });

/** The position of a mistake: in the document, at an executed field, or outside of the document. */
type Place = 'document' | 'field' | 'request' | 'body';

interface BadInput {
  readonly what: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly place: Place;
  /** All of it, or a pattern. */
  readonly message: string | RegExp;
}

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

const BAD: readonly BadInput[] = [
  {
    what: 'an unknown field',
    body: query('{ vessels { colour } }'),
    place: 'document',
    message: 'Cannot query field "colour" on type "Vessel".',
  },
  {
    what: 'an unknown argument',
    body: query('{ vessels(top: 1) { imo } }'),
    place: 'document',
    message: 'Unknown argument "top" on field "Query.vessels".',
  },
  {
    what: 'an operator on the wrong type',
    body: query('{ vessels(where: { length: { contains: "1" } }) { imo } }'),
    place: 'document',
    message: 'Field "contains" is not defined by type "FloatFilter".',
  },
  {
    what: 'a forged cursor',
    body: query(`{ vesselsConnection(first: 1, after: "${FORGED}") { nodes { imo } } }`),
    place: 'field',
    message: 'after: expected a cursor of this list in this order, found another text.',
  },
  {
    what: 'a forged cursor within a relation',
    body: query(`{ vessels { berthsConnection(before: "${FORGED}") { nodes { quay } } } }`),
    place: 'field',
    message: 'before: expected a cursor of this list in this order, found another text.',
  },
  {
    what: 'first and last',
    body: query('{ vesselsConnection(first: 1, last: 1) { nodes { imo } } }'),
    place: 'field',
    message: 'first: expected either first or last, found both.',
  },
  {
    what: 'a negative number',
    body: query('{ vessels(take: -1) { imo } }'),
    place: 'field',
    message: 'take: expected a number that is not negative, found -1.',
  },
  {
    what: 'a negative number within a relation',
    body: query('{ vessels { berths(skip: -1) { quay } } }'),
    place: 'field',
    message: 'skip: expected a number that is not negative, found -1.',
  },
  {
    what: 'a huge number',
    body: query('{ vessels(take: 99999999999) { imo } }'),
    place: 'document',
    message: 'Int cannot represent non 32-bit signed integer value: 99999999999',
  },
  {
    what: 'a key of another type',
    body: query('{ vessel(imo: "x") { length } }'),
    place: 'field',
    message: 'imo: expected Long, found "x".',
  },
  {
    what: 'a where of 10,000 nodes',
    body: query('query ($where: VesselFilter) { vessels(where: $where) { imo } }', {
      where: { or: Array(10_000).fill({ imo: { eq: '1' } }) },
    }),
    place: 'field',
    message: 'where: expected at most 100 conditions (QUERY_NODES), found more.',
  },
  {
    what: 'a where of 10,000 values',
    body: query('query ($where: VesselFilter) { vessels(where: $where) { imo } }', {
      where: { length: { in: Array(10_000).fill(1) } },
    }),
    place: 'field',
    message: 'where: expected at most 5000 values (QUERY_LITERALS), found more.',
  },
  {
    what: 'a where of 500 levels',
    body: query('query ($where: VesselFilter) { vessels(where: $where) { imo } }', {
      where: JSON.parse(`${times(500, '{"not":', '')}{}${times(500, '}', '')}`),
    }),
    place: 'body',
    message: 'Expected at most 64 levels of nesting in JSON.',
  },
  {
    what: '40,000 lists in each other',
    body: `{"query":"{ vessels { imo } }","variables":{"a":${times(40_000, '[', '')}${times(40_000, ']', '')}}}`,
    place: 'body',
    message: 'Expected at most 64 levels of nesting in JSON.',
  },
  {
    what: '1,000 aliases',
    body: query(`{ ${Array.from({ length: 1000 }, (_, index) => `a${index}: vessels { imo }`).join(' ')} }`),
    place: 'request',
    message: 'Aliases limit of 15 exceeded, found 1000 (GRAPHQL_ALIASES).',
  },
  {
    what: '500 selections in each other',
    body: query(`{ vessels ${times(500, '{ berths')} ${times(500, '}')} }`),
    place: 'request',
    message: 'Query depth limit of 12 exceeded, found 501 (GRAPHQL_DEPTH).',
  },
  {
    what: 'a fragment that is within itself',
    body: query('{ vessels { ...a } } fragment a on Vessel { imo ...a }'),
    place: 'document',
    message: 'Cannot spread fragment "a" within itself.',
  },
  {
    what: 'a directive 1,000 times',
    body: query(`{ vessels { imo ${times(1000, '@skip(if: false)')} } }`),
    place: 'request',
    message: 'Directives limit of 50 exceeded, found 1000 (GRAPHQL_DIRECTIVES).',
  },
  {
    what: 'a batch',
    body: `[${query('{ vessels { imo } }')}]`,
    place: 'body',
    message: 'Batching is not supported.',
  },
  {
    what: 'a variable of the wrong type',
    body: query('query ($take: Int) { vessels(take: $take) { imo } }', { take: 'x' }),
    place: 'document',
    message: 'Variable "$take" got invalid value "x"; Int cannot represent non-integer value: "x"',
  },
  {
    what: 'a variable of an input that has no such field',
    body: query('query ($where: VesselFilter) { vessels(where: $where) { imo } }', { where: { colour: {} } }),
    place: 'document',
    message:
      /^Variable "\$where" got invalid value \{ colour: \{\} \}; Field "colour" is not defined by type "VesselFilter"\.$/,
  },
  {
    what: 'variables that are no object',
    body: query('{ vessels { imo } }', [1]),
    place: 'body',
    message: 'Expected "variables" param to be empty or an object, but given array.',
  },
  {
    what: 'names that come twice',
    body: '{"query":"{vessels{imo}}","query":"{vessels{length}}"}',
    place: 'body',
    message: 'query: expected each name once, found "query" twice.',
  },
  {
    what: 'names that come twice in variables',
    body: '{"query":"{vessels{imo}}","variables":{"a":{"b":1,"b":2}}}',
    place: 'body',
    message: 'variables/a/b: expected each name once, found "b" twice.',
  },
  { what: 'no JSON', body: '{"query":', place: 'body', message: 'The body must be JSON in UTF-8.' },
  {
    what: 'no UTF-8',
    body: bytes('{"query":"', [0xff], '"}'),
    place: 'body',
    message: 'The body must be JSON in UTF-8.',
  },
  {
    what: 'a half of a surrogate pair in UTF-8',
    body: bytes('{"query":"', [0xed, 0xa0, 0x80], '"}'),
    place: 'body',
    message: 'The body must be JSON in UTF-8.',
  },
];

describe('bad input', () => {
  it.each(BAD)('$what is told by name, without a call', async ({ body, place, message }) => {
    for (const [accept, status] of [
      ['application/json', place === 'body' ? 400 : 200],
      // GraphQL over HTTP, 6.4.2: what is not carried out has failed.
      ['application/graphql-response+json', place === 'field' ? 200 : 400],
    ] as const) {
      const answer = await send(body, accept);
      const { errors } = JSON.parse(answer.text);
      expect([answer.status, answer.calls, errors.length]).toStrictEqual([status, 0, 1]);
      const [error] = errors;
      if (typeof message === 'string') expect(error.message).toBe(message);
      else expect(error.message).toMatch(message);
      expect(error.extensions).toMatchObject({ code: expect.any(String), http: { status: 400 } });
      const isPlaced = place === 'document' || place === 'field';
      expect([error.locations !== undefined, error.path !== undefined]).toStrictEqual([
        isPlaced,
        place === 'field',
      ]);
      expect(answer.text).not.toMatch(/stack|node_modules|\.ts:/);
    }
  });

  it.each<readonly [search: string, message: string]>([
    ['variables={"a"', 'variables: expected JSON, found another text.'],
    ['extensions=[', 'extensions: expected JSON, found another text.'],
    ['variables={"a"&unknown=1', 'variables: expected JSON, found another text.'],
    [
      `variables={"a":${times(65, '[', '')}${times(65, ']', '')}}`,
      'Expected at most 64 levels of nesting in JSON.',
    ],
    ['variables=1', 'Expected "variables" param to be empty or an object, but given number.'],
  ])('in a URL, %s, is told by name, without a call', async (search, message) => {
    const before = upstream.requests.length;
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const target = `${url}/graphql?query=${encodeURIComponent('{ vessels { imo } }')}&${encodeURI(search)}`;
      const response = await fetch(target, { headers: { accept } });
      const { errors } = (await response.json()) as { errors: readonly { message: string }[] };
      expect([response.status, errors.map((each) => each.message)]).toStrictEqual([400, [message]]);
    }
    expect(upstream.requests.length).toBe(before);
  });

  it('a cursor of another list', async () => {
    const sorted = 'vesselsConnection(first: 1, order: [{ length: ASC }]) { edges { cursor } }';
    const page = await send(query(`{ ${sorted} }`));
    const { cursor } = JSON.parse(page.text).data.vesselsConnection.edges[0];
    for (const list of ['vesselsConnection', 'berthsConnection']) {
      const { text, calls } = await send(
        query(`{ ${list}(first: 1, after: "${cursor}") { totalCount nodes { __typename } } }`),
      );
      expect(JSON.parse(text).errors[0].message).toBe(
        'after: expected a cursor of this list in this order, found another text.',
      );
      expect(calls).toBe(0);
    }
  });
});
