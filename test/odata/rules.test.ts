import { describe, expect, it } from 'vitest';
import type { GatewayResponse } from '../../src/contract/exchange.ts';
import type { ComplexType, EntitySet, EnumerationType, StructuralProperty } from '../../src/model/edm.ts';
import type { Model } from '../../src/model/model.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { entityTypeOf, modelOf, primitiveProperty } from '../support/model.ts';
import { rowsSource } from './query/rows-source.ts';
import { POSTS, THING, THINGS } from './query/sample.ts';
import { URL_RULES, VALUE_RULES } from './rules.cases.ts';

/** The set as an upstream has it that lists and reads by key. */
function served({ entityType, ...set }: EntitySet, more: readonly StructuralProperty[] = []): EntitySet {
  const structural = [...entityType.structuralProperties.values(), ...more];
  return {
    ...set,
    entityType: {
      ...entityType,
      structuralProperties: new Map(structural.map((each) => [each.name, each])),
    },
    list: { id: `list${set.name}`, parameters: [] },
    read: {
      id: `read${set.name}`,
      parameters: entityType.key.map((name) => ({ name: name.toLowerCase(), property: name })),
    },
  };
}

const { key: _, ...PLACE_PARTS } = entityTypeOf('Sample', 'Place', [primitiveProperty('City', 'Edm.String')]);
const PLACE: ComplexType = { ...PLACE_PARTS, kind: 'complex', base: undefined, derived: [] };
const COLOUR: EnumerationType = {
  kind: 'enumeration',
  namespace: 'Sample',
  name: 'Colour',
  description: undefined,
  flags: true,
  members: [
    { name: 'Red', value: 1, upstreamValue: 1 },
    { name: 'Blue', value: 2, upstreamValue: 2 },
  ],
};
const typed = (name: string, type: StructuralProperty['type'], collection = false): StructuralProperty => ({
  ...primitiveProperty(name, 'Edm.String'),
  type,
  collection,
});

const LINE_TYPE = {
  ...entityTypeOf('Sample', 'Line', [
    primitiveProperty('Order', 'Edm.Int32'),
    primitiveProperty('Number', 'Edm.Int32'),
    primitiveProperty('Text', 'Edm.String'),
  ]),
  key: ['Order', 'Number'],
};

const SETS = [
  served(POSTS),
  served(THINGS, [
    typed('Tags', { kind: 'primitive', name: 'Edm.String' }, true),
    typed('Place', PLACE),
    typed('Colour', COLOUR),
    typed('Spot', { kind: 'primitive', name: 'Edm.GeographyPoint' }),
  ]),
  { ...served({ ...POSTS, name: 'Line', entityType: LINE_TYPE }), read: undefined },
];

const MODEL: Model = {
  ...modelOf('Sample', SETS),
  complexTypes: new Map([['Place', PLACE]]),
  enumerationTypes: new Map([['Colour', COLOUR]]),
};

const { source } = rowsSource({
  Post: [
    { UserId: 2, Id: '1', Title: 'Cedar', Body: 'The first' },
    { UserId: 1, Id: '2', Title: 'amber', Body: 'The second' },
    { UserId: null, Id: 'a/b', Title: null, Body: null },
    { UserId: 2, Id: "O'Neil", Title: 'plus+sign', Body: 'x' },
    { UserId: 3, Id: '%25', Title: 'x&y=%25', Body: 'x' },
  ],
  Thing: [
    { ...THING, Tags: ['a', 'b'], Place: null, Colour: 'Red', Spot: null },
    { Id: 'none', Tags: [] },
  ],
  Line: [
    { Order: 1, Number: 1, Text: 'first' },
    { Order: 1, Number: 2, Text: 'second' },
  ],
});

const odata = createODataEndpoint({ model: MODEL, source, root: 'http://x/odata', answerMemoryBytes: 0 });

async function ask(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<GatewayResponse> {
  return odata({
    id: 't',
    principal: { kind: 'unrestricted' },
    signal: new AbortController().signal,
    method,
    target: target.replaceAll(' ', '%20').replaceAll('"', '%22'),
    headers,
    body: undefined,
  });
}

interface Entity {
  readonly Id: string;
  readonly Total?: number;
}

/** The answer as the cases write it. */
function reported({ status, headers, body }: GatewayResponse): unknown {
  const text = String(body);
  if (headers['content-type'] === 'text/plain') return text;
  const answer = JSON.parse(text);
  if (status >= 400) return [status, answer.error.message];
  const found = (answer.value as readonly Entity[]).map(({ Id, Total }) => Id ?? Total).join();
  const count = answer['@odata.count'];
  return count === undefined ? found : `${found} of ${count}`;
}

describe.each(Object.entries(URL_RULES))('%s', (_rule, cases) => {
  it.each(cases)('%s', async (target, answer) => {
    expect(reported(await ask(target))).toEqual(answer);
  });
});

describe.each(Object.entries(VALUE_RULES))('%s', (_rule, cases) => {
  it.each(cases)('%s', async (expression, value) => {
    const answer = await ask(`/Thing('one')?$select=R&$compute=${expression} as R`);
    const { error, R } = JSON.parse(String(answer.body));
    expect(error === undefined ? R : [answer.status, error.message]).toEqual(value);
  });
});

/** The entities of each page, from the URL of the first along the next links. */
async function pagesFrom(
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const answer = await ask(next, headers);
    pages.push(reported(answer));
    const link: string | undefined = JSON.parse(String(answer.body))['@odata.nextLink'];
    next = link?.slice('http://x/odata'.length);
  }
  return pages;
}

const PAGED = { prefer: 'odata.maxpagesize=2,unknown=x' };

describe('15. a part has a next link, the last one has none (P 11.2.6.7)', () => {
  it.each([
    ['/Post?$orderby=Id', ['%25,1', "2,O'Neil", 'a/b']],
    ['/Post?$orderby=Id&$skip=1&$top=2', ['1,2']],
    ['/Post?$top=0', ['']],
  ])('%s', async (target, pages) => {
    expect(await pagesFrom(target, PAGED)).toEqual(pages);
  });
});

describe('16. a next link carries the options, and is opaque (P 11.2.6.7)', () => {
  it('goes on with the same options', async () => {
    const pages = await pagesFrom('/Post?$count=true&$filter=UserId gt 1&$orderby=Id&$select=Id', PAGED);
    expect(pages).toEqual(['%25,1 of 3', "O'Neil of 3"]);
  });

  it('is not to be made up or added to', async () => {
    const first = await ask('/Post?$orderby=Id', PAGED);
    const link = String(JSON.parse(String(first.body))['@odata.nextLink']).slice('http://x/odata'.length);
    for (const target of ['/Post?$skiptoken=2', `${link}&$top=1`, link.replace('=Id', '=UserId')]) {
      expect(reported(await ask(target))).toMatchObject([400, expect.any(String)]);
    }
  });
});

describe('a query in a body (P 11.2.1.1)', () => {
  const query = (text: string, headers: Readonly<Record<string, string>> = {}) =>
    odata({
      id: 't',
      principal: { kind: 'unrestricted' },
      signal: new AbortController().signal,
      method: 'POST',
      target: '/Post/$query',
      headers: { 'content-type': 'text/plain', ...headers },
      body: Buffer.from(text),
    });
  const many = Array.from({ length: 2_000 }, (_each, index) => `'no ${index}'`).join();

  it('may be longer than a URL', async () => {
    expect(reported(await query(`$filter=Id in (${encodeURIComponent(many)},'1','2')&$orderby=Id`))).toBe(
      '1,2',
    );
    expect(reported(await ask(`/Post?$filter=Id in (${many})`))).toEqual([
      414,
      'The URL is longer than 8192 characters (URL_LENGTH). Send the query in the body of a POST, to the same path with /$query behind it.',
    ]);
  });

  it('has pages where its next link is no longer than a URL', async () => {
    const short = await query('$orderby=Id', PAGED);
    expect(reported(short)).toBe('%25,1');
    expect(JSON.parse(String(short.body))['@odata.nextLink']).toMatch(/\$skiptoken=/);
    const long = await query(`$orderby=Id&$filter=not (Id in (${encodeURIComponent(many)}))`, PAGED);
    expect(reported(long)).toBe("%25,1,2,O'Neil,a/b");
  });

  it('is what POST alone sends', async () => {
    const { status, headers } = await ask('/Post/$query', {}, 'OPTIONS');
    expect([status, headers['allow']]).toEqual([204, 'POST, OPTIONS']);
    expect(await ask('/Post/$query', {}, 'PUT')).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    });
    expect((await ask('/Nope/$query', {}, 'OPTIONS')).status).toBe(404);
  });

  it('has no more operators than another', async () => {
    const filter = Array.from({ length: 200 }, () => "Id eq 'x'").join(' or ');
    expect(reported(await query(`$filter=${encodeURIComponent(filter)}`))).toMatchObject([
      400,
      expect.any(String),
    ]);
  });
});

describe('17. maxpagesize is a hint, and unknown preferences are ignored (P 8.2.8)', () => {
  it('says that it was followed', async () => {
    const { headers } = await ask('/Post', PAGED);
    expect(headers['preference-applied']).toBe('odata.maxpagesize=2');
    expect((await ask('/Post', { prefer: 'unknown=x' })).headers['preference-applied']).toBeUndefined();
  });
});
