import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

/** Lists whose parameters nothing but a caller's filter can give. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Spaces, version: 1.0.0 }
paths:
  /spaces/{space_id}/agents:
    get:
      operationId: agents
      parameters: [{ name: space_id, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Agent" } } } } } }
    post:
      operationId: createAgent
      parameters: [{ name: space_id, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/NewAgent" } } } }
      responses: { "201": { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Agent" } } } } }
  /spaces/{space_id}/agents/{agent_id}:
    parameters:
      - { name: space_id, in: path, required: true, schema: { type: string } }
      - { name: agent_id, in: path, required: true, schema: { type: integer, format: int32 } }
    get:
      operationId: agent
      responses: { "200": { description: OK, content: { application/json: { schema: { $ref: "#/components/schemas/Agent" } } } } }
    patch:
      operationId: changeAgent
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/NewAgent" } } } }
      responses: { "200": { description: OK, content: { application/json: { schema: { $ref: "#/components/schemas/Agent" } } } } }
    delete: { operationId: deleteAgent, responses: { "204": { description: Gone } } }
  /spaces/{space_id}/agents/{agent_id}/notes:
    get:
      operationId: notes
      parameters:
        - { name: space_id, in: path, required: true, schema: { type: string } }
        - { name: agent_id, in: path, required: true, schema: { type: integer, format: int32 } }
      responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } } }
  /found:
    get:
      operationId: found
      parameters:
        - { name: word, in: query, required: true, schema: { type: string } }
        - { name: kind, in: query, required: true, schema: { type: string, enum: [near, far] } }
      responses: { "200": { description: OK, content: { application/json: { schema: { type: object, properties: { results: { type: array, items: { $ref: "#/components/schemas/Hit" } }, total: { type: integer } } } } } } }
components:
  schemas:
    Agent: { type: object, properties: { id: { type: integer, format: int32 }, name: { type: string } } }
    NewAgent: { type: object, required: [name], properties: { name: { type: string } } }
    Note: { type: object, properties: { id: { type: integer, format: int32 }, text: { type: string } } }
    Hit: { type: object, properties: { id: { type: string }, score: { type: number } } }
`;

const ANSWERS = {
  'GET /spaces/a/agents': [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Ben' },
  ],
  'GET /spaces/b/agents': [{ id: 1, name: 'Cleo' }],
  'GET /spaces/a/agents/2': { id: 2, name: 'Ben' },
  'GET /spaces/a/agents/2/notes': [{ id: 7, text: 'Hello' }],
  'GET /found?word=x&kind=far': { results: [{ id: 'h', score: 0.5 }], total: 1 },
};

const ADA = { SpaceId: 'a', Id: 1, Name: 'Ada' };
const BEN = { SpaceId: 'a', Id: 2, Name: 'Ben' };
const CLEO = { SpaceId: 'b', Id: 1, Name: 'Cleo' };

describe('a set whose list has parameters of its own', () => {
  it.each([
    ["SpacesAgents?$filter=SpaceId eq 'a'", { value: [ADA, BEN] }],
    ["SpacesAgents?$filter='a' eq SpaceId and Id gt 1", { value: [BEN] }],
    ["SpacesAgents?$filter=SpaceId in ('a','b')&$orderby=Name desc", { value: [CLEO, BEN, ADA] }],
    ["SpacesAgents?$filter=SpaceId eq @s&@s='b'", { value: [CLEO] }],
    [
      "SpacesAgents?$filter=SpaceId eq 'a'&$select=Name&$count=true&$top=1",
      { '@odata.count': 2, value: [{ '@odata.id': "SpacesAgents(SpaceId='a',Id=1)", Name: 'Ada' }] },
    ],
    [
      "SpacesAgents/$filter(SpaceId eq 'a')?$select=Id",
      {
        value: [1, 2].map((id) => ({ '@odata.id': `SpacesAgents(SpaceId='a',Id=${id})`, Id: id })),
      },
    ],
    [
      "SpacesAgents?$apply=filter(SpaceId eq 'a')/aggregate($count as N)",
      { value: [{ '@odata.id': null, 'N@odata.type': '#Decimal', N: 2 }] },
    ],
    ["SpacesAgents(SpaceId='a',Id=2)", BEN],
    ["SpacesAgents(SpaceId='a',Id=2)/Notes", { value: [{ Id: 7, Text: 'Hello' }] }],
    ["SpacesAgents(SpaceId='a',Id=2)/SpaceId", { value: 'a' }],
    [
      "Found?$filter=Word eq 'x' and Kind eq 'far'",
      { value: [{ Word: 'x', Kind: 'far', Id: 'h', Score: 0.5 }] },
    ],
    ["Found(Word='x',Kind='far',Id='h')", { Word: 'x', Kind: 'far', Id: 'h', Score: 0.5 }],
  ])('answers %s', async (path, expected) => {
    const { ask } = await serveDocument(DOCUMENT, ANSWERS);
    const [status, body] = await ask(path);
    expect([status, body]).toEqual([200, expected]);
  });

  it.each([
    ['SpacesAgents', "SpacesAgents: expected a $filter that fixes SpaceId, such as $filter=SpaceId eq 'x'"],
    [
      "SpacesAgents?$filter=SpaceId ne 'a'",
      "SpacesAgents: expected a $filter that fixes SpaceId, such as $filter=SpaceId eq 'x'",
    ],
    [
      `SpacesAgents?$filter=SpaceId in (${Array.from({ length: 101 }, (_, index) => `'${index}'`).join()})`,
      '$filter: expected at most 100 combinations of values for the properties that it must fix',
    ],
    [
      "SpacesAgents?$filter=SpaceId eq 'a' or Id eq 1",
      "SpacesAgents: expected a $filter that fixes SpaceId, such as $filter=SpaceId eq 'x'",
    ],
    [
      'SpacesAgents?$filter=SpaceId eq Name',
      "SpacesAgents: expected a $filter that fixes SpaceId, such as $filter=SpaceId eq 'x'",
    ],
    [
      'SpacesAgents/$count',
      "SpacesAgents: expected a $filter that fixes SpaceId, such as $filter=SpaceId eq 'x'",
    ],
    [
      'Found?$top=1',
      "Found: expected a $filter that fixes Word and Kind, such as $filter=Word eq 'x' and Kind eq 'x'",
    ],
    ["Found?$filter=Word eq 'x' and Kind eq 'off'", '$filter: expected Kind to be one of near, far'],
  ])('refuses %s and calls nothing', async (path, message) => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    const [status, body] = await ask(path);
    expect([status, body, lastSent()]).toEqual([
      400,
      { error: { code: 'BadRequest', message, target: '$filter' } },
      undefined,
    ]);
  });

  it('creates one where its properties say, which its body does not have', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, {
      'POST /spaces/a/agents': { id: 3, name: 'Dan' },
    });
    const answer = await ask('SpacesAgents', 'POST', { SpaceId: 'a', Name: 'Dan' });
    expect(answer).toEqual([201, { SpaceId: 'a', Id: 3, Name: 'Dan' }]);
    expect(lastSent()).toBe('POST /spaces/a/agents {"name":"Dan"}');
  });

  it('creates one by GraphQL', async () => {
    const { query, lastSent } = await serveDocument(DOCUMENT, {
      'POST /spaces/a/agents': { id: 3, name: 'Dan' },
    });
    const text = 'mutation { createSpaceAgent(input: { spaceId: "a", name: "Dan" }) { spaceId id } }';
    expect(await query(text)).toEqual({ data: { createSpaceAgent: { spaceId: 'a', id: '3' } } });
    expect(lastSent()).toBe('POST /spaces/a/agents {"name":"Dan"}');
  });

  it('refuses a create that does not say where, and calls nothing', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    const message = 'SpaceId: expected a value, found none: it says where the entity is created';
    expect([...(await ask('SpacesAgents', 'POST', { Name: 'Dan' })), lastSent()]).toEqual([
      400,
      { error: { code: 'BadRequest', message, target: 'SpaceId' } },
      undefined,
    ]);
  });

  it('changes one by its key', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, {
      ...ANSWERS,
      'PATCH /spaces/a/agents/2': { id: 2, name: 'Bob' },
    });
    expect(await ask("SpacesAgents(SpaceId='a',Id=2)", 'PATCH', { Name: 'Bob' })).toEqual([204]);
    expect(lastSent()).toBe('PATCH /spaces/a/agents/2 {"name":"Bob"}');
  });

  it('deletes one by its key', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, {
      ...ANSWERS,
      'DELETE /spaces/a/agents/2': undefined,
    });
    await ask("SpacesAgents(SpaceId='a',Id=2)", 'DELETE');
    expect(lastSent()).toBe('DELETE /spaces/a/agents/2');
  });

  it('says on the landing page what a program must fix', async () => {
    const { json } = await serveDocument(DOCUMENT);
    const { entitySets } = (await json('/')) as { entitySets: readonly Record<string, unknown>[] };
    expect(entitySets.map(({ name, connection }) => [name, connection])).toEqual([
      ['Found', { entitySets: ['Found'], filteredBy: ['Word', 'Kind'] }],
      ['SpacesAgents', { entitySets: ['SpacesAgents'], filteredBy: ['SpaceId'] }],
    ]);
  });

  it('says in $metadata what a filter must fix (Capabilities.FilterRestrictions)', async () => {
    const { gateway } = await serveDocument(DOCUMENT);
    const url = `${gateway.url}/odata/$metadata?$format=application/json`;
    const { Test } = (await (await fetch(url, { headers: { 'odata-maxversion': '4.01' } })).json()) as {
      Test: { Container: Record<string, Record<string, unknown>> };
    };
    const { SpacesAgents, Found } = Test.Container;
    expect(SpacesAgents?.['@Capabilities.InsertRestrictions']).toEqual({
      NonInsertableNavigationProperties: ['Notes'],
      NonInsertableProperties: ['Id'],
      RequiredProperties: ['SpaceId', 'Name'],
    });
    const restrictions = '@Capabilities.FilterRestrictions';
    expect([SpacesAgents, Found].map((set) => set?.[restrictions])).toEqual([
      { RequiresFilter: true, RequiredProperties: ['SpaceId'] },
      { RequiresFilter: true, RequiredProperties: ['Word', 'Kind'] },
    ]);
  });
});
