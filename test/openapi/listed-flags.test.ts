import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from './served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Alarms, version: 1.0.0 }
paths:
  /alarms:
    get:
      operationId: alarms
      responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Alarm" } } } } } }
    post:
      operationId: addAlarm
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Alarm" } } } }
      responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/Alarm" } } } } }
  /alarms/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }]
    get:
      operationId: alarm
      responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Alarm" } } } } }
    patch:
      operationId: changeAlarm
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Alarm" } } } }
      responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Alarm" } } } } }
  /loudest:
    get:
      operationId: loudest
      x-odata: { function: Loudest }
      parameters:
        - { name: via, in: query, required: true, schema: { $ref: "#/components/schemas/Ways" } }
      responses: { "200": { content: { application/json: { schema: { type: string } } } } }
components:
  schemas:
    Ways:
      type: array
      items: { type: string, enum: [e-mail, text, call] }
      x-odata: { enum: Way, flags: true, members: { e-mail: 1, text: 2, Phone: call } }
    Alarm:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int32 }
        ways: { $ref: "#/components/schemas/Ways" }
        days:
          type: array
          default: [sun]
          items: { type: string, enum: [never, sat, sun] }
          x-odata: { enum: Day, flags: true, members: { never: 0, sat: 1, sun: 2 } }
`;

const ALARMS = [
  { id: 1, ways: ['text', 'e-mail'], days: ['sun'] },
  { id: 2, ways: [], days: [] },
  { id: 3, ways: ['call'], days: ['sun', 'sat', 'sun'] },
  { id: 4, ways: null },
];

const sent = (body: object) => body;

let served: ServedDocument;

beforeAll(async () => {
  served = await serveDocument(
    DOCUMENT,
    {
      'GET /alarms': ALARMS,
      'GET /alarms/1': ALARMS[0],
      'GET /loudest?via=e-mail&via=call': '"bell"',
      'POST /alarms': sent,
      'PATCH /alarms/1': sent,
    },
    afterAll,
  );
});

describe('flags as a list of names', () => {
  it('are one value of an enumeration type, with a member for the empty list', async () => {
    expect(await served.csdl('<EnumType')).toEqual([
      '<EnumType Name="Way" IsFlags="true">',
      '<EnumType Name="Day" IsFlags="true">',
    ]);
    expect(await served.csdl('<Member ')).toEqual([
      '<Member Name="None" Value="0"/>',
      '<Member Name="e_mail" Value="1"/>',
      '<Member Name="text" Value="2"/>',
      '<Member Name="Phone" Value="4"/>',
      '<Member Name="never" Value="0"/>',
      '<Member Name="sat" Value="1"/>',
      '<Member Name="sun" Value="2"/>',
    ]);
    expect(await served.csdl('<Property Name="Ways"')).toEqual(['<Property Name="Ways" Type="Test.Way"/>']);
  });

  it('are read in the order of the members', async () => {
    expect(await served.ask('Alarm')).toEqual([
      200,
      {
        value: [
          { Id: 1, Ways: 'e_mail,text', Days: 'sun' },
          { Id: 2, Ways: 'None', Days: 'never' },
          { Id: 3, Ways: 'Phone', Days: 'sat,sun' },
          { Id: 4, Ways: null, Days: null },
        ],
      },
    ]);
  });

  it.each([
    ["$filter=Ways has Test.Way'text'", [1]],
    ["$filter=Ways eq 'text,e_mail'", [1]],
    ["$filter=Ways eq 'None'", [2]],
    ['$filter=Ways eq null', [4]],
    ['$orderby=Ways desc', [3, 1, 2, 4]],
  ])('are compared by their bits: %s', async (options, ids) => {
    const value = ids.map((Id) => ({ Id }));
    expect(await served.ask(`Alarm?$select=Id&${options}`)).toEqual([200, { value }]);
  });

  it.each([
    [{ Ways: 'text,e_mail' }, { ways: ['e-mail', 'text'] }],
    [{ Ways: '6' }, { ways: ['text', 'call'] }],
    [
      { Ways: 'None', Days: 'never' },
      { ways: [], days: ['never'] },
    ],
  ])('are written as a list: %j', async (values, body) => {
    expect((await served.ask('Alarm', 'POST', { Id: 9, ...values }))[0]).toBe(201);
    expect(served.lastSent()).toBe(`POST /alarms ${JSON.stringify({ id: 9, ...body })}`);
    expect((await served.ask('Alarm(1)', 'PATCH', values))[0]).toBe(204);
    expect(served.lastSent()).toBe(`PATCH /alarms/1 ${JSON.stringify(body)}`);
  });

  it('are refused with a name that is no member', async () => {
    const message = 'Ways: expected a member of Way, found "loud".';
    const error = { code: 'BadRequest', message, target: 'Ways' };
    expect(await served.ask('Alarm', 'POST', { Id: 9, Ways: 'loud' })).toEqual([400, { error }]);
  });

  it('are a list in the query of a call', async () => {
    expect(await served.ask("Loudest(Via='Phone,e_mail')")).toEqual([200, { value: '"bell"' }]);
  });

  it.each([
    [
      '{ alarms { ways days } }',
      {
        alarms: [
          { ways: ['e_mail', 'text'], days: ['sun'] },
          { ways: [], days: ['never'] },
          { ways: ['call'], days: ['sat', 'sun'] },
          { ways: null, days: null },
        ],
      },
    ],
    [
      '{ __type(name: "Way") { enumValues { name } } }',
      { __type: { enumValues: [{ name: 'e_mail' }, { name: 'text' }, { name: 'call' }] } },
    ],
    ['{ alarms(where: { ways: { has: [text] } }) { id } }', { alarms: [{ id: '1' }] }],
    ['{ alarms(where: { ways: { eq: [] } }) { id } }', { alarms: [{ id: '2' }] }],
    [
      'mutation { createAlarm(input: { id: 9, ways: [call, text], days: [] }) { ways days } }',
      { createAlarm: { ways: ['text', 'call'], days: ['never'] } },
    ],
    [
      'mutation { createAlarm(input: { id: 9, ways: [] }) { ways days } }',
      { createAlarm: { ways: [], days: ['sun'] } },
    ],
  ])('are lists in GraphQL: %s', async (query, data) => {
    expect(await served.query(query)).toEqual({ data });
  });

  it.each([
    ['loud', 502],
    [7, 502],
  ])('with an item that is no member, %j, are a bad answer of a strict document', async (item, status) => {
    const strict = DOCUMENT.replace('version: 1.0.0 }', 'version: 1.0.0 }\nx-odata: { strict: true }');
    const { ask } = await serveDocument(strict, { 'GET /alarms': [{ id: 1, ways: ['text', item] }] });
    expect((await ask('Alarm'))[0]).toBe(status);
  });

  it('with an item that is no member are null, as other values that do not fit', async () => {
    const { ask } = await serveDocument(DOCUMENT, { 'GET /alarms': [{ id: 1, ways: ['text', 'loud'] }] });
    expect(await ask('Alarm')).toEqual([200, { value: [{ Id: 1, Ways: null, Days: null }] }]);
  });
});
