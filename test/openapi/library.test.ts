import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { NOW, useLibrary } from './library-gateway.ts';
import { readOpenApi } from './lint.ts';

const { odata, graphql, upstream } = useLibrary();

const MEMBER = '2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9';
const BOOK = '9783400000009';

describe('the model of examples/library/openapi/library.yaml', () => {
  it('has all of the document, and says how members are named', async () => {
    const document: unknown = parse(await readOpenApi('examples/library/openapi/library.yaml'));
    const { model, report } = modelFromOpenApi([{ name: 'Library', document }]);
    expect(report.map(({ severity, message }) => `${severity} ${message}`)).toStrictEqual([
      'info The member "science-fiction" is named science_fiction',
      'info The member "needs repair" is named needs_repair',
    ]);
    expect({
      entityTypes: [...model.entityTypes.keys()],
      entitySets: [...model.entitySets.keys()],
      singletons: [...(model.singletons?.keys() ?? [])],
      complexTypes: [...(model.complexTypes?.keys() ?? [])].toSorted(),
      enumerationTypes: [...(model.enumerationTypes?.keys() ?? [])].toSorted(),
      callables: model.callables?.map(({ kind, name }) => `${kind} ${name}`),
    }).toStrictEqual({
      entityTypes: [
        'Author',
        'Book',
        'PrintedBook',
        'AudioBook',
        'Copy',
        'ReadingList',
        'Member',
        'Loan',
        'House',
        'Review',
      ],
      entitySets: ['Author', 'Book', 'Copy', 'ReadingList', 'Member', 'Loan'],
      singletons: ['House'],
      complexTypes: [
        'Address',
        'Availability',
        'BookDetails',
        'GenreLending',
        'Location',
        'OpeningHours',
        'Reminders',
      ],
      enumerationTypes: ['Channels', 'Condition', 'Genre', 'Medium', 'Weekday'],
      callables: [
        'function LendingStatistics',
        'action SendReminders',
        'function DueBy',
        'function GetAvailability',
        'action Return',
      ],
    });
  });
});

const AUTHOR =
  '"FirstName":"Ilse","LastName":"Varnholt","Born":"1931-02-11","Died":"2002-04-19","Languages":["en"],"Id":1';
const COPY = `"ISBN":"${BOOK}","CopyNumber":1,"Barcode":9100000000000000001,"Condition":"good","Acquired":"2019-05-06","Shelf":"A-10"`;
const MEMBER_ROW = `"EMail":"ilse.bolling@post.example","Active":true,"Channels":"Email","Address":{"Street":"Mill Street 1","PostalCode":"24101","City":"Fennhaven","Location":{"Latitude":54.3,"Longitude":10.1}},"FirstName":"Ilse","LastName":"Bolling","Id":"${MEMBER}","Joined":"2021-01-11"`;
const LOAN = `"MemberId":"${MEMBER}","ISBN":"${BOOK}","CopyNumber":1,"Period":"P28D","Id":1,"LentAt":"2026-01-06T10:10:00Z","DueDate":"2026-02-03","ReturnedAt":"2026-01-15T10:05:30Z","Fine":0`;

// What a case changes stays changed for those after it.
describe('the library', { shuffle: false }, () => {
  describe('OData reads', () => {
    it.each([
      ['Author(1)', `$metadata#Author/$entity",${AUTHOR}`],
      [`Copy(ISBN='${BOOK}',CopyNumber=1)`, `$metadata#Copy/$entity",${COPY}`],
      [`Copy(CopyNumber=1,ISBN='${BOOK}')`, `$metadata#Copy/$entity",${COPY}`],
      [`Member(${MEMBER})`, `$metadata#Member/$entity",${MEMBER_ROW}`],
      ['Loan(1)', `$metadata#Loan/$entity",${LOAN}`],
    ])('%s by its key', async (path, expected) => {
      expect(await odata(`GET ${path}`)).toEqual([200, `{"@odata.context":"~/${expected}}`]);
    });

    it.each([
      ['Author?$top=1', `$metadata#Author","value":[{${AUTHOR}}]`],
      ['Copy?$top=1', `$metadata#Copy","value":[{${COPY}}]`],
      ['Member?$top=1', `$metadata#Member","value":[{${MEMBER_ROW}}]`],
      ['Loan?$top=1', `$metadata#Loan","value":[{${LOAN}}]`],
    ])('%s, of a list', async (path, expected) => {
      expect(await odata(`GET ${path}`)).toEqual([200, `{"@odata.context":"~/${expected}}`]);
    });

    it.each([
      [
        "Book?$filter=Title eq 'The Crooked Ferry'&$select=ISBN,Genre,Price,Keywords,Details",
        `$metadata#Book(ISBN,Genre,Price,Keywords,Details)","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"${BOOK}","Genre":"novel","Price":8.9,"Keywords":["clocks","bread"],"Details":{"Publisher":"Blauwe Brug","edition":"1"}}]`,
      ],
      [
        'Book?$filter=Price lt 8.91&$select=ISBN,Price',
        `$metadata#Book(ISBN,Price)","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"${BOOK}","Price":8.9}]`,
      ],
      [
        'Loan?$filter=ReturnedAt eq null and DueDate lt 2026-05-12&$select=Id,DueDate',
        '$metadata#Loan(Id,DueDate)","value":[{"Id":97,"DueDate":"2026-05-10"},{"Id":98,"DueDate":"2026-05-11"}]',
      ],
      [
        "Loan?$filter=Period eq duration'P28D'&$top=1&$select=Id,Period&$count=true",
        '$metadata#Loan(Period,Id)","@odata.count":120,"value":[{"Period":"P28D","Id":1}]',
      ],
      [
        'Copy?$filter=Barcode eq 9100000000000001011&$select=ISBN,CopyNumber,Barcode',
        '$metadata#Copy(ISBN,CopyNumber,Barcode)","value":[{"ISBN":"9783401379111","CopyNumber":2,"Barcode":9100000000000001011}]',
      ],
      [
        `Member?$filter=Id eq ${MEMBER}&$select=Id,LastName`,
        `$metadata#Member(LastName,Id)","value":[{"LastName":"Bolling","Id":"${MEMBER}"}]`,
      ],
      [
        'Member?$filter=Address/Location/Latitude gt 54.336&$select=Id,LastName',
        '$metadata#Member(LastName,Id)","value":[{"LastName":"Wickert","Id":"0de926aa-4720-5834-8d88-6b083d6f3767"}]',
      ],
      [
        'Author?$search=Brisk&$select=Id,LastName',
        '$metadata#Author(LastName,Id)","value":[{"LastName":"Brisk","Id":3}]',
      ],
      [
        'Author?$orderby=Born desc&$top=1&$select=Id,Born',
        '$metadata#Author(Born,Id)","value":[{"Born":"1982-08-01","Id":12}]',
      ],
    ])('%s', async (path, expected) => {
      expect(await odata(`GET ${path}`)).toEqual([200, `{"@odata.context":"~/${expected}}`]);
    });

    it.each([
      ['Book/$count', '60'],
      ['Author/$count', '12'],
      ['Member/$count', '40'],
    ])('%s', async (path, expected) => {
      expect(await odata(`GET ${path}`)).toEqual([200, expected]);
    });

    it.each(['Author(13)', "Book('1')", `Copy(ISBN='${BOOK}',CopyNumber=2)`, 'Loan(121)'])(
      '%s is not there',
      async (path) => {
        const message = `There is no ${path}.`;
        expect(await odata(`GET ${path}`)).toEqual([
          404,
          JSON.stringify({ error: { code: 'NotFound', message } }),
        ]);
      },
    );
  });

  /** Each with what the created entity has beside it. */
  const CREATES: readonly (readonly [string, string, string, string])[] = [
    [
      'Author',
      '"FirstName":null,"LastName":"Arndt","Born":"1990-02-28","Died":null,"Languages":["de","da"]',
      ',"Id":13',
      '/authors/13',
    ],
    [
      'Copy',
      `"ISBN":"${BOOK}","CopyNumber":2,"Barcode":9100000000000000123,"Condition":"needs_repair","Acquired":"2026-06-01","Shelf":null`,
      '',
      `/copies/${BOOK}/2`,
    ],
    [
      'Loan',
      `"MemberId":"${MEMBER}","ISBN":"${BOOK}","CopyNumber":2,"Period":"P14D"`,
      `,"Id":121,"LentAt":"${NOW}","DueDate":"2026-06-15","ReturnedAt":null,"Fine":0`,
      '/loans/121',
    ],
  ];

  describe('OData creates', () => {
    it.each(CREATES)('%s', async (set, sent, given, path) => {
      expect(await odata(`POST ${set}`, `{${sent}}`)).toEqual([
        201,
        `{"@odata.context":"~/$metadata#${set}/$entity",${sent}${given}}`,
      ]);
      expect(await upstream(path)).not.toContain('Not Found');
    });

    it("send values by the upstream's names", async () => {
      expect(JSON.parse(await upstream(`/copies/${BOOK}/2`))).toMatchObject({ condition: 'needs repair' });
      expect(await upstream(`/copies/${BOOK}/2`)).toContain('"barcode":9100000000000000123');
    });

    it('give a member a key, and keep the PIN to themselves', async () => {
      const sent =
        '"EMail":null,"Active":false,"Channels":"Email,Letter","Address":{"Street":"S","PostalCode":null,"City":"C","Location":null},"FirstName":"A","LastName":"B"';
      const [status, text] = await odata('POST Member', `{${sent},"Pin":"1234"}`);
      const { Id: id } = JSON.parse(text);
      expect([status, text]).toEqual([
        201,
        `{"@odata.context":"~/$metadata#Member/$entity",${sent},"Id":"${id}","Joined":"2026-06-01"}`,
      ]);
      expect(JSON.parse(await upstream(`/members/${id}`))).toMatchObject({ channels: 5, active: false });
    });

    it.each([
      [
        'Loan',
        `{"MemberId":"${MEMBER}","ISBN":"9783449647968","CopyNumber":1}`,
        400,
        'InsertFailed',
        'The copy cannot be lent.',
      ],
      [
        'Book',
        '{"@odata.type":"#Library.PrintedBook","ISBN":"9783400000023","Medium":"print","Title":"T","AuthorId":999,"Genre":"novel","Price":1,"Keywords":[],"Pages":9}',
        422,
        'UnprocessableContent',
        'The upstream service rejected these values: one of them may be missing or not allowed.',
      ],
    ])('%s that the library refuses', async (set, body, status, code, message) => {
      expect(await odata(`POST ${set}`, body)).toEqual([
        status,
        JSON.stringify({ error: { code, message } }),
      ]);
    });
  });

  describe('GraphQL', () => {
    it.each<[string, unknown]>([
      [
        '{ author(id: 1) { firstName lastName born languages } }',
        { author: { firstName: 'Ilse', lastName: 'Varnholt', born: '1931-02-11', languages: ['en'] } },
      ],
      [
        `{ book(isbn: "${BOOK}") { title genre price details { publisher } } }`,
        {
          book: {
            title: 'The Crooked Ferry',
            genre: 'novel',
            price: 8.9,
            details: { publisher: 'Blauwe Brug' },
          },
        },
      ],
      [
        '{ booksConnection(order: [{ isbn: ASC }], first: 6) { totalCount } books(order: [{ isbn: ASC }], skip: 5, take: 1) { __typename ... on AudioBook { narrator runningTime } } }',
        {
          booksConnection: { totalCount: 60 },
          books: [{ __typename: 'AudioBook', narrator: 'Joris Moravec', runningTime: 'PT9H35M' }],
        },
      ],
      [
        '{ house { name phoneNumbers openingHours { day opens closes } } }',
        {
          house: {
            name: 'Library at the Old Ferry',
            phoneNumbers: ['+49 431 5550170', '+49 431 5550171'],
            openingHours: [
              { day: 'tuesday', opens: '10:00', closes: '19:00' },
              { day: 'thursday', opens: '10:00', closes: '19:00' },
              { day: 'saturday', opens: '09:30', closes: '14:00' },
            ],
          },
        },
      ],
      [
        `{ member(id: "${MEMBER}") { lastName channels address { postalCode location { latitude } } } }`,
        {
          member: {
            lastName: 'Bolling',
            channels: ['Email'],
            address: { postalCode: '24101', location: { latitude: 54.3 } },
          },
        },
      ],
      [
        '{ loan(id: 1) { period dueDate fine } }',
        { loan: { period: 'P28D', dueDate: '2026-02-03', fine: 0 } },
      ],
      [
        '{ bookReviews(isbn: "9783401379111") { number rating } }',
        { bookReviews: [{ number: '1', rating: 4 }] },
      ],
      [
        `{ book(isbn: "${BOOK}") { getAvailability { copies available nextDue } } }`,
        { book: { getAvailability: { copies: 2, available: 1, nextDue: '2026-06-15' } } },
      ],
      [
        'mutation { createAuthor(input: { lastName: "Onno", languages: ["nl"] }) { id lastName } }',
        { createAuthor: { id: '14', lastName: 'Onno' } },
      ],
      [
        'mutation { returnLoan(id: 97, condition: needs_repair) { id returnedAt fine } }',
        { returnLoan: { id: '97', returnedAt: NOW, fine: 4.4 } },
      ],
    ])('%s', async (query, data) => {
      expect(await graphql(query)).toEqual({ data });
    });
  });
});
