import { describe, expect, it } from 'vitest';
import { type Sent, useLibrary } from './library-gateway.ts';

const { answer } = useLibrary();

/** The call, what is sent with it, the status with what is unusual of the header, and the body. */
type Case = readonly [string, Sent, string, string];

// What a case changes stays changed for those after it.
describe('changes of the library', { shuffle: false }, () => {
  describe('creates (Part 1, 11.4.2)', () => {
    it.each<Case>([
      [
        'POST Author',
        { body: '{"LastName":"A","Languages":["en"]}' },
        '201 location: ~/Author(13)',
        '{"@odata.context":"~/$metadata#Author/$entity","FirstName":null,"LastName":"A","Born":null,"Died":null,"Languages":["en"],"Id":13}',
      ],
      [
        'POST Author',
        { body: '{"LastName":"A","Languages":["en"]}', headers: { prefer: 'return=minimal' } },
        '204 location: ~/Author(14) odata-entityid: ~/Author(14) preference-applied: return=minimal',
        '',
      ],
      [
        'POST Author',
        { body: '{"LastName":"A","Languages":["en"]}', headers: { prefer: 'return=representation' } },
        '201 location: ~/Author(15) preference-applied: return=representation',
        '{"@odata.context":"~/$metadata#Author/$entity","FirstName":null,"LastName":"A","Born":null,"Died":null,"Languages":["en"],"Id":15}',
      ],
      [
        'POST Author?$select=Id',
        { body: '{"LastName":"A","Languages":["en"]}', headers: { prefer: 'return=minimal' } },
        '201 location: ~/Author(16)',
        '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":16}',
      ],
      [
        'POST Author?$select=Id&$expand=Books',
        { body: '{"LastName":"A","Languages":["en"]}' },
        '201 location: ~/Author(17)',
        '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":17,"Books":[]}',
      ],
      [
        'POST Author?$select=Id',
        { body: '{"LastName":"A","Languages":["en"],"Id":4}' },
        '201 location: ~/Author(18)',
        '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":18}',
      ],
      [
        'POST Author?$select=Id',
        { body: '{"LastName":"A","Languages":["en"]}', headers: { 'odata-maxversion': '4.01' } },
        '201 content-type: application/json;metadata=minimal odata-version: 4.01 location: ~/Author(19)',
        '{"@context":"~/$metadata#Author(Id)/$entity","Id":19}',
      ],
      [
        'POST Author?$select=LastName,Languages',
        { body: '{"LastName":"A"}' },
        '201 location: ~/Author(20)',
        '{"@odata.context":"~/$metadata#Author(LastName,Languages)/$entity","@odata.id":"Author(20)","LastName":"A","Languages":[]}',
      ],
      [
        'POST Author?$select=LastName',
        {
          body: '{"LastName":"A","Languages":["en"]}',
          headers: { accept: 'application/json;odata.metadata=none' },
        },
        '201 content-type: application/json;odata.metadata=none location: ~/Author(21)',
        '{"LastName":"A"}',
      ],
      [
        'POST Author?$filter=Id eq 1',
        { body: '{"LastName":"A","Languages":["en"]}' },
        '400',
        '{"error":{"code":"BadRequest","message":"$filter does not apply to a single entity","target":"$filter"}}',
      ],
      [
        'POST Book?$select=ISBN',
        {
          body: '{"ISBN":"9780000000001","Medium":"audio","Title":"T","AuthorId":1,"Genre":"novel","Price":1.10,"Narrator":"N","RunningTime":"PT1H"}',
        },
        `201 location: ~/Book('9780000000001') etag: W/"1"`,
        '{"@odata.context":"~/$metadata#Book(ISBN)/$entity","@odata.type":"#Library.AudioBook","@odata.etag":"W/\\"1\\"","ISBN":"9780000000001"}',
      ],
      [
        'POST Book/Library.PrintedBook?$select=Pages',
        {
          body: '{"ISBN":"9780000000002","Medium":"print","Title":"T","AuthorId":1,"Genre":"novel","Price":1.10,"Pages":3}',
        },
        `201 location: ~/Book('9780000000002') etag: W/"1"`,
        `{"@odata.context":"~/$metadata#Book/Library.PrintedBook(Pages)/$entity","@odata.id":"Book('9780000000002')","@odata.etag":"W/\\"1\\"","Pages":3}`,
      ],
      // JSON Format, 4.5.3: the URL says the type, and nothing has to say it again.
      [
        'POST Book/Library.PrintedBook?$select=Medium',
        {
          body: '{"ISBN":"9780000000003","Title":"T","AuthorId":1,"Genre":"novel","Price":1.10,"Pages":3}',
        },
        `201 location: ~/Book('9780000000003') etag: W/"1"`,
        `{"@odata.context":"~/$metadata#Book/Library.PrintedBook(Medium)/$entity","@odata.id":"Book('9780000000003')","@odata.etag":"W/\\"1\\"","Medium":"print"}`,
      ],
      [
        'POST Book/Library.PrintedBook',
        {
          body: '{"ISBN":"9780000000004","Medium":"audio","Title":"T","AuthorId":1,"Genre":"novel","Price":1,"Pages":3}',
        },
        '400',
        '{"error":{"code":"BadRequest","message":"Medium: expected \\"print\\", as Library.PrintedBook has it, found \\"audio\\".","target":"Medium"}}',
      ],
      [
        "POST Book('9783401379111')/Reviews",
        { body: '{"MemberId":"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9","Rating":5}' },
        "201 location: ~/Book('9783401379111')/Reviews(2)",
        `{"@odata.context":"~/$metadata#Book('9783401379111')/Reviews/$entity","MemberId":"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9","Rating":5,"Text":null,"Number":2,"WrittenAt":"2026-06-01T12:00:00Z"}`,
      ],
      [
        "POST Book('nope')/Reviews",
        { body: '{"MemberId":"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9","Rating":5}' },
        '404',
        `{"error":{"code":"NotFound","message":"There is no Book('nope')."}}`,
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe("updates by an upstream's PUT (Part 1, 11.4.3 and 11.4.4)", () => {
    it.each<Case>([
      ['PATCH Author(2)', { body: '{"Died":null}' }, '204', ''],
      [
        'GET Author(2)',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Author/$entity","FirstName":"Tomas","LastName":"Okonedo","Born":"1935-10-17","Died":null,"Languages":["de","fr"],"Id":2}',
      ],
      [
        'PATCH Author(2)',
        { body: '{"Born":"1935-01-01"}', headers: { prefer: 'return=representation' } },
        '200 preference-applied: return=representation',
        '{"@odata.context":"~/$metadata#Author/$entity","FirstName":"Tomas","LastName":"Okonedo","Born":"1935-01-01","Died":null,"Languages":["de","fr"],"Id":2}',
      ],
      [
        'PATCH Author(2)?$select=Born',
        { body: '{"Id":4}' },
        '200',
        '{"@odata.context":"~/$metadata#Author(Born)/$entity","@odata.id":"Author(2)","Born":"1935-01-01"}',
      ],
      [
        'PATCH Author(2)?$select=Id&$expand=Books($top=1;$select=ISBN)',
        { body: '{}' },
        '200',
        '{"@odata.context":"~/$metadata#Author(Id,Books(ISBN))/$entity","Id":2,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783401379111"}]}',
      ],
      ['PUT Author(2)', { body: '{"LastName":"P","Languages":["pl"]}' }, '204', ''],
      [
        'GET Author(2)',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Author/$entity","FirstName":null,"LastName":"P","Born":null,"Died":null,"Languages":["pl"],"Id":2}',
      ],
      [
        'PATCH Author(99)',
        { body: '{"LastName":"P"}' },
        '404',
        '{"error":{"code":"NotFound","message":"There is no Author(99)."}}',
      ],
      [
        'PUT Author(99)',
        { body: '{"LastName":"P","Languages":[]}' },
        '404',
        '{"error":{"code":"NotFound","message":"There is no such resource."}}',
      ],
      ["PATCH Book('9783401379111')", { body: '{"Title":"Named anew"}' }, '204 etag: W/"2"', ''],
      [
        "GET Book('9783401379111')",
        {},
        '200 etag: W/"2"',
        '{"@odata.context":"~/$metadata#Book/$entity","@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"2\\"","ISBN":"9783401379111","Medium":"print","Title":"Named anew","Subtitle":"What the archives keep","AuthorId":2,"Genre":"travel","Published":"1969-02-17","Price":12.6,"Keywords":["letters","islands"],"Details":{"Publisher":"Deichverlag"},"Version":2,"ChangedAt":"2026-06-01T12:00:00Z","Pages":143}',
      ],
      [
        "PATCH Book('9783401379111')",
        { body: '{"@odata.type":"#Library.PrintedBook","Pages":13}' },
        '204 etag: W/"3"',
        '',
      ],
      [
        "PATCH Book('9783401379111')/Library.PrintedBook?$select=Pages",
        { body: '{"Pages":14}' },
        '200 etag: W/"4"',
        `{"@odata.context":"~/$metadata#Book/Library.PrintedBook(Pages)/$entity","@odata.id":"Book('9783401379111')","@odata.etag":"W/\\"4\\"","Pages":14}`,
      ],
      [
        "PATCH Book('9783401379111')/Library.AudioBook",
        { body: '{"Narrator":"N"}' },
        '404',
        `{"error":{"code":"NotFound","message":"There is no Book('9783401379111')/Library.AudioBook."}}`,
      ],
      [
        "PUT Book('9783401379111')",
        { body: '{"Medium":"print","Title":"Put","AuthorId":2,"Genre":"poetry","Price":1.10,"Pages":3}' },
        '204 etag: W/"5"',
        '',
      ],
      [
        "GET Book('9783401379111')",
        {},
        '200 etag: W/"5"',
        '{"@odata.context":"~/$metadata#Book/$entity","@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"5\\"","ISBN":"9783401379111","Medium":"print","Title":"Put","Subtitle":null,"AuthorId":2,"Genre":"poetry","Published":null,"Price":1.1,"Keywords":[],"Details":null,"Version":5,"ChangedAt":"2026-06-01T12:00:00Z","Pages":3}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe("updates by an upstream's PATCH", () => {
    it.each<Case>([
      ["PATCH Copy(ISBN='9783401379111',CopyNumber=1)", { body: '{"Condition":"worn"}' }, '204', ''],
      [
        "PUT Copy(ISBN='9783401379111',CopyNumber=1)",
        { body: '{"Barcode":1,"Condition":"new","Acquired":"2020-01-01"}' },
        '204',
        '',
      ],
      [
        "GET Copy(ISBN='9783401379111',CopyNumber=1)",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Copy/$entity","ISBN":"9783401379111","CopyNumber":1,"Barcode":9100000000000001001,"Condition":"new","Acquired":"2019-06-06","Shelf":null}',
      ],
      [
        'PATCH Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)?$select=Address',
        { body: '{"Pin":"1234","Address":{"City":"Emden"}}' },
        '200',
        '{"@odata.context":"~/$metadata#Member(Address)/$entity","@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","Address":{"Street":"Mill Street 1","PostalCode":"24101","City":"Emden","Location":{"Latitude":54.3,"Longitude":10.1}}}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe('updates behind navigation properties', () => {
    it.each<Case>([
      [
        "PATCH Author(3)/Books('9783402758229')?$select=Title",
        { body: '{"Title":"Via"}' },
        '200 etag: W/"2"',
        `{"@odata.context":"~/$metadata#Book(Title)/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783402758229')","@odata.etag":"W/\\"2\\"","Title":"Via"}`,
      ],
      [
        "PATCH Author(2)/Books('9783402758229')",
        { body: '{"Title":"Via"}' },
        '404',
        `{"error":{"code":"NotFound","message":"There is no Author(2)/Books('9783402758229')."}}`,
      ],
      [
        "PATCH Book('9783402758229')/Author?$select=LastName",
        { body: '{"LastName":"Via"}' },
        '200',
        '{"@odata.context":"~/$metadata#Author(LastName)/$entity","@odata.id":"Author(3)","LastName":"Via"}',
      ],
      // Part 1, 11.4.3.1; Part 2, 4.3.4: the owner says a part of the keys.
      [
        "PATCH Book('9783400000009')?$select=Title&$expand=Copies($select=CopyNumber,Shelf)",
        {
          body: '{"Copies@delta":[{"CopyNumber":1,"Shelf":"B-2"},{"CopyNumber":9,"Barcode":7,"Condition":"new","Acquired":"2026-01-01"}]}',
        },
        '200 etag: W/"1"',
        `{"@odata.context":"~/$metadata#Book(Title,Copies(CopyNumber,Shelf))/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry","Copies":[{"@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","CopyNumber":1,"Shelf":"B-2"},{"@odata.id":"Copy(ISBN='9783400000009',CopyNumber=9)","CopyNumber":9,"Shelf":null}]}`,
      ],
      [
        'PATCH Loan(1)/Copy?$select=Condition',
        { body: '{"Condition":"worn"}' },
        '200',
        `{"@odata.context":"~/$metadata#Copy(Condition)/$entity","@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","Condition":"worn"}`,
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe('properties (Part 1, 11.4.9)', () => {
    it.each<Case>([
      ['PUT Author(4)/LastName', { body: '{"value":"Put"}' }, '204', ''],
      [
        'GET Author(4)/LastName',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Author(4)/LastName","value":"Put"}',
      ],
      [
        'PUT Author(4)/LastName',
        { body: '{"value":"Put"}', headers: { prefer: 'return=representation' } },
        '200 preference-applied: return=representation',
        '{"@odata.context":"~/$metadata#Author(4)/LastName","value":"Put"}',
      ],
      [
        'PUT Author(4)/Languages',
        { body: '{"value":["fr","nl"]}', headers: { prefer: 'return=representation' } },
        '200 preference-applied: return=representation',
        '{"@odata.context":"~/$metadata#Author(4)/Languages","value":["fr","nl"]}',
      ],
      ['DELETE Author(4)/Languages', {}, '204', ''],
      [
        'GET Author(4)/Languages',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Author(4)/Languages","value":[]}',
      ],
      ['DELETE Author(4)/Born', {}, '204', ''],
      ['GET Author(4)/Born', {}, '204', ''],
      [
        'PUT Author(4)/LastName',
        { body: '{"value":5}' },
        '400',
        '{"error":{"code":"BadRequest","message":"value: expected Edm.String, found a number.","target":"value"}}',
      ],
      [
        'PUT Author(4)/LastName',
        { body: '{"value":null}' },
        '400',
        '{"error":{"code":"BadRequest","message":"value: expected a value, found null.","target":"value"}}',
      ],
      [
        'DELETE Author(4)/LastName',
        {},
        '405 allow: GET, HEAD, PUT, OPTIONS',
        '{"error":{"code":"MethodNotAllowed","message":"DELETE is not allowed here; allowed: GET, HEAD, PUT, OPTIONS."}}',
      ],
      [
        'PATCH Author(4)/LastName',
        { body: '{"value":"P"}' },
        '405 allow: GET, HEAD, PUT, OPTIONS',
        '{"error":{"code":"MethodNotAllowed","message":"PATCH is not allowed here; allowed: GET, HEAD, PUT, OPTIONS."}}',
      ],
      [
        'PUT Author(4)/Id',
        { body: '{"value":5}' },
        '405 allow: GET, HEAD, OPTIONS',
        '{"error":{"code":"MethodNotAllowed","message":"PUT is not allowed here; allowed: GET, HEAD, OPTIONS."}}',
      ],
      [
        'PUT Author(99)/LastName',
        { body: '{"value":"P"}' },
        '404',
        '{"error":{"code":"NotFound","message":"There is no Author(99)."}}',
      ],
      [
        'PUT Member(78279141-b951-5b28-84c2-c9895943afeb)/Address/City',
        { body: '{"value":"Leer"}' },
        '204',
        '',
      ],
      [
        'PATCH Member(78279141-b951-5b28-84c2-c9895943afeb)/Address',
        { body: '{"Street":"S 1"}', headers: { prefer: 'return=representation' } },
        '200 preference-applied: return=representation',
        '{"@odata.context":"~/$metadata#Member(78279141-b951-5b28-84c2-c9895943afeb)/Address","Street":"S 1","PostalCode":"24107","City":"Leer","Location":{"Latitude":54.303,"Longitude":10.106}}',
      ],
      [
        'PUT Member(78279141-b951-5b28-84c2-c9895943afeb)/Address',
        { body: '{"Street":"S 2","City":"Jever"}', headers: { prefer: 'return=representation' } },
        '200 preference-applied: return=representation',
        '{"@odata.context":"~/$metadata#Member(78279141-b951-5b28-84c2-c9895943afeb)/Address","Street":"S 2","PostalCode":null,"City":"Jever","Location":null}',
      ],
      ['DELETE Member(78279141-b951-5b28-84c2-c9895943afeb)/Address/PostalCode', {}, '204', ''],
      ['DELETE Member(78279141-b951-5b28-84c2-c9895943afeb)/Address', {}, '204', ''],
      ['GET Member(78279141-b951-5b28-84c2-c9895943afeb)/Address', {}, '204', ''],
      ['PUT Member(78279141-b951-5b28-84c2-c9895943afeb)/Pin', { body: '{"value":"4321"}' }, '204', ''],
      ["PUT Book('9783402758229')/Library.PrintedBook/Pages", { body: '{"value":7}' }, '204 etag: W/"3"', ''],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe('deletes (Part 1, 11.4.6)', () => {
    it.each<Case>([
      ['DELETE Author(13)', {}, '204', ''],
      [
        'DELETE Author(13)',
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no such resource."}}',
      ],
      [
        'DELETE Author(99)',
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no such resource."}}',
      ],
      [
        'DELETE Author(14)?$select=Id',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"$select does not apply to a delete","target":"$select"}}',
      ],
      [
        "DELETE Book('9780000000001')/Library.PrintedBook",
        {},
        '404',
        `{"error":{"code":"NotFound","message":"There is no Book('9780000000001')/Library.PrintedBook."}}`,
      ],
      [
        "DELETE Author(2)/Books('9780000000001')",
        {},
        '404',
        `{"error":{"code":"NotFound","message":"There is no Author(2)/Books('9780000000001')."}}`,
      ],
      ["DELETE Author(1)/Books('9780000000001')", {}, '204', ''],
      ["DELETE Book('9783401379111')/Reviews(2)", {}, '204', ''],
      [
        'DELETE House',
        {},
        '405 allow: GET, HEAD, PATCH, PUT, OPTIONS',
        '{"error":{"code":"MethodNotAllowed","message":"DELETE is not allowed here; allowed: GET, HEAD, PATCH, PUT, OPTIONS."}}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe('entity tags (Part 1, 8.2.4 and 8.2.5)', () => {
    it.each<Case>([
      [
        "GET Book('9783405516444')?$select=Title",
        {},
        '200 etag: W/"1"',
        `{"@odata.context":"~/$metadata#Book(Title)/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783405516444')","@odata.etag":"W/\\"1\\"","Title":"Northern Days"}`,
      ],
      [
        "GET Book('9783405516444')?$select=Title",
        { headers: { 'if-none-match': 'W/"1"' } },
        '304 etag: W/"1"',
        '',
      ],
      [
        "GET Book('9783405516444')?$select=Title",
        { headers: { 'if-none-match': '"0", "1"' } },
        '304 etag: W/"1"',
        '',
      ],
      [
        "GET Book('9783405516444')?$select=Title",
        { headers: { 'if-none-match': 'W/"2"' } },
        '200 etag: W/"1"',
        `{"@odata.context":"~/$metadata#Book(Title)/$entity","@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783405516444')","@odata.etag":"W/\\"1\\"","Title":"Northern Days"}`,
      ],
      [
        'GET Author(5)?$select=Id',
        { headers: { 'if-none-match': 'W/"2"' } },
        '200',
        '{"@odata.context":"~/$metadata#Author(Id)/$entity","Id":5}',
      ],
      [
        "PATCH Book('9783405516444')",
        { body: '{"Title":"T"}', headers: { 'if-match': 'W/"7"' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-Match: the entity has changed in the meantime: read it again."}}',
      ],
      [
        "PATCH Book('9783405516444')",
        { body: '{"Title":"T"}', headers: { 'if-match': 'W/"1"' } },
        '204 etag: W/"2"',
        '',
      ],
      [
        "PATCH Book('9783405516444')",
        { body: '{"Title":"T"}', headers: { 'if-match': 'W/"1"' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-Match: the entity has changed in the meantime: read it again."}}',
      ],
      [
        "PATCH Book('9783405516444')",
        { body: '{"Title":"T"}', headers: { 'if-match': '*' } },
        '204 etag: W/"3"',
        '',
      ],
      [
        "PATCH Book('9783405516444')",
        { body: '{"Title":"T"}', headers: { 'if-none-match': '*' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-None-Match: expected no entity here, found one."}}',
      ],
      [
        "PUT ReadingList('summer')",
        { body: '{"Title":"T"}', headers: { 'if-none-match': '*' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-None-Match: expected no entity here, found one."}}',
      ],
      [
        "PUT ReadingList('summer')",
        { body: '{"Title":"T"}', headers: { 'if-none-match': '"other"' } },
        '428',
        '{"error":{"code":"PreconditionRequired","message":"If-Match: expected the ETag of the entity, found none."}}',
      ],
      [
        "PUT Book('9783405516444')/Title",
        { body: '{"value":"T"}', headers: { 'if-match': 'W/"1"' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-Match: the entity has changed in the meantime: read it again."}}',
      ],
      [
        "DELETE Book('9783405516444')",
        { headers: { 'if-match': 'W/"1"' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-Match: the entity has changed in the meantime: read it again."}}',
      ],
      [
        'PATCH Author(5)',
        { body: '{"LastName":"T"}', headers: { 'if-match': 'W/"1"' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-Match: the entity has changed in the meantime: read it again."}}',
      ],
      [
        'PATCH Author(99)',
        { body: '{"LastName":"T"}', headers: { 'if-match': '*' } },
        '404',
        '{"error":{"code":"NotFound","message":"There is no Author(99)."}}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe('what the upstream refuses', () => {
    it.each<Case>([
      [
        'DELETE Author(1)',
        {},
        '409',
        '{"error":{"code":"Conflict","message":"This conflicts with what already exists: it may have changed in the meantime, or the key may be taken."}}',
      ],
      [
        'PATCH Author(1)',
        { body: '{"Languages":["english"]}' },
        '400',
        '{"error":{"code":"BadRequest","message":"Languages/0: expected text that matches ^[a-z]{2}$, found other text.","target":"Languages/0"}}',
      ],
      [
        "PATCH Book('9783405516444')",
        { body: '{"AuthorId":99}' },
        '422',
        '{"error":{"code":"UnprocessableContent","message":"The upstream service rejected these values: one of them may be missing or not allowed."}}',
      ],
      [
        'POST Book',
        {
          body: '{"ISBN":"9783405516444","Medium":"print","Title":"T","AuthorId":1,"Genre":"novel","Price":1,"Pages":3}',
        },
        '409',
        '{"error":{"code":"Conflict","message":"This conflicts with what already exists: it may have changed in the meantime, or the key may be taken."}}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });
});
