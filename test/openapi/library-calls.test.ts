import { describe, expect, it } from 'vitest';
import { type Sent, useLibrary } from './library-gateway.ts';

const { answer } = useLibrary();

/** The call, what is sent with it, the status with what is unusual of the header, and the body. */
type Case = readonly [string, Sent, string, string];

// What a case changes stays changed for those after it.
describe('calls of the library', { shuffle: false }, () => {
  describe('functions (Part 1, 11.5.4)', () => {
    it.each<Case>([
      [
        "GET Book('9783400000009')/Library.GetAvailability()",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Library.Availability","Copies":1,"Available":1,"NextDue":null}',
      ],
      [
        "GET Book('9783400000009')/GetAvailability",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Library.Availability","Copies":1,"Available":1,"NextDue":null}',
      ],
      [
        "GET Book('9783400000009')/GetAvailability()/Available",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Edm.Int32","value":1}',
      ],
      [
        "GET Book('9783400000009')/GetAvailability()/Available/$value",
        {},
        '200 content-type: text/plain',
        '1',
      ],
      ["GET Book('9783400000009')/GetAvailability()/NextDue", {}, '204', ''],
      [
        "GET Book('9783400000009')/GetAvailability()?$select=Copies",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Library.Availability(Copies)","Copies":1}',
      ],
      [
        "GET Book('9783400000009')/GetAvailability()/Nope",
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no resource \\"Nope\\" here."}}',
      ],
      [
        "GET Book('nope')/GetAvailability()",
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no such resource."}}',
      ],
      [
        'GET Book/GetAvailability()',
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no resource \\"GetAvailability\\" here."}}',
      ],
      [
        "GET Author(1)/Books('9783400000009')/GetAvailability()/Copies",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Edm.Int32","value":1}',
      ],
      [
        'GET Loan(1)/Copy/Book/GetAvailability()/Copies',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Edm.Int32","value":1}',
      ],
      [
        'GET Loan/Library.DueBy(Date=2026-05-11)?$select=Id',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id)","value":[{"Id":97},{"Id":98}]}',
      ],
      ['GET Loan/DueBy(Date=2026-05-11)/$count', {}, '200 content-type: text/plain', '2'],
      [
        'GET Loan/DueBy(Date=2026-05-11)/$ref',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection($ref)","value":[{"@odata.id":"Loan(97)"},{"@odata.id":"Loan(98)"}]}',
      ],
      [
        'GET Loan/DueBy(Date=2026-05-11)(97)?$select=Id',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id)/$entity","Id":97}',
      ],
      [
        'GET Loan/DueBy(Date=2026-05-11)/97/DueDate',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(97)/DueDate","value":"2026-05-10"}',
      ],
      [
        'GET Loan/DueBy(Date=2026-05-11)(1)',
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no Loan/DueBy(Date=2026-05-11)(1)."}}',
      ],
      [
        'GET Loan/DueBy(Date=2026-05-11)(97)/Member/LastName',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan/DueBy(Date=2026-05-11)(97)/Member/LastName","value":"Hooft"}',
      ],
      [
        'GET Loan/DueBy(Date=@d)?@d=2026-05-12&$filter=Id eq 98&$select=Id',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id)","value":[{"Id":98}]}',
      ],
      [
        'GET Loan/DueBy?Date=2026-05-11&$select=Id',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id)","value":[{"Id":97},{"Id":98}]}',
      ],
      [
        "GET Loan/DueBy(Date='2026-05-10')?$select=Id",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id)","value":[{"Id":97}]}',
      ],
      [
        'GET Loan/DueBy(Date=2026-05-10)?$select=Id&$expand=Member($select=LastName)',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id,Member(LastName))","value":[{"Id":97,"Member":{"@odata.id":"Member(de2d4944-4932-5371-8145-27376c31a56a)","LastName":"Hooft"}}]}',
      ],
      [
        'GET Loan/DueBy(Date=5)',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"Parameter Date: expected a value of Edm.Date, found 5."}}',
      ],
      [
        'GET Loan/DueBy(Date=null)',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"Parameter Date: expected a value of Edm.Date, found null."}}',
      ],
      [
        'GET Loan/DueBy()',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"DueBy: expected the parameters Date, each by its name."}}',
      ],
      [
        'GET Loan/DueBy(Nope=1)',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"DueBy: expected the parameters Date, each by its name."}}',
      ],
      [
        'GET Loan(97)/DueBy(Date=2026-05-10)',
        {},
        '404',
        '{"error":{"code":"NotFound","message":"There is no resource \\"DueBy\\" here."}}',
      ],
      [
        'POST Loan/DueBy(Date=2026-05-10)',
        { body: '{}' },
        '405 allow: GET, HEAD, OPTIONS',
        '{"error":{"code":"MethodNotAllowed","message":"POST is not allowed here; allowed: GET, HEAD, OPTIONS."}}',
      ],
      [
        "GET LendingStatistics(From=2026-01-01,To=2026-02-01,Genre='novel')",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":2,"Fines":0.4}]}',
      ],
      [
        "GET LendingStatistics(From=2026-01-01,To=@t,Genre=Library.Genre'novel')?@t=2026-02-01",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":2,"Fines":0.4}]}',
      ],
      [
        "GET LendingStatistics(From=2026-01-01,To=null,Genre='novel')",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":18,"Fines":3}]}',
      ],
      [
        'GET LendingStatistics?From=2026-01-01&To=2026-02-01&Genre=novel',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":2,"Fines":0.4}]}',
      ],
      [
        "GET LendingStatistics?From=2026-01-01&To=2026-02-01&Genre='novel'",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":2,"Fines":0.4}]}',
      ],
      [
        "GET LendingStatistics?From=2026-01-01&To=null&Genre=Library.Genre'novel'",
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":18,"Fines":3}]}',
      ],
      [
        "GET LendingStatistics?From='2026",
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"Parameter From: expected a value of Edm.Date, found \'\'2026\'."}}',
      ],
      // An implicit alias has no parentheses before it (Part 1, 11.5.4.1.1).
      [
        'GET LendingStatistics?@From=2026-01-01&@To=2026-02-01&@Genre=Library.Genre%27novel%27',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)","value":[{"Genre":"novel","Loans":2,"Fines":0.4}]}',
      ],
      ...['From=2026-01-01&From=2026-01-02', 'From=2026-01-01&@From=2026-01-01'].map(
        (twice) =>
          [
            `GET LendingStatistics?${twice}`,
            {},
            '400',
            '{"error":{"code":"BadRequest","message":"From: expected to be given once, found it twice","target":"From"}}',
          ] as const,
      ),
      ['GET LendingStatistics/$count?From=2026-01-01&x=1&x=2', {}, '200 content-type: text/plain', '6'],
      [
        'GET LendingStatistics()?From=2026-01-01',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"LendingStatistics: expected the parameters From, To?, Genre?, each by its name."}}',
      ],
      ['GET LendingStatistics(From=2026-01-01)/$count', {}, '200 content-type: text/plain', '6'],
      [
        'GET LendingStatistics(From=2026-01-01)/$count?$filter=Loans gt 20',
        {},
        '200 content-type: text/plain',
        '2',
      ],
      [
        'GET LendingStatistics(From=2026-01-01)?$filter=Loans gt 20&$orderby=Fines&$select=Genre,Fines&$count=true',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Collection(Library.GenreLending)(Genre,Fines)","@odata.count":2,"value":[{"Genre":"science_fiction","Fines":1.4},{"Genre":"travel","Fines":3.2}]}',
      ],
      [
        "GET LendingStatistics(From=2026-01-01,Genre='x')",
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"Parameter Genre: expected a value of Genre, found \'x\'."}}',
      ],
      [
        'GET LendingStatistics(To=2026-01-01)',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"LendingStatistics: expected the parameters From, To?, Genre?, each by its name."}}',
      ],
      [
        'GET LendingStatistics',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"LendingStatistics: expected the parameters From, To?, Genre?, each by its name."}}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });

  describe('actions (Part 1, 11.5.5)', () => {
    it.each<Case>([
      [
        'POST SendReminders',
        { body: '{"DueBy":"2026-05-11"}' },
        '200',
        '{"@odata.context":"~/$metadata#Library.Reminders","Sent":2,"Members":["de2d4944-4932-5371-8145-27376c31a56a","991eae32-a18a-5e2a-80e8-64cb2472a322"]}',
      ],
      [
        'POST SendReminders',
        { body: '{"DueBy":"2026-05-11","Channels":"Email,Letter"}' },
        '200',
        '{"@odata.context":"~/$metadata#Library.Reminders","Sent":2,"Members":["de2d4944-4932-5371-8145-27376c31a56a","991eae32-a18a-5e2a-80e8-64cb2472a322"]}',
      ],
      [
        'POST SendReminders?$select=Sent',
        { body: '{"DueBy":"2026-05-11"}' },
        '200',
        '{"@odata.context":"~/$metadata#Library.Reminders(Sent)","Sent":2}',
      ],
      [
        'POST SendReminders',
        { body: '{"DueBy":"2026-05-11"}', headers: { prefer: 'return=minimal' } },
        '204 preference-applied: return=minimal',
        '',
      ],
      [
        'POST SendReminders',
        { body: '{"DueBy":"2026-05-11"}', headers: { 'odata-maxversion': '4.01' } },
        '200 content-type: application/json;metadata=minimal odata-version: 4.01',
        '{"@context":"~/$metadata#Library.Reminders","Sent":2,"Members":["de2d4944-4932-5371-8145-27376c31a56a","991eae32-a18a-5e2a-80e8-64cb2472a322"]}',
      ],
      [
        'POST SendReminders',
        { body: '{"DueBy":5,"Channels":"Pigeon","Nope":1}' },
        '400',
        '{"error":{"code":"BadRequest","message":"Nope: expected the name of a parameter, found none of them.","target":"Nope","details":[{"code":"BadRequest","message":"DueBy: expected Edm.Date, found a number.","target":"DueBy"},{"code":"BadRequest","message":"Channels: expected a member of Channels, found \\"Pigeon\\".","target":"Channels"}]}}',
      ],
      [
        'POST SendReminders',
        { body: '[]' },
        '400',
        '{"error":{"code":"BadRequest","message":"Body: expected a JSON object, found an array."}}',
      ],
      [
        'POST SendReminders',
        { body: '{' },
        '400',
        '{"error":{"code":"BadRequest","message":"Body: expected a JSON object, found malformed JSON at line 1, column 2."}}',
      ],
      [
        'POST SendReminders',
        { body: '<x/>', headers: { 'content-type': 'application/xml' } },
        '415',
        '{"error":{"code":"UnsupportedMediaType","message":"Content-Type: expected application/json in UTF-8.","target":"Content-Type"}}',
      ],
      [
        'POST SendReminders',
        {},
        '400',
        '{"error":{"code":"BadRequest","message":"DueBy: expected a value, found none.","target":"DueBy"}}',
      ],
      [
        'POST SendReminders?$filter=Sent eq 1',
        { body: '{"DueBy":"2026-05-11"}' },
        '400',
        '{"error":{"code":"BadRequest","message":"$filter does not apply to a single value","target":"$filter"}}',
      ],
      [
        'POST SendReminders(DueBy=2026-05-11)',
        { body: '{}' },
        '400',
        '{"error":{"code":"BadRequest","message":"SendReminders: expected the parameters DueBy, Channels?, each by its name."}}',
      ],
      [
        'GET SendReminders',
        {},
        '405 allow: POST, OPTIONS',
        '{"error":{"code":"MethodNotAllowed","message":"GET is not allowed here; allowed: POST, OPTIONS."}}',
      ],
      [
        'POST Loan(97)/Library.Return?$select=Id,ReturnedAt,Fine',
        { body: '{"Condition":"good"}' },
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id,ReturnedAt,Fine)/$entity","Id":97,"ReturnedAt":"2026-06-01T12:00:00Z","Fine":4.4}',
      ],
      [
        'POST Loan(98)/Return?$select=Id',
        {},
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id)/$entity","Id":98}',
      ],
      [
        'POST Loan(99)/Return()?$select=Id&$expand=Member($select=LastName)',
        { body: '{}' },
        '200',
        '{"@odata.context":"~/$metadata#Loan(Id,Member(LastName))/$entity","Id":99,"Member":{"@odata.id":"Member(8203f4e3-2c3e-52f6-898d-e1088791dd52)","LastName":"Bolling"}}',
      ],
      [
        'POST Loan(100)/Return',
        { body: '{}', headers: { prefer: 'return=minimal' } },
        '204 preference-applied: return=minimal',
        '',
      ],
      [
        'POST Loan(101)/Return',
        { body: '{"Condition":"broken"}' },
        '400',
        '{"error":{"code":"BadRequest","message":"Condition: expected a member of Condition, found \\"broken\\".","target":"Condition"}}',
      ],
      [
        'POST Loan(101)/Return',
        { body: '{}', headers: { 'if-match': 'W/"1"' } },
        '412',
        '{"error":{"code":"PreconditionFailed","message":"If-Match: the entity has changed in the meantime: read it again."}}',
      ],
      [
        'POST Loan(97)/Return',
        { body: '{}' },
        '409',
        '{"error":{"code":"Conflict","message":"This conflicts with what already exists: it may have changed in the meantime, or the key may be taken."}}',
      ],
      [
        'POST Loan(999)/Return',
        { body: '{}' },
        '404',
        '{"error":{"code":"NotFound","message":"There is no such resource."}}',
      ],
      [
        'POST Loan/Return',
        { body: '{}' },
        '404',
        '{"error":{"code":"NotFound","message":"There is no resource \\"Return\\" here."}}',
      ],
      [
        'POST Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)/Loans(1)/Return',
        { body: '{}' },
        '409',
        '{"error":{"code":"Conflict","message":"This conflicts with what already exists: it may have changed in the meantime, or the key may be taken."}}',
      ],
    ])('%s %o', async (call, sent, head, body) => {
      expect(await answer(call, sent)).toEqual([head, body]);
    });
  });
});
