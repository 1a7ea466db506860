import { beforeEach, describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

async function read(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { text } = await gateway.fetch(`/odata/${path}`, { headers });
  return text.replaceAll(`${gateway.url}/odata`, '~');
}

const COUNT = 'Post?$apply=groupby((UserId),aggregate($count as N))&$orderby=N desc&$top=1';

const minimal = (context: string, ...results: readonly string[]) =>
  `{"@odata.context":"~/$metadata#${context}","value":[${results.join(',')}]}`;

describe('results of $apply', () => {
  it('say in 4.0 that they are no entities (JSON Format, 4.5.8)', async () => {
    const result = '{"@odata.id":null,"UserId":2,"N@odata.type":"#Decimal","N":2}';
    expect(await read(COUNT)).toBe(minimal('Post(UserId,N)', result));
  });

  it('need not say so in 4.01', async () => {
    expect(await read(COUNT, { 'odata-maxversion': '4.01' })).toBe(
      '{"@context":"~/$metadata#Post(UserId,N)","value":[{"UserId":2,"N@type":"Decimal","N":2}]}',
    );
  });

  it('have no links in full metadata', async () => {
    const members = '"UserId@odata.type":"#Int32","UserId":2,"N@odata.type":"#Decimal","N":2';
    expect(await read(`${COUNT}&$format=application/json;odata.metadata=full`)).toBe(
      minimal('Post(UserId,N)', `{"@odata.type":"#Posts.Post","@odata.id":null,${members}}`),
    );
  });

  it('come in pages as entities do', async () => {
    const pages: unknown[] = [];
    for (let next = 'Post?$apply=groupby((Id))'; next !== ''; ) {
      const { value, ...rest } = JSON.parse(await read(next, { prefer: 'maxpagesize=3' }));
      pages.push(value.map(({ Id }: { Id: string }) => Id));
      next = String(rest['@odata.nextLink'] ?? '').replace('~/', '');
    }
    expect(pages).toStrictEqual([['1', '2', '3'], ['10']]);
  });

  it('leave out what they do not have', async () => {
    const results = [
      '{"@odata.id":null,"Title":"Cedar"}',
      '{"@odata.id":null,"N@odata.type":"#Decimal","N":4}',
    ];
    expect(await read('Post?$apply=concat(top(1)/groupby((Title)),aggregate($count as N))')).toBe(
      minimal('Post(@Core.AnyStructure)', ...results),
    );
  });

  it('are those of what the upstream has at each read', async () => {
    const counts: unknown[] = [];
    for (const length of [1, 1, 3]) {
      const rows = Array.from({ length }, (_, id) => ({ id, userId: 1, title: 't', body: 'b' }));
      gateway.upstream.behave((_, reply) => reply.json(rows));
      counts.push(JSON.parse(await read('Post?$apply=aggregate($count as N)')).value[0].N);
    }
    expect(counts).toStrictEqual([1, 1, 3]);
  });
});

const { odata } = useLibrary();

/** Options of a query with `$apply` → its context, and the results. */
const PARTS: readonly (readonly [query: string, context: string, result: string])[] = [
  [
    'Book?$apply=groupby((Author/LastName,Author/FirstName),aggregate($count as N))&$select=N,Author/LastName&$top=1',
    'Book(N,Author(LastName))',
    '{"@odata.id":null,"N@odata.type":"#Decimal","N":5,"Author":{"@odata.id":null,"LastName":"Varnholt"}}',
  ],
  [
    'Book?$apply=groupby((Author))&$select=Author/LastName,Author/Born&$top=1',
    'Book(Author(LastName,Born))',
    '{"@odata.id":null,"Author":{"@odata.id":"Author(1)","LastName":"Varnholt","Born":"1931-02-11"}}',
  ],
  [
    'Book?$apply=groupby((Author))&$select=Author/LastName,Author&$top=1',
    'Book(Author(*))',
    '{"@odata.id":null,"Author":{"FirstName":"Ilse","LastName":"Varnholt","Born":"1931-02-11","Died":"2002-04-19","Languages":["en"],"Id":1}}',
  ],
  [
    'Loan?$apply=groupby((Copy/Book/Genre,Copy/Book/Medium,Copy/Condition))&$select=Copy/Book/Genre&$top=1',
    'Loan(Copy(Book(Genre)))',
    '{"@odata.id":null,"Copy":{"@odata.id":null,"Book":{"@odata.id":null,"Genre":"novel"}}}',
  ],
  [
    'Loan?$apply=groupby((Member/Address/City,Member/Address/Street))&$select=Member/Address/City&$top=1',
    'Loan(Member(Address/City))',
    '{"@odata.id":null,"Member":{"@odata.id":null,"Address":{"City":"Fennhaven"}}}',
  ],
  [
    'Author?$apply=nest(topcount(2,Id) as T)&$select=T($orderby=Id;$top=1;$count=true;$select=LastName)',
    'Author(T(LastName))',
    '{"@odata.id":null,"T@odata.count":2,"T":[{"@odata.id":"Author(11)","LastName":"Szabolcsi"}]}',
  ],
  [
    'Author?$apply=join(Books as B)&$select=LastName,B/Title,B/Price&$filter=B/Price gt 10&$top=1',
    'Author(LastName,B(Title,Price))',
    '{"@odata.id":"Author(1)","LastName":"Varnholt","B":{"@odata.type":"#Library.PrintedBook","@odata.id":"Book(\'9783416549325\')","Title":"Twelve Letters from Upper Fenn","Price":27.3}}',
  ],
  [
    'Author?$apply=join(Books as B)&$select=B/Title,B($select=Price)&$top=1',
    'Author(B(Title,Price))',
    '{"@odata.id":"Author(1)","B":{"@odata.type":"#Library.PrintedBook","@odata.id":"Book(\'9783400000009\')","Title":"The Crooked Ferry","Price":8.9}}',
  ],
  [
    'Author?$apply=addnested(Books,filter(Price gt 20) as Dear)&$select=Dear($select=Title;$top=1;$count=true)&$top=1',
    'Author(Dear(Title))',
    '{"@odata.id":"Author(1)","Dear@odata.count":2,"Dear":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book(\'9783416549325\')","Title":"Twelve Letters from Upper Fenn"}]}',
  ],
  [
    'Author?$apply=addnested(Books,aggregate(Price with max as M) as Dear)&$select=LastName,Dear/M&$top=1',
    'Author(LastName,Dear(M))',
    '{"@odata.id":"Author(1)","LastName":"Varnholt","Dear":[{"@odata.id":null,"M@odata.type":"#Decimal","M":30.5}]}',
  ],
  // What is computed beside them has parts, too.
  [
    'Member?$compute=Address as A&$select=A/City&$top=1',
    'Member(A/City)',
    '{"@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","A":{"City":"Fennhaven"}}',
  ],
];

describe('$select of parts of the instances that results of $apply hold (Part 1, 11.2.5.1)', () => {
  it.each(PARTS)('%s', async (query, context, result) => {
    expect(await odata(`GET ${encodeURI(query)}`)).toEqual([200, minimal(context, result)]);
  });

  it('keep what they are where transformations add to them', async () => {
    const query =
      'Loan?$apply=addnested(Copy/Book,compute(Price mul 2 as Twice)/filter(Twice gt 100) as Dear)&$top=1&$select=Id,Copy';
    expect(await odata(`GET ${encodeURI(query)}`)).toEqual([
      200,
      minimal(
        'Loan(Id,Copy(*,Dear(*,Twice)))',
        '{"Id":1,"Copy":{"ISBN":"9783400000009","CopyNumber":1,"Barcode":9100000000000000001,"Condition":"good","Acquired":"2019-05-06","Shelf":"A-10","Dear":[]}}',
      ),
    ]);
  });

  it.each([
    [
      'Loan?$apply=addnested(Copy/Book,identity as Same)&$expand=Copy',
      400,
      '$expand does not apply to what $apply has made of \\"Copy\\"',
    ],
    ['Book?$apply=groupby((Author/LastName))&$select=Author/FirstName', 400, "'FirstName'"],
    ['Book?$apply=groupby((Author))&$select=Author/Books', 200, 'Author(1)'],
    [
      'Author?$apply=join(Books as B)&$select=B/Nope',
      400,
      "expected a property of Library.Book, found 'Nope'",
    ],
    ['Book?$compute=Price add 1 as P&$select=P/Nope', 400, "expected nothing after the computed 'P'"],
    [
      'Book?$apply=filter(Price gt 34)&$select=Author/LastName',
      400,
      "expected nothing after the navigation property 'Author'",
    ],
  ])('%s', async (query, status, found) => {
    expect(await odata(`GET ${encodeURI(query)}`)).toEqual([status, expect.stringContaining(found)]);
  });
});

/** From the author of a book to all of the books, again and again: each step has five times the books. */
const around = (times: number): string => 'Author/Books/'.repeat(times);

describe('$apply within $expand', () => {
  it('may come to so much for all owners together', async () => {
    const twice = 'concat(identity,identity)/'.repeat(15);
    const expand = `Books($apply=${twice}aggregate($count as N))`;
    expect(await odata(`GET Author(1)?$select=Id&$expand=${expand}`)).toEqual([
      200,
      expect.stringContaining(`"N":${5 * 2 ** 15}`),
    ]);
    expect(await odata(`GET Author?$expand=${expand}`)).toEqual([
      400,
      expect.stringContaining('(QUERY_ROWS)'),
    ]);
  });
});

describe('paths of $apply that come back to the same entities', () => {
  it('are read once for each of them', async () => {
    const query = `Author(1)/Books?$apply=aggregate(${around(5)}$count as N)`;
    expect(await odata(`GET ${query}`)).toEqual([
      200,
      minimal('Book(N)', `{"@odata.id":null,"N@odata.type":"#Decimal","N":${5 ** 6}}`),
    ]);
  });

  it.each([
    [`aggregate(${around(20)}Price with sum as Sum)`, 'QUERY_ROW_ITEMS'],
    [`addnested(${around(20)}Copies,identity as All)`, 'QUERY_ROWS'],
  ])('are followed as far as there is time for: %s', async (apply, expected) => {
    expect(await odata(`GET Author(1)/Books?$apply=${encodeURI(apply)}`)).toEqual([
      400,
      expect.stringContaining(`(${expected})`),
    ]);
  });
});
