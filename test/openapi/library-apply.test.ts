import { describe, expect, it } from 'vitest';
import { useLibrary } from './library-gateway.ts';

const { odata, upstream } = useLibrary();

const MEMBERS = ['2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9', '78279141-b951-5b28-84c2-c9895943afeb'];
const count = (name: string, value: number) => `"${name}@odata.type":"#Decimal","${name}":${value}`;

/** The body with that context and those results. */
const body = (context: string, ...results: readonly string[]) =>
  `{"@odata.context":"~/$metadata#${context}","value":[${results.map((each) => `{${each}}`).join(',')}]}`;
const transient = (members: string) => `"@odata.id":null,${members}`;

describe('$apply on a collection', () => {
  it.each([
    [
      'Loan?$apply=groupby((MemberId),aggregate($count as Loans,Fine with sum as Fines))&$top=2',
      body(
        'Loan(MemberId,Loans,Fines)',
        transient(`"MemberId":"${MEMBERS[0]}",${count('Loans', 3)},${count('Fines', 0)}`),
        transient(`"MemberId":"${MEMBERS[1]}",${count('Loans', 3)},${count('Fines', 0.6)}`),
      ),
    ],
    [
      'Loan?$apply=groupby((Member/LastName),aggregate($count as N))/topcount(1,N)',
      body(
        'Loan(N,Member(LastName))',
        transient(`${count('N', 15)},"Member":{${transient('"LastName":"Bolling"')}}`),
      ),
    ],
    [
      'Member?$apply=groupby((rollup($all,Address/City)),aggregate($count as N))&$filter=N gt 7',
      body(
        'Member(N)',
        transient(`"Address":{"City":"Fennhaven"},${count('N', 28)}`),
        transient(count('N', 40)),
      ),
    ],
    [
      'Loan?$apply=filter(Id eq 1)/groupby((rollup(MemberId,Member/LastName),rollup($all,Id)))&$skip=3',
      body('Loan(MemberId)', transient(`"MemberId":"${MEMBERS[0]}"`)),
    ],
    [
      'Loan?$apply=filter(Id eq 1)/groupby((rollup($all,Member/LastName)))/groupby((Member/LastName),aggregate($count as N))&$skip=1',
      body('Loan(N,Member(LastName))', transient(`${count('N', 1)},"Member":null`)),
    ],
    [
      'Member?$apply=aggregate(Loans/Fine with sum as Fines,Loans/$count as N)',
      body('Member(Fines,N)', transient(`${count('Fines', 16)},${count('N', 120)}`)),
    ],
    [
      'Author?$apply=filter(Id lt 3)/join(Books as Book,aggregate($count as N))&$select=Id,Book',
      body(
        'Author(Id,Book(N))',
        `"Id":1,"Book":{${transient(count('N', 5))}}`,
        `"Id":2,"Book":{${transient(count('N', 5))}}`,
      ),
    ],
    [
      'Loan?$apply=concat(top(1),aggregate($count as N))&$select=Id,N',
      body('Loan(@Core.AnyStructure)', transient('"Id":1'), transient(count('N', 120))),
    ],
    [
      'Author?$apply=compute(year(Born) as Year)/filter(Year lt 1932)&$select=LastName,Year',
      body(
        'Author(LastName,Year)',
        '"@odata.id":"Author(1)","LastName":"Varnholt","Year@odata.type":"#Int32","Year":1931',
      ),
    ],
    [
      'Author?$filter=Id eq 1&$select=Id&$expand=Books($apply=aggregate($count as N))',
      body('Author(Id,Books(N))', `"Id":1,"Books":[{${transient(count('N', 5))}}]`),
    ],
    [
      'Loan?$apply=aggregate($count as N)&$format=application/json;IEEE754Compatible=true',
      body('Loan(N)', transient('"N@odata.type":"#Decimal","N":"120"')),
    ],
    [
      'Loan?$apply=aggregate($count as N)&$format=application/json;odata.metadata=none',
      '{"value":[{"N":120}]}',
    ],
    ['Book/$count?$apply=groupby((Genre))', '6'],
  ])('%s', async (path, expected) => {
    expect(await odata(`GET ${path}`)).toEqual([200, expected]);
  });

  it('adds up what the upstream has', async () => {
    const loans: readonly { fine: number }[] = JSON.parse(await upstream('/loans'));
    const cents = loans.reduce((sum, { fine }) => sum + Math.round(fine * 100), 0);
    const [, text] = await odata('GET Loan?$apply=aggregate(Fine with sum as Fines,$count as N)');
    expect(JSON.parse(text).value).toEqual([
      {
        '@odata.id': null,
        'Fines@odata.type': '#Decimal',
        Fines: cents / 100,
        'N@odata.type': '#Decimal',
        N: loans.length,
      },
    ]);
  });

  it.each([
    ['Author(1)?$apply=identity', '$apply does not apply to a single entity', '$apply'],
    [
      'Author?$apply=groupby((LastName))&$expand=Books',
      '$expand does not apply to what $apply has made of the entities',
      '$expand',
    ],
    [
      'Author?$expand=Books($apply=groupby((Genre));$expand=Author)',
      '$expand does not apply to what $apply has made of "Books"',
      '$expand',
    ],
    [
      'Loan?$apply=groupby((MemberId))&$select=Fine',
      "$select: expected a property of Library.Loan after groupby, found 'Fine' at position 0",
      '$select',
    ],
  ])('%s is a mistake', async (path, message, target) => {
    const [status, text] = await odata(`GET ${path}`);
    expect([status, JSON.parse(text)]).toEqual([400, { error: { code: 'BadRequest', message, target } }]);
  });
});
