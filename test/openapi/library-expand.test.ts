import { describe, expect, it } from 'vitest';
import { type Sent, useLibrary } from './library-gateway.ts';

const { answer } = useLibrary();

/** The call, what is sent with it, the status with what is unusual of the header, and the body. */
type Case = readonly [string, Sent, string, string];

describe('related entities within others (Part 1, 11.2.5.2)', () => {
  it.each<Case>([
    [
      'GET Author(1)?$expand=Books($select=Title;$top=1)&$select=Id',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Author(Id,Books(Title))/$entity","Id":1,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}]}`,
    ],
    [
      'GET Author?$expand=Books($select=Title;$top=1;$count=true)&$select=Id&$top=2',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Author(Id,Books(Title))","value":[{"Id":1,"Books@odata.count":5,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}]},{"Id":2,"Books@odata.count":5,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783401379111')","@odata.etag":"W/\\"1\\"","Title":"A Orchard in Platform Nine"}]}]}`,
    ],
    [
      "GET Author?$expand=Books($filter=Genre eq 'novel';$select=Title)&$select=Id&$top=2",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Author(Id,Books(Title))","value":[{"Id":1,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}]},{"Id":2,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783417928433')","@odata.etag":"W/\\"1\\"","Title":"My Paper Lighthouse"}]}]}`,
    ],
    [
      'GET Author?$expand=Books($orderby=Title desc;$skip=1;$top=1;$select=Title)&$select=Id&$top=1',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Author(Id,Books(Title))","value":[{"Id":1,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783433098646')","@odata.etag":"W/\\"1\\"","Title":"The Lighthouse of the Glass Hill"}]}]}`,
    ],
    [
      'GET Author?$expand=Books/$count&$select=Id&$top=2',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":1,"Books@odata.count":5},{"Id":2,"Books@odata.count":5}]}',
    ],
    [
      "GET Author?$expand=Books/$count($filter=Genre eq 'novel')&$select=Id&$top=2",
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":1,"Books@odata.count":1},{"Id":2,"Books@odata.count":1}]}',
    ],
    [
      'GET Author?$expand=Books/$ref($top=2)&$select=Id&$top=1',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Author(Id)","value":[{"Id":1,"Books":[{"@odata.id":"Book('9783400000009')"},{"@odata.id":"Book('9783416549325')"}]}]}`,
    ],
    [
      'GET Author?$expand=Books&$select=Id&$filter=Id eq 99',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Author(Id)","value":[]}',
    ],
    [
      'GET Book?$expand=Author($select=Id)&$select=ISBN&$top=2',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Book(ISBN,Author(Id))","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009","Author":{"Id":1}},{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783401379111","Author":{"Id":2}}]}',
    ],
    [
      'GET Book?$expand=Author($expand=Books($select=ISBN;$top=1);$select=Id)&$select=ISBN&$top=1',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Book(ISBN,Author(Id,Books(ISBN)))","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009","Author":{"Id":1,"Books":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009"}]}}]}',
    ],
    [
      'GET Book?$expand=Author($select=Id)&$select=ISBN&$top=1',
      { headers: { 'odata-maxversion': '4.01' } },
      '200 content-type: application/json;metadata=minimal odata-version: 4.01',
      '{"@context":"~/$metadata#Book(ISBN,Author(Id))","value":[{"@type":"#Library.PrintedBook","@etag":"W/\\"1\\"","ISBN":"9783400000009","Author":{"Id":1}}]}',
    ],
    [
      'GET Book?$expand=Author($select=Id)&$select=ISBN&$top=1',
      { headers: { accept: 'application/json;odata.metadata=none' } },
      '200 content-type: application/json;odata.metadata=none',
      '{"value":[{"ISBN":"9783400000009","Author":{"Id":1}}]}',
    ],
    [
      'GET Book?$expand=Reviews($select=Number)&$select=ISBN&$top=3',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Book(ISBN,Reviews(Number))","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009","Reviews":[]},{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783401379111","Reviews":[{"Number":1}]},{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783402758229","Reviews":[{"Number":1},{"Number":2}]}]}',
    ],
    [
      "GET Book('9783401379111')/Reviews(1)?$expand=Nope",
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a navigation property of Library.Review, found \\"Nope\\" at position 0","target":"$expand"}}',
    ],
    [
      'GET Loan?$expand=Member($select=LastName),Copy($expand=Book($select=Title);$select=Shelf)&$select=Id&$top=1',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Loan(Id,Member(LastName),Copy(Shelf,Book(Title)))","value":[{"Id":1,"Member":{"@odata.id":"Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)","LastName":"Bolling"},"Copy":{"@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","Shelf":"A-10","Book":{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}}}]}`,
    ],
    [
      'GET Loan(1)/Copy?$expand=Book($select=Title)&$select=CopyNumber',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(CopyNumber,Book(Title))/$entity","@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","CopyNumber":1,"Book":{"@odata.type":"#Library.PrintedBook","@odata.id":"Book('9783400000009')","@odata.etag":"W/\\"1\\"","Title":"The Crooked Ferry"}}`,
    ],
    [
      'GET Author(1)/Books?$expand=Copies($select=CopyNumber)&$select=ISBN&$top=1',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Book(ISBN,Copies(CopyNumber))","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009","Copies":[{"@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","CopyNumber":1}]}]}`,
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('type casts and *', () => {
  it.each<Case>([
    [
      'GET Book?$expand=Library.AudioBook/Author($select=Id)&$select=ISBN&$skip=4&$top=2',
      {},
      '200',
      '{"@odata.context":"~/$metadata#Book(ISBN,Library.AudioBook/Author(Id))","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783405516444"},{"@odata.type":"#Library.AudioBook","@odata.etag":"W/\\"1\\"","ISBN":"9783406895555","Author":{"Id":6}}]}',
    ],
    [
      'GET Author?$expand=Books/Library.AudioBook($select=Narrator;$top=1)&$select=Id&$skip=4&$top=2',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Author(Id,Books/Library.AudioBook(Narrator))","value":[{"Id":5,"Books":[]},{"Id":6,"Books":[{"@odata.id":"Book('9783406895555')","@odata.etag":"W/\\"1\\"","Narrator":"Joris Moravec"}]}]}`,
    ],
    [
      'GET Book?$expand=*/$ref,Author($select=Id)&$select=ISBN&$top=1',
      {},
      '200',
      `{"@odata.context":"~/$metadata#Book(ISBN,Author(Id))","value":[{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009","Author":{"Id":1},"Reviews":[],"Copies":[{"@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)"}]}]}`,
    ],
    [
      'GET Book?$expand=Author/$count',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a collection before /$count, found \\"Author\\" at position 0","target":"$expand"}}',
    ],
    [
      "GET Copy(ISBN='9783400000009',CopyNumber=1)?$expand=*($levels=1)&$select=CopyNumber",
      {},
      '200',
      `{"@odata.context":"~/$metadata#Copy(CopyNumber)/$entity","@odata.id":"Copy(ISBN='9783400000009',CopyNumber=1)","CopyNumber":1,"Book":{"@odata.type":"#Library.PrintedBook","@odata.etag":"W/\\"1\\"","ISBN":"9783400000009","Medium":"print","Title":"The Crooked Ferry","Subtitle":null,"AuthorId":1,"Genre":"novel","Published":"1968-03-01","Price":8.9,"Keywords":["clocks","bread"],"Details":{"Publisher":"Blauwe Brug","edition":"1"},"Version":1,"ChangedAt":"2026-01-02T09:10:00Z","Pages":96}}`,
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});

describe('mistakes', () => {
  it.each<Case>([
    [
      'GET Book?$expand=Author,Author',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected each navigation property once, found \\"Author\\" twice at position 7","target":"$expand"}}',
    ],
    [
      'GET Book?$expand=Nope',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a navigation property of Library.Book, found \\"Nope\\" at position 0","target":"$expand"}}',
    ],
    [
      'GET Book?$expand=Title',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a navigation property of Library.Book, found \\"Title\\" at position 0","target":"$expand"}}',
    ],
    [
      'GET Book?$expand=Author($top=1)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$top does not apply to the single-valued \\"Author\\" in $expand","target":"$top"}}',
    ],
    [
      'GET Book?$expand=Author($select=Nope)',
      {},
      '400',
      `{"error":{"code":"BadRequest","message":"$select: expected a property of Library.Author, found 'Nope' at position 15","target":"$select"}}`,
    ],
    [
      'GET Book?$expand=Author($expand=Nope)',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a navigation property of Library.Author, found \\"Nope\\" at position 15","target":"$expand"}}',
    ],
    [
      'GET Book?$expand=Author/Library.Book',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a type derived from Library.Author, found \\"Library.Book\\" at position 7","target":"$expand"}}',
    ],
    [
      'GET Book?$expand=Library.Author/Books',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a navigation property of Library.Book, found \\"Library.Author\\" at position 0","target":"$expand"}}',
    ],
    [
      'GET Loan?$expand=Copy/Book',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand: expected a type derived from Library.Copy, found \\"Book\\" (write Copy($expand=Book)) at position 5","target":"$expand"}}',
    ],
    ['GET Author/$count?$expand=Books', {}, '200 content-type: text/plain', '12'],
    [
      'GET Author/$ref?$expand=Books',
      {},
      '400',
      '{"error":{"code":"BadRequest","message":"$expand does not apply to /$ref","target":"$expand"}}',
    ],
  ])('%s %o', async (call, sent, head, body) => {
    expect(await answer(call, sent)).toEqual([head, body]);
  });
});
