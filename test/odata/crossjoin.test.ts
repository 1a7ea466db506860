import { describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { useLibrary } from '../openapi/library-gateway.ts';
import { rowsSource } from './query/rows-source.ts';
import { ORDERS_DOCUMENT } from './resources.document.ts';

const { odata } = useLibrary();

const CONTEXT = '"@odata.context":"~/$metadata#Collection(Edm.ComplexType)';
const OF_AUTHOR = '$filter=Book/AuthorId eq Author/Id';

/** A combination within others has all of its entities. */
const LOAN_AND_LIST =
  '{"Loan":{"MemberId":"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9","ISBN":"9783400000009","CopyNumber":1,"Period":"P28D",' +
  '"Id":1,"LentAt":"2026-01-06T10:10:00Z","DueDate":"2026-02-03","ReturnedAt":"2026-01-15T10:05:30Z","Fine":0},' +
  '"ReadingList":{"Title":"For warm evenings","Note":null,"Name":"summer"}}';

/** The target → what is answered. */
type Case = readonly [target: string, answer: string];

const COMBINATIONS: readonly Case[] = [
  [
    `$crossjoin(Book,Author)?${OF_AUTHOR}&$top=2&$count=true`,
    `{${CONTEXT}","@odata.count":60,"value":[` +
      `{"Book@odata.navigationLink":"Book('9783400000009')","Author@odata.navigationLink":"Author(1)"},` +
      `{"Book@odata.navigationLink":"Book('9783401379111')","Author@odata.navigationLink":"Author(2)"}]}`,
  ],
  [
    `$crossjoin(Author,Book)?${OF_AUTHOR} and Author/LastName eq 'Brisk'&$orderby=Book/Price desc&$top=1&$expand=Book($select=ISBN),Author($select=Id)`,
    `{${CONTEXT}(Book(ISBN),Author(Id))","value":[{"Author":{"Id":3},` +
      `"Book":{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783419307540"}}]}`,
  ],
  [
    `$crossjoin(Author,Copy)?$select=Copy&$skip=2&$top=1&$filter=Author/Id eq Copy/CopyNumber and Copy/Book/Author/LastName eq Author/LastName&$orderby=Copy/ISBN`,
    `{${CONTEXT}","value":[{"Copy@odata.navigationLink":"Copy(ISBN='9783402758229',CopyNumber=3)"}]}`,
  ],
  [
    `$crossjoin(Author,Book)?${OF_AUTHOR} and Book/GetAvailability()/Available gt 2&$top=1&$expand=Book($select=ISBN;$expand=Copies/$count)&$select=Author&$format=application/json;odata.metadata=none`,
    '{"value":[{"Book":{"ISBN":"9783402758229","Copies@odata.count":3}}]}',
  ],
  [
    '$crossjoin(Author,Book)?$top=1&$expand=Book($compute=Price sub $it/Author/Id as D;$select=D)&$select=Book&$format=application/json;odata.metadata=none',
    '{"value":[{"Book":{"D":7.9}}]}',
  ],
  [
    `$crossjoin(Book,Author)?${OF_AUTHOR}&$compute=Book/Price mul 2 as Twice&$select=Book,Twice&$orderby=Twice desc&$top=1`,
    `{${CONTEXT}","value":[{"Book@odata.navigationLink":"Book('9783409653770')","Twice@odata.type":"#Decimal","Twice":69.6}]}`,
  ],
  [
    `$crossjoin(Book,Author)?${OF_AUTHOR}&$search=Brisk AND NOT novel AND winter&$count=true&$expand=Book($select=ISBN),Author($select=Id)`,
    `{${CONTEXT}(Book(ISBN),Author(Id))","@odata.count":1,"value":[` +
      '{"Book":{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783402758229"},"Author":{"Id":3}}]}',
  ],
  [`$crossjoin(Book,Author)/$count?${OF_AUTHOR}&$search=Harbour AND NOT Brisk`, '15'],
  // Data Aggregation 4.0, 4: cross joins and aggregation.
  [
    '$crossjoin(Book,Author)?$apply=filter(Book/AuthorId eq Author/Id)/groupby((Author/LastName),aggregate(Book/Price with sum as Total))&$orderby=Total desc&$top=2',
    `{${CONTEXT}(Total,Author(LastName))","value":[` +
      '{"Total@odata.type":"#Decimal","Total":131.5,"Author":{"@odata.id":null,"LastName":"Halvard"}},' +
      '{"Total@odata.type":"#Decimal","Total":124,"Author":{"@odata.id":null,"LastName":"Quist"}}]}',
  ],
  [
    '$crossjoin(Book,Author)?$apply=filter(Book/AuthorId eq Author/Id)/compute(Book/Price mul 2 as D)/topcount(1,D)&$select=Author,D&$format=application/json;odata.metadata=full',
    `{${CONTEXT}(*,D)","value":[{"Author@odata.navigationLink":"Author(8)","D@odata.type":"#Decimal","D":69.6}]}`,
  ],
  [
    '$crossjoin(Book,Author)?$apply=filter(Book/AuthorId eq Author/Id)/search(Brisk)/aggregate($count as N)&$format=application/json;odata.metadata=none',
    '{"value":[{"N":5}]}',
  ],
  [
    '$crossjoin(Book,Author)/$count?$apply=filter(Book/AuthorId eq Author/Id)/groupby((Author/LastName))&$search=Brisk',
    '1',
  ],
  [
    '$crossjoin(Loan,ReadingList)?$apply=filter(Loan/Id eq 1)/top(1)/groupby((Loan/Fine),nest(identity as All))&$format=application/json;odata.metadata=none',
    `{"value":[{"Loan":{"Fine":0},"All":[${LOAN_AND_LIST}]}]}`,
  ],
  [
    '$crossjoin(Loan,ReadingList)?$apply=filter(Loan/Id eq 1)/top(1)/concat(identity,aggregate($count as N))&$format=application/json;odata.metadata=none',
    `{"value":[${LOAN_AND_LIST},{"N":1}]}`,
  ],
  [
    '$crossjoin(Book,Author)?$apply=filter(Book/AuthorId eq Author/Id)/concat(topcount(1,Book/Price),aggregate($count as N))&$select=N,Author/LastName',
    `{${CONTEXT}(@Core.AnyStructure)","value":[{"Author":{"@odata.id":"Author(8)","LastName":"Quist"}},{"N@odata.type":"#Decimal","N":60}]}`,
  ],
  ['$crossjoin(Author,Book)?$top=0', `{${CONTEXT}","value":[]}`],
  ['$crossjoin(Author,Book)/$count', '720'],
  [`$crossjoin(Author,Book)/$count?${OF_AUTHOR}`, '60'],
  [`$crossjoin(Author,Book)/$count(${OF_AUTHOR} and Book/Price gt 30)?$filter=Author/Id lt 5&$top=1`, '5'],
  [
    '$crossjoin(Loan,Copy,Member)/$count?$filter=Loan/MemberId eq Member/Id and Loan/ISBN eq Copy/ISBN and Loan/CopyNumber eq Copy/CopyNumber',
    '120',
  ],
  [
    '$crossjoin(Author,Book)/$count?$filter=Book/AuthorId eq Author/Id or Author/Id eq 1',
    String(60 + 60 - 5),
  ],
];

const REFUSED: readonly (readonly [target: string, status: number, message: string])[] = [
  ['$crossjoin(Author,Nope)', 404, 'There is no resource "Nope" here.'],
  ['$crossjoin(Author,Author)', 400, '$crossjoin: expected each entity set once, found "Author" twice.'],
  [
    '$crossjoin(Loan,Copy,Member)',
    400,
    'The request comes to more than 500000 rows to combine (QUERY_ROWS): ask for less at a time.',
  ],
  [
    '$crossjoin(Author,Book)?$filter=Id eq 1',
    400,
    "$filter: expected a property of Edm.$crossjoin(Author,Book), found 'Id' at position 0",
  ],
  [
    '$crossjoin(Author,Book)?$select=Book/Title',
    400,
    '$select: expected the entity sets of the $crossjoin, found "Book/Title"; $expand shows properties of their entities.',
  ],
  ['$crossjoin(Author,Book)?$deltatoken=x', 400, '$deltatoken does not apply to $crossjoin'],
  [
    '$crossjoin(Author,Book)?$select=Nope',
    400,
    "$select: expected a property of Edm.$crossjoin(Author,Book), found 'Nope' at position 0",
  ],
  [
    '$crossjoin(Author,Book)?$compute=Book/Price mul 2 as Book',
    400,
    "$compute: expected an unused name, found 'Book' at position 0",
  ],
  [
    '$crossjoin(Author,Book)?$apply=aggregate($count as N)&$expand=Book',
    400,
    '$expand does not apply to what $apply has made of the combinations',
  ],
];

describe('Part 2, 4.15: $crossjoin', () => {
  it.each(COMBINATIONS)('%s', async (target, answer) => {
    expect(await odata(`GET ${encodeURI(target)}`)).toEqual([200, answer]);
  });

  it.each(REFUSED)('%s is refused', async (target, status, message) => {
    const [found, text] = await odata(`GET ${encodeURI(target)}`);
    expect([found, JSON.parse(text).error.message]).toEqual([status, message]);
  });
});

const { model } = modelFromOpenApi([{ name: 'Orders', document: ORDERS_DOCUMENT }]);

/** Status, links of all pages, and what was read for the first. */
async function ask(target: string, role: string, prefer?: string) {
  const { source, reads } = rowsSource({
    Order: [1, 2, 3].map((Id) => ({
      Id,
      Note: Id === 3 ? null : 'x',
      Buyer: Id === 2 ? { Code: 'x', Name: 'X' } : null,
    })),
    Customer: [
      { Code: 'x', Name: null },
      { Code: 'X', Name: 'x' },
    ],
  });
  const endpoint = createODataEndpoint({
    model,
    source: guardSource(source, permissionsOf(model), model),
    root: 'http://x',
    answerMemoryBytes: 0,
    signingKey: 'key',
  });
  const { status, body } = await endpoint({
    id: 't',
    principal: { kind: 'user', id: 'u', roles: [role] },
    signal: new AbortController().signal,
    method: 'GET',
    target,
    headers: { prefer },
    body: undefined,
  });
  return { status, answer: JSON.parse(String(body)), reads: [...reads] };
}

const links = (rows: readonly Record<string, string>[]) =>
  rows.map((row) =>
    Object.values(row)
      .join(' ')
      .replaceAll(/\w+\(|\)|'/g, ''),
  );

describe('the sets of a $crossjoin', () => {
  it('are read once each, with what is needed', async () => {
    const { answer, reads } = await ask(
      '/$crossjoin(Order,Customer)?$filter=Order/Note%20eq%20Customer/Code',
      'Seller',
    );
    expect([links(answer.value), reads]).toEqual([
      ['1 x', '2 x'],
      ['Order Id,Note', 'Customer Code'],
    ]);
  });

  it('have the entities that stand in theirs', async () => {
    const { answer, reads } = await ask(
      "/$crossjoin(Order)?$filter=Order/Buyer/Name%20eq%20'X'&$expand=Order($select=Id;$expand=Buyer($select=Name))",
      'Seller',
    );
    expect([answer.value, reads]).toEqual([
      [{ Order: { Id: 2, Buyer: { '@odata.id': "Customer('x')", Name: 'X' } } }],
      ['Order Id,Buyer'],
    ]);
  });

  it('are searched in what can be searched of each', async () => {
    const { answer, reads } = await ask('/$crossjoin(Order,Customer)?$search=x', 'Seller');
    expect([links(answer.value), reads]).toEqual([
      ['1 x', '1 X', '2 x', '2 X', '3 x', '3 X'],
      ['Order Id,Note,Tags,ShipTo', 'Customer Code,Name'],
    ]);
  });

  it('have null equal to null alone', async () => {
    const { answer } = await ask(
      '/$crossjoin(Order,Customer)?$filter=Order/Note%20eq%20Customer/Name',
      'Seller',
    );
    expect(links(answer.value)).toEqual(['1 X', '2 X', '3 x']);
  });

  it('are those that the user may view, all of them', async () => {
    for (const target of ['/$crossjoin(Order,Customer)', '/$crossjoin(Order,Customer)/$count?$filter=Nope']) {
      const { status, reads } = await ask(target, 'Clerk');
      expect([status, reads]).toEqual([403, []]);
    }
  });

  it('come in pages as large as is preferred', async () => {
    const pages: string[][] = [];
    let target = '/$crossjoin(Order,Customer)?$filter=Order/Id%20lt%203';
    for (let count = 0; target !== '' && count < 9; count += 1) {
      const { answer } = await ask(target, 'Seller', 'maxpagesize=3');
      pages.push(links(answer.value));
      target = (answer['@odata.nextLink'] ?? 'http://x').slice('http://x'.length);
    }
    expect(pages).toEqual([['1 x', '1 X', '2 x'], ['2 X']]);
  });
});
