import { describe, expect, it } from 'vitest';
import { type Sent, useLibrary } from './library-gateway.ts';

const { answer } = useLibrary();

/** The call, what is sent with it, the status with what is unusual of the header, and the body. */
type Case = readonly [string, Sent, string, string];

describe('keys (Part 2, 4.3)', () => {
  it.each<Case>([
    ['GET Author(1)?$select=Id', {}, '200', '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}'],
    ['GET Author(Id=1)?$select=Id', {}, '200', '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}'],
    ['GET Author/1?$select=Id', {}, '200', '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}'],
    ['GET Author/1/?$select=Id', {}, '200', '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}'],
    [
      'GET Author(@k)?$select=Id&@k=1',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}',
    ],
    [
      'GET Author(Id=@k)?$select=Id&@k=1',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}',
    ],
    ['GET Author(%31)?$select=Id', {}, '200', '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}'],
    ['GET Author(-1)', {}, '404', '{"error":{"code":"NotFound","message":"There is no Author(-1)."}}'],
    ['GET Author(99)', {}, '404', '{"error":{"code":"NotFound","message":"There is no Author(99)."}}'],
    ['GET Author/99', {}, '404', '{"error":{"code":"NotFound","message":"There is no Author(99)."}}'],
    [
      'GET Author/x',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"x\\" here."}}',
    ],
    [
      "GET Author('1')",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author, Id: expected a value of Edm.Int32, found \'1\'."}}',
    ],
    [
      'GET Author(1.5)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author, Id: expected a value of Edm.Int32, found 1.5."}}',
    ],
    [
      'GET Author(99999999999)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author, Id: expected a value of Edm.Int32, found 99999999999."}}',
    ],
    [
      'GET Author(null)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author, Id: expected a value of Edm.Int32, found null."}}',
    ],
    [
      'GET Author(@k)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author, Id: expected a value of Edm.Int32, found no @k."}}',
    ],
    [
      "GET Author(@k)?@k='x'",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author, Id: expected a value of Edm.Int32, found \'x\'."}}',
    ],
    [
      'GET Author()',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author: expected a value for Id, each once."}}',
    ],
    [
      'GET Author(Name=1)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Author: expected a value for Id, each once."}}',
    ],
    [
      'GET Author(1)(1)',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Author\\" here."}}',
    ],
    [
      'GET Nope(1)',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Nope\\" here."}}',
    ],
    [
      'GET Book(%279783400000009%27)?$select=ISBN',
      {},
      '200 etag: W/"1"',
      '{"@odata.context":"~/$metadata#Book(ISBN)/$entity","@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009"}',
    ],
    [
      'GET Book/9783400000009?$select=ISBN',
      {},
      '200 etag: W/"1"',
      '{"@odata.context":"~/$metadata#Book(ISBN)/$entity","@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009"}',
    ],
    [
      "GET Book('a''b%2Fc')",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('a''b/c')."}}`,
    ],
    ["GET Book/a%2Fb'c", {}, '404', `{"error":{"code":"NotFound","message":"There is no Book('a/b''c')."}}`],
    [
      "GET Book(@k)?@k='a/b'",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('a/b')."}}`,
    ],
    [
      'GET Loan(9223372036854775807)',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no Loan(9223372036854775807)."}}',
    ],
    [
      'GET Loan(9223372036854775808)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Loan, Id: expected a value of Edm.Int64, found 9223372036854775808."}}',
    ],
    [
      'GET Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)?$select=LastName',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Member(LastName)/$entity","@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","LastName":"Bolling"}',
    ],
    [
      "GET Member('2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9')?$select=LastName",
      {},
      '200',
      '{"@odata.context":"~/$metadata#Member(LastName)/$entity","@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","LastName":"Bolling"}',
    ],
    [
      'GET Member/2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9?$select=LastName',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Member(LastName)/$entity","@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","LastName":"Bolling"}',
    ],
    [
      "GET Member('nope')",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Member, Id: expected a value of Edm.Guid, found \'nope\'."}}',
    ],
    [
      "GET Copy(ISBN='9783400000009',CopyNumber=1)?$select=Shelf",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(Shelf)/$entity","@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","Shelf":"A-10"}`,
    ],
    [
      "GET Copy(CopyNumber=@n,ISBN=@i)?$select=Shelf&@i='9783400000009'&@n=1",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(Shelf)/$entity","@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","Shelf":"A-10"}`,
    ],
    [
      "GET Copy('9783400000009')",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Copy: expected a value for ISBN and CopyNumber, each once."}}',
    ],
    [
      "GET Copy(ISBN='9783400000009')",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Copy: expected a value for ISBN and CopyNumber, each once."}}',
    ],
    [
      "GET Copy(ISBN='9783400000009',CopyNumber='1')",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"Key of Copy, CopyNumber: expected a value of Edm.Int32, found \'1\'."}}',
    ],
    [
      'GET Copy/9783400000009/1/Book?$select=Title',
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book(Title)/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}`,
    ],
    [
      'GET Copy/9783400000009',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"9783400000009\\" here."}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('singletons, properties and values (Part 1, 11.2.4)', () => {
  it.each<Case>([
    [
      'GET House?$select=Name',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House(Name)","Name":"Library at the Old Ferry"}',
    ],
    [
      'GET House(1)',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"House\\" here."}}',
    ],
    [
      'GET House/Name',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/Name","value":"Library at the Old Ferry"}',
    ],
    ['GET House/Name/$value', {}, '200 content-type: text/plain', 'Library at the Old Ferry'],
    [
      'GET House/Address',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/Address","Street":"Quay 4","PostalCode":"24101","City":"Fennhaven","Location":{"Latitude":54.3512,"Longitude":10.1398}}',
    ],
    [
      'GET House/Address?$select=City,Location/Latitude',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/Address(City,Location/Latitude)","City":"Fennhaven","Location":{"Latitude":54.3512}}',
    ],
    [
      'GET House?$select=Name,Address($select=City,Location($select=Latitude))',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House(Name,Address/City,Address/Location/Latitude)","Name":"Library at the Old Ferry","Address":{"City":"Fennhaven","Location":{"Latitude":54.3512}}}',
    ],
    [
      'GET LendingStatistics(From=2026-01-01)?$select=Loans&$top=0',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)(Loans)","value":[]}',
    ],
    [
      'GET House/Address/Location/Latitude',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/Address/Location/Latitude","value":54.3512}',
    ],
    ['GET House/Address/Location/Latitude/$value', {}, '200 content-type: text/plain', '54.3512'],
    [
      'GET House/Address/$value',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"/$value: expected a media entity or a single primitive value."}}',
    ],
    [
      'GET House/Address/Nope',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Nope\\" here."}}',
    ],
    [
      'GET House/PhoneNumbers',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/PhoneNumbers","value":["+49 431 5550170","+49 431 5550171"]}',
    ],
    [
      'GET House/PhoneNumbers/$value',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"/$value: expected a media entity or a single primitive value."}}',
    ],
    ['GET House/PhoneNumbers/$count', {}, '200 content-type: text/plain', '2'],
    [
      'GET House/OpeningHours?$filter=Opens lt 10:00&$select=Day',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/OpeningHours(Day)","value":[{"Day":"saturday"}]}',
    ],
    ['GET House/OpeningHours/$count?$filter=Opens lt 10:00', {}, '200 content-type: text/plain', '1'],
    [
      'GET House/OpeningHours?$apply=groupby((Opens),aggregate($count as N))&$filter=N gt 1',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/OpeningHours(Opens,N)","value":[{"Opens":"10:00","N@odata.type":"#Decimal","N":2}]}',
    ],
    [
      'GET House/OpeningHours?$apply=filter(Opens ge 10:00)/compute(hour(Opens) add 1 as H)&$select=Day,H&$top=1',
      {},
      '200',
      '{"@odata.context":"~/$metadata#House/OpeningHours(Day,H)","value":[{"Day":"tuesday","H@odata.type":"#Int64","H":11}]}',
    ],
    [
      'GET House/OpeningHours?$apply=groupby((Opens))&$orderby=Opens&$count=true',
      {
        headers: {
          prefer: 'maxpagesize=1',
          'odata-maxversion': '4.01',
          accept: 'application/json;metadata=none',
        },
      },
      '200 content-type: application/json;metadata=none odata-version: 4.01 preference-applied: maxpagesize=1',
      expect.stringMatching(
        /^{"@count":2,"value":\[{"Opens":"09:30"}],"@nextLink":"~\/House\/OpeningHours\?[^"]*&\$skiptoken=[\w-]+"}$/,
      ),
    ],
    [
      'GET LendingStatistics(From=2026-01-01)?$apply=aggregate(Loans with sum as Total)',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)(Total)","value":[{"Total@odata.type":"#Int64","Total":120}]}',
    ],
    [
      'GET House/OpeningHours?$apply=filter($root/Book/$count gt 1)',
      {},
      '501',
      '{"error":{"code":"NotImplemented","message":"$apply: related data of the values is not implemented","target":"$apply"}}',
    ],
    ['GET House/OpeningHours/$count?$apply=groupby((Opens))', {}, '200 content-type: text/plain', '2'],
    [
      'GET House/$count',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource /$count here."}}',
    ],
    [
      'GET House/$value',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"/$value: expected a media entity or a single primitive value."}}',
    ],
    ['GET Author(9)/Born', {}, '204', ''],
    ['GET Author(9)/Born/$value', {}, '204', ''],
    ['GET Author(99)/Born', {}, '404', '{"error":{"code":"NotFound","message":"There is no Author(99)."}}'],
    [
      'GET Author(99)/Languages/$count',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no Author(99)."}}',
    ],
    [
      'GET Author(1)/Nope',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Nope\\" here."}}',
    ],
    [
      'GET Author(1)/LastName?$top=1',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$top does not apply to a single primitive value","target":"$top"}}',
    ],
    [
      'GET Author(1)/LastName/$count',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource /$count here."}}',
    ],
    [
      "GET Author(2)/Languages?$filter=$it eq 'de'&$top=1&$count=true",
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(2)/Languages","@odata.count":1,"value":["de"]}',
    ],
    [
      'GET Author(2)/Languages?$orderby=$it desc',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(2)/Languages","value":["fr","de"]}',
    ],
    [
      'GET Author(2)/Languages?$filter=$it eq 1',
      {},
      '400',
      `{"error":{"code":"BadRequest","message":"$filter: 'eq' expects operands of one type, found Edm.String and Edm.Int32 at position 4","target":"$filter"}}`,
    ],
    [
      "GET Copy(ISBN='9783400000009',CopyNumber=1)/Barcode",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(ISBN='9783400000009',CopyNumber=1)/Barcode","value":9100000000000000001}`,
    ],
    [
      "GET Copy(ISBN='9783400000009',CopyNumber=1)/Barcode",
      { headers: { accept: 'application/json;IEEE754Compatible=true' } },
      '200 content-type: application/json;odata.metadata=minimal;IEEE754Compatible=true',
      `{"@odata.context":"~/$metadata#Copy(ISBN='9783400000009',CopyNumber=1)/Barcode","value":"9100000000000000001"}`,
    ],
    [
      "GET Copy(ISBN='9783400000009',CopyNumber=1)/Barcode/$value",
      {},
      '200 content-type: text/plain',
      '9100000000000000001',
    ],
    [
      "GET Book('9783400000009')/Details",
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book('9783400000009')/Details","Publisher":"Blauwe Brug","edition":"1"}`,
    ],
    [
      "GET Book('9783400000009')/Details/Publisher",
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book('9783400000009')/Details/Publisher","value":"Blauwe Brug"}`,
    ],
    [
      'GET Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)/Channels/$value',
      {},
      '200 content-type: text/plain',
      'Email',
    ],
    [
      'GET Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)/Pin',
      {},
      '405 allow: PUT, DELETE, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"GET is not allowed here; allowed: PUT, DELETE, OPTIONS."}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('counts and references (Part 1, 11.2.8 and 11.2.10)', () => {
  it.each<Case>([
    ['GET Author/$count', {}, '200 content-type: text/plain', '12'],
    [
      'GET Author/$count',
      { headers: { 'odata-maxversion': '4.01' } },
      '200 content-type: text/plain odata-version: 4.01',
      '12',
    ],
    ['GET Author/$count?$filter=Id lt 3', {}, '200 content-type: text/plain', '2'],
    ['GET Author/$count?$top=1', {}, '200 content-type: text/plain', '12'],
    ["GET Author(1)/Books/$count?$filter=Genre eq 'novel'", {}, '200 content-type: text/plain', '1'],
    [
      "GET Author/$ref?$filter=Books/any(b:b/Genre eq 'novel')&$orderby=LastName&$top=2&$count=true",
      {},
      '200',
      '{"@odata.context":"~/$metadata#Collection($ref)","@odata.count":10,"value":[{"@odata.id":"Author(9)"},{"@odata.id":"Author(3)"}]}',
    ],
    [
      'GET Author/$ref?$select=Id',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$select does not apply to /$ref","target":"$select"}}',
    ],
    ['GET Author(1)/$ref', {}, '200', '{"@odata.context":"~/$metadata#$ref","@odata.id":"Author(1)"}'],
    ['GET Author(99)/$ref', {}, '404', '{"error":{"code":"NotFound","message":"There is no Author(99)."}}'],
    [
      'GET Author(1)/Books/$ref?$top=2',
      { headers: { 'odata-maxversion': '4.01' } },
      '200 content-type: application/json;metadata=minimal odata-version: 4.01',
      `{"@context":"~/$metadata#Collection($ref)","value":[{"@id":"Book('9783400000009')"},{"@id":"Book('9783416549325')"}]}`,
    ],
    [
      "GET Book('9783400000009')/Author/$ref",
      {},
      '200',
      '{"@odata.context":"~/$metadata#$ref","@odata.id":"Author(1)"}',
    ],
    [
      "GET Book('9783401379111')/Reviews/$ref",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Collection($ref)","value":[{"@odata.id":"Book('9783401379111')/Reviews(1)"}]}`,
    ],
    ['GET House/$ref', {}, '200', '{"@odata.context":"~/$metadata#$ref","@odata.id":"House"}'],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('navigation (Part 2, 4.7)', () => {
  it.each<Case>([
    [
      'GET Author(1)/Books?$select=Title&$top=1',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Book(Title)","value":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}]}`,
    ],
    [
      "GET Author(1)/Books('9783400000009')?$select=Title",
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book(Title)/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}`,
    ],
    [
      'GET Author/1/Books/9783400000009/Title',
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book('9783400000009')/Title","value":"The Crooked Ferry"}`,
    ],
    [
      "GET Author(2)/Books('9783400000009')",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Author(2)/Books('9783400000009')."}}`,
    ],
    ['GET Author(99)/Books', {}, '404', '{"error":{"code":"NotFound","message":"There is no Author(99)."}}'],
    [
      'GET Author(99)/Books/$count',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no Author(99)."}}',
    ],
    [
      'GET Author(99)/Books/$ref',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no Author(99)."}}',
    ],
    [
      "GET Author(99)/Books('9783400000009')",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Author(99)/Books('9783400000009')."}}`,
    ],
    [
      "GET Author(1)/Books?$filter=Title eq 'x'",
      {},
      '200',
      '{"@odata.context":"~/$metadata#Book","value":[]}',
    ],
    [
      "GET Book('9783400000009')/Author?$select=LastName",
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(LastName)/$entity","@odata.id":"Author(1)","LastName":"Varnholt"}',
    ],
    ["GET Book('9783400000009')/Author/LastName/$value", {}, '200 content-type: text/plain', 'Varnholt'],
    [
      "GET Book('9783400000009')/Author(1)",
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Author\\" here."}}',
    ],
    [
      "GET Book('9783400000009')/Copies(1)/Shelf",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(ISBN='9783400000009',CopyNumber=1)/Shelf","value":"A-10"}`,
    ],
    [
      "GET Book('9783400000009')/Copies/1/Shelf",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(ISBN='9783400000009',CopyNumber=1)/Shelf","value":"A-10"}`,
    ],
    [
      "GET Book('9783400000009')/Copies(ISBN='x',CopyNumber=1)",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('9783400000009')/Copies(ISBN='x',CopyNumber=1)."}}`,
    ],
    [
      'GET Loan(1)/Copy/Book/Author/LastName',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Loan(1)/Copy/Book/Author/LastName","value":"Varnholt"}',
    ],
    [
      'GET Loan(1)/Copy/Book/Reviews',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Loan(1)/Copy/Book/Reviews","value":[]}',
    ],
    [
      'GET Loan(1)/Member/Loans(1)/Copy/$ref',
      {},
      '200',
      `{"@odata.context":"~/$metadata#$ref","@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)"}`,
    ],
    ['GET Loan(999)/Member', {}, '404', '{"error":{"code":"NotFound","message":"There is no Loan(999)."}}'],
    [
      "GET Book('9783401379111')/Reviews?$select=Rating",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Book('9783401379111')/Reviews(Rating)","value":[{"@odata.id":"Book('9783401379111')/Reviews(1)","Rating":4}]}`,
    ],
    [
      "GET Book('9783401379111')/Reviews(1)?$select=Rating",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Book('9783401379111')/Reviews(Rating)/$entity","@odata.id":"Book('9783401379111')/Reviews(1)","Rating":4}`,
    ],
    [
      "GET Book('9783401379111')/Reviews/1/Rating",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Book('9783401379111')/Reviews(1)/Rating","value":4}`,
    ],
    [
      "GET Book('9783401379111')/Reviews(9)",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('9783401379111')/Reviews(9)."}}`,
    ],
    [
      "GET Book('nope')/Reviews(1)",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('nope')/Reviews(1)."}}`,
    ],
    [
      'GET Review',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Review\\" here."}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('type casts (Part 2, 4.11)', () => {
  it.each<Case>([
    [
      'GET Book/Library.AudioBook?$top=1&$select=ISBN,Narrator',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Book/Library.AudioBook(ISBN,Narrator)","value":[{"@odata.etag":"W/\\"1\\"","ISBN":"9783406895555","Narrator":"Joris Moravec"}]}',
    ],
    ['GET Book/AudioBook/$count', {}, '200 content-type: text/plain', '10'],
    [
      "GET Book/Library.AudioBook('9783406895555')/Narrator",
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book('9783406895555')/Library.AudioBook/Narrator","value":"Joris Moravec"}`,
    ],
    [
      "GET Book/Library.AudioBook('9783400000009')",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book/Library.AudioBook('9783400000009')."}}`,
    ],
    [
      "GET Book('9783400000009')/Library.PrintedBook?$select=Pages",
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book/Library.PrintedBook(Pages)/$entity","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Pages":96}`,
    ],
    [
      "GET Book('9783400000009')/Library.AudioBook",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('9783400000009')/Library.AudioBook."}}`,
    ],
    [
      "GET Book('9783400000009')/Library.AudioBook/Narrator",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('9783400000009')/Library.AudioBook."}}`,
    ],
    [
      "GET Book('9783400000009')/Library.Author",
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Library.Author\\" here."}}',
    ],
    ['GET Author(6)/Books/Library.AudioBook/$count', {}, '200 content-type: text/plain', '5'],
    [
      "GET Book('9783400000009')/Pages",
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Pages\\" here."}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('filter segments, entity-ids and queries in a body (Part 2, 4.4, 4.12 and 4.16)', () => {
  it.each<Case>([
    [
      'GET Author/$filter(Id lt 3)?$select=Id',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":1},{"Id":2}]}',
    ],
    ['GET Author/$filter(@f)/$count?@f=Id lt 3', {}, '200 content-type: text/plain', '2'],
    [
      'GET Author/$filter(Id lt 3)/$filter(Id gt 1)?$select=Id',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":2}]}',
    ],
    [
      'GET Author/$filter(Id lt 3)/2/LastName',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(2)/LastName","value":"Okonedo"}',
    ],
    [
      'GET Author/$filter(Id lt 3)/4',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no Author(4)."}}',
    ],
    [
      'GET Author/$filter(Nope lt 3)',
      {},
      '400',
      `{"error":{"code":"BadRequest","message":"$filter: expected a property of Library.Author, found 'Nope' at position 15","target":"$filter"}}`,
    ],
    ["GET Book/$filter(Author/LastName eq 'Brisk')/$count", {}, '200 content-type: text/plain', '5'],
    [
      'POST Author/$filter(Id lt 3)',
      { body: '{}' },
      '405 allow: GET, HEAD, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"POST is not allowed here; allowed: GET, HEAD, OPTIONS."}}',
    ],
    [
      'GET $entity/Library.Author?$id=Author(1)&$select=LastName',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author/Library.Author(LastName)/$entity","@odata.id":"Author(1)","LastName":"Varnholt"}',
    ],
    [
      "GET $entity/Library.PrintedBook?$id=Book('9783400000009')&$select=Pages",
      {},
      '200 etag: W/"1"',
      `{"@odata.context":"~/$metadata#Book/Library.PrintedBook(Pages)/$entity","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Pages":96}`,
    ],
    [
      'GET Author/Library.Author/Library.Author',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"resource path: expected each type cast once, found Library.Author twice in a row"}}',
    ],
    [
      'GET Author(1)/lastName',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"lastName\\" here: is \\"LastName\\" meant?"}}',
    ],
    [
      'GET Book?$expand=author',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a navigation property of Library.Book, found \\"author\\" at position 0: is \\"Author\\" meant?","target":"$expand"}}',
    ],
    [
      "GET $entity/Library.AudioBook?$id=Book('9783400000009')",
      {},
      '404',
      `{"error":{"code":"NotFound","message":"There is no Book('9783400000009')/Library.AudioBook."}}`,
    ],
    [
      'GET $entity?$id=Author',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$id: expected the entity-id of a single entity, found \\"Author\\".","target":"$id"}}',
    ],
    [
      'GET $entity',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$id: expected with $entity, found no such option","target":"$id"}}',
    ],
    [
      'POST Author/$query',
      { body: '$filter=Id lt 3&$select=Id', headers: { 'content-type': 'text/plain' } },
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":1},{"Id":2}]}',
    ],
    [
      'POST Author/$query?$top=1',
      { body: '$select=Id', headers: { 'content-type': 'text/plain' } },
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":1}]}',
    ],
    [
      'POST Author/$query?$top=1',
      { body: '$top=2', headers: { 'content-type': 'text/plain' } },
      '400',
      '{"error":{"code":"BadRequest","message":"$top: expected to be given once, found it twice","target":"$top"}}',
    ],
    [
      'POST Author/$query',
      { body: '{}', headers: { 'content-type': 'application/json' } },
      '415',
      '{"error":{"code":"UnsupportedMediaType","message":"Content-Type: expected text/plain or application/x-www-form-urlencoded with query options.","target":"Content-Type"}}',
    ],
    [
      'GET Author/$query',
      {},
      '405 allow: POST, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"GET is not allowed here; allowed: POST, OPTIONS."}}',
    ],
    [
      'GET $all?$orderby=Id',
      {},
      '501',
      '{"error":{"code":"NotImplemented","message":"$orderby of $all is not implemented","target":"$orderby"}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('metadata levels and versions (JSON Format, 3.1)', () => {
  it.each<Case>([
    [
      'GET Author(1)?$select=LastName',
      { headers: { accept: 'application/json;odata.metadata=none' } },
      '200 content-type: application/json;odata.metadata=none',
      '{"LastName":"Varnholt"}',
    ],
    [
      'GET Author(1)?$select=LastName',
      { headers: { 'odata-maxversion': '4.01' } },
      '200 content-type: application/json;metadata=minimal odata-version: 4.01',
      '{"@context":"~/$metadata#Author(LastName)/$entity","@id":"Author(1)","LastName":"Varnholt"}',
    ],
    [
      'GET Author(1)?$select=LastName',
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      '{"@odata.context":"~/$metadata#Author(LastName)/$entity","@odata.type":"#Library.Author","@odata.id":"Author(1)","@odata.editLink":"Author(1)","LastName":"Varnholt"}',
    ],
    [
      'GET Author(1)?$select=Books',
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      '{"@odata.context":"~/$metadata#Author(Books)/$entity","@odata.type":"#Library.Author","@odata.id":"Author(1)","@odata.editLink":"Author(1)","Books@odata.associationLink":"Author(1)/Books/$ref","Books@odata.navigationLink":"Author(1)/Books"}',
    ],
    [
      "GET Book('9783401379111')?$select=Cover,Library.*",
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full etag: W/"1~sZT22OJ2"',
      `{"@odata.context":"~/$metadata#Book(Cover,Library.*)/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783401379111')","@odata.etag":"W/\\"1\\"","@odata.editLink":"Book('9783401379111')/Library.PrintedBook","Cover@odata.mediaReadLink":"Book('9783401379111')/Cover","Cover@odata.mediaEditLink":"Book('9783401379111')/Cover","#Library.GetAvailability":{"title":"Says how many copies can be borrowed now","target":"Book('9783401379111')/Library.GetAvailability()"}}`,
    ],
    [
      'GET Loan(1)?$select=Id&$expand=Member($select=Id,Loans)',
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      '{"@odata.context":"~/$metadata#Loan(Id,Member(Id,Loans))/$entity","@odata.type":"#Library.Loan","@odata.id":"Loan(1)","@odata.readLink":"Loan(1)","Member@odata.associationLink":"Loan(1)/Member/$ref","Member@odata.navigationLink":"Loan(1)/Member","Id@odata.type":"#Int64","Id":1,"Member":{"@odata.type":"#Library.Member","@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","@odata.editLink":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","Loans@odata.associationLink":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)/Loans/$ref","Loans@odata.navigationLink":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)/Loans","Id@odata.type":"#Guid","Id":"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9"}}',
    ],
    [
      'GET Author?$select=*,Books&$top=0',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(*,Books)","value":[]}',
    ],
    [
      'GET Author?$select=Id,Books&$expand=Books&$top=0',
      { headers: { 'odata-maxversion': '4.01' } },
      '200 content-type: application/json;metadata=minimal odata-version: 4.01',
      '{"@context":"~/$metadata#Author(Id,Books,Books())","value":[]}',
    ],
    [
      "GET Book('9783401379111')/Reviews(1)?$select=Rating",
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      `{"@odata.context":"~/$metadata#Book('9783401379111')/Reviews(Rating)/$entity","@odata.type":"#Library.Review","@odata.id":"Book('9783401379111')/Reviews(1)","@odata.editLink":"Book('9783401379111')/Reviews(1)","Rating@odata.type":"#Int32","Rating":4}`,
    ],
    [
      'GET House?$select=Name',
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      '{"@odata.context":"~/$metadata#House(Name)","@odata.type":"#Library.House","@odata.id":"House","@odata.editLink":"House","Name":"Library at the Old Ferry"}',
    ],
    [
      'GET House/Address/Location',
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      '{"@odata.context":"~/$metadata#House/Address/Location","@odata.type":"#Library.Location","Latitude":54.3512,"Longitude":10.1398}',
    ],
    [
      'GET House/Address/Location',
      { headers: { accept: 'application/json;odata.metadata=none' } },
      '200 content-type: application/json;odata.metadata=none',
      '{"Latitude":54.3512,"Longitude":10.1398}',
    ],
    [
      'GET House/PhoneNumbers',
      { headers: { 'odata-maxversion': '4.01' } },
      '200 content-type: application/json;metadata=minimal odata-version: 4.01',
      '{"@context":"~/$metadata#House/PhoneNumbers","value":["+49 431 5550170","+49 431 5550171"]}',
    ],
    [
      "GET Book('9783400000009')/GetAvailability()",
      { headers: { accept: 'application/json;odata.metadata=full' } },
      '200 content-type: application/json;odata.metadata=full',
      '{"@odata.context":"~/$metadata#Library.Availability","@odata.type":"#Library.Availability","Copies@odata.type":"#Int32","Copies":1,"Available@odata.type":"#Int32","Available":1,"NextDue":null}',
    ],
    [
      'GET Author(1)?$schemaversion=1.0&$select=Id',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}',
    ],
    [
      'GET Author(1)?$schemaversion=*&$select=Id',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":1}',
    ],
    [
      'GET Author(1)?$schemaversion=9',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"$schemaversion: the version is 1.0, found \\"9\\".","target":"$schemaversion"}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('HEAD, OPTIONS and methods that are not there (Part 1, 9.2.2)', () => {
  it.each<Case>([
    ['HEAD Author(1)', {}, '200', ''],
    ['HEAD Author/$count', {}, '200 content-type: text/plain', ''],
    ['OPTIONS Author', {}, '204 allow: GET, HEAD, POST, OPTIONS', ''],
    ['OPTIONS Author(1)', {}, '204 allow: GET, HEAD, PATCH, PUT, DELETE, OPTIONS', ''],
    ['OPTIONS Author(1)/LastName', {}, '204 allow: GET, HEAD, PUT, OPTIONS', ''],
    ['OPTIONS Author(1)/Born', {}, '204 allow: GET, HEAD, PUT, DELETE, OPTIONS', ''],
    ['OPTIONS Author(1)/Id', {}, '204 allow: GET, HEAD, OPTIONS', ''],
    ['OPTIONS Author(1)/Books', {}, '204 allow: GET, HEAD, POST, OPTIONS', ''],
    ["OPTIONS Author(1)/Books('9783400000009')", {}, '204 allow: GET, HEAD, PATCH, PUT, DELETE, OPTIONS', ''],
    ["OPTIONS Book('9783400000009')/Author", {}, '204 allow: GET, HEAD, PATCH, PUT, OPTIONS', ''],
    ["OPTIONS Book('9783401379111')/Reviews", {}, '204 allow: GET, HEAD, POST, OPTIONS', ''],
    ["OPTIONS Book('9783401379111')/Reviews(1)", {}, '204 allow: GET, HEAD, DELETE, OPTIONS', ''],
    [
      'OPTIONS Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)',
      {},
      '204 allow: GET, HEAD, PATCH, PUT, OPTIONS',
      '',
    ],
    ['OPTIONS Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)/Pin', {}, '204 allow: PUT, DELETE, OPTIONS', ''],
    ['OPTIONS Loan(1)', {}, '204 allow: GET, HEAD, OPTIONS', ''],
    ['OPTIONS Loan(1)/Return', {}, '204 allow: POST, OPTIONS', ''],
    ['OPTIONS Loan/DueBy(Date=2026-05-12)', {}, '204 allow: GET, HEAD, OPTIONS', ''],
    ['OPTIONS House', {}, '204 allow: GET, HEAD, PATCH, PUT, OPTIONS', ''],
    ['OPTIONS House/Address', {}, '204 allow: GET, HEAD, PUT, PATCH, OPTIONS', ''],
    ['OPTIONS House/Address/City', {}, '204 allow: GET, HEAD, PUT, OPTIONS', ''],
    ['OPTIONS Author(1)/$ref', {}, '204 allow: GET, HEAD, OPTIONS', ''],
    ['OPTIONS $metadata', {}, '204 allow: GET, HEAD, OPTIONS', ''],
    [
      'OPTIONS Nope',
      {},
      '404',
      '{"error":{"code":"NotFound","message":"There is no resource \\"Nope\\" here."}}',
    ],
    [
      'POST Author(1)',
      { body: '{}' },
      '405 allow: GET, HEAD, PATCH, PUT, DELETE, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"POST is not allowed here; allowed: GET, HEAD, PATCH, PUT, DELETE, OPTIONS."}}',
    ],
    [
      'DELETE Author',
      {},
      '405 allow: GET, HEAD, POST, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"DELETE is not allowed here; allowed: GET, HEAD, POST, OPTIONS."}}',
    ],
    [
      'PUT Loan(1)',
      { body: '{}' },
      '405 allow: GET, HEAD, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"PUT is not allowed here; allowed: GET, HEAD, OPTIONS."}}',
    ],
    [
      'DELETE Author/$count',
      {},
      '405 allow: GET, HEAD, OPTIONS',
      '{"error":{"code":"MethodNotAllowed","message":"DELETE is not allowed here; allowed: GET, HEAD, OPTIONS."}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});
