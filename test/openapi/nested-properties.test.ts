import { beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type ServedDocument, serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const body = (schema: string) => `{ content: { application/json: { schema: ${schema} } } }`;
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const wrapped = (schema: string) => `{ type: object, required: [data], properties: { data: ${schema} } }`;
const list = (schema: string) => `{ type: array, items: ${schema} }`;
const id = '{ name: id, in: path, required: true, schema: { type: string } }';
const name = '{ name: name, in: path, required: true, schema: { type: string } }';

/** Campaigns in the manner of JSON:API. */
const CAMPAIGNS = `
openapi: 3.1.0
info: { title: Campaigns, version: '1' }
x-odata: { strict: true }
paths:
  /campaigns:
    get: { operationId: campaigns, responses: ${answer(wrapped(list(ref('Campaign'))))} }
    post: { operationId: addCampaign, requestBody: ${body(wrapped(ref('NewCampaign')))}, responses: ${answer(wrapped(ref('Campaign')))} }
  /campaigns/{id}:
    parameters: [${id}]
    get: { operationId: campaign, responses: ${answer(wrapped(ref('Campaign')))} }
    patch: { operationId: changeCampaign, requestBody: ${body(wrapped(ref('ChangedCampaign')))}, responses: ${answer(wrapped(ref('Campaign')))} }
components:
  schemas:
    Kind: { type: string, enum: [campaign], x-odata: { enum: false } }
    Campaign:
      type: object
      required: [type, id, attributes]
      properties:
        type: ${ref('Kind')}
        id: { type: string }
        attributes:
          type: object
          required: [name]
          properties: { name: { type: string }, size: { type: integer }, type: { type: string }, where: { type: object, properties: { town: { type: string } } } }
        links: { type: object, properties: { self: { type: string } } }
    NewCampaign:
      type: object
      required: [type, attributes]
      properties: { type: ${ref('Kind')}, attributes: { type: object, required: [name, size], properties: { name: { type: string, maxLength: 5 }, size: { type: integer }, where: { type: object, properties: { town: { type: string } } } } } }
    ChangedCampaign:
      type: object
      required: [type, id, attributes]
      properties: { type: ${ref('Kind')}, id: { type: string }, attributes: { type: object, properties: { name: { type: string }, size: { type: integer } } } }
`;

const CAMPAIGN = (key: string, attributes: object) => ({
  type: 'campaign',
  id: key,
  attributes,
  links: { self: 'x' },
});
const FIRST = CAMPAIGN('a', { name: 'n', size: 1, type: 'mail', where: { town: 't' } });
const SECOND = { type: 'campaign', id: 'b', ATTRIBUTES: { Name: 'm', size: 2 } };

describe('the attributes of resource objects (JSON:API 1.1, 5.2)', () => {
  let served: ServedDocument;
  beforeAll(async () => {
    const echo = ({ data }: { readonly data: { readonly attributes: object } }) => ({
      data: CAMPAIGN('n', data.attributes),
    });
    const answers = {
      'GET /campaigns': { data: [FIRST, SECOND] },
      'GET /campaigns/a': { data: FIRST },
      'POST /campaigns': echo,
      'PATCH /campaigns/a': echo,
    };
    served = await serveDocument(CAMPAIGNS, answers, atEndOfFile);
  });

  it('are properties beside the id', async () => {
    expect(await served.ask('Campaign')).toStrictEqual([
      200,
      {
        value: [
          {
            Type: 'campaign',
            Id: 'a',
            Links: { Self: 'x' },
            Name: 'n',
            Size: 1,
            type: 'mail',
            Where: { Town: 't' },
          },
          { Type: 'campaign', Id: 'b', Links: null, Name: 'm', Size: 2, type: null, Where: null },
        ],
      },
    ]);
    expect(await served.ask("Campaign('a')?$select=Id,Size")).toStrictEqual([200, { Id: 'a', Size: 1 }]);
  });

  it.each([
    ['Campaign?$select=Id,Size&$filter=Size gt 1', [{ Id: 'b', Size: 2 }]],
    ['Campaign?$select=Id&$orderby=Name', [{ Id: 'b' }, { Id: 'a' }]],
    ["Campaign?$select=Id&$filter=Where/Town eq 't'", [{ Id: 'a' }]],
    ['Campaign?$apply=aggregate(Size with sum as Sum)', [{ Sum: 3 }]],
  ])('are queried like others: %s', async (path, value) => {
    expect(await served.ask(path)).toMatchObject([200, { value }]);
  });

  it('are in the metadata as such', async () => {
    const lines = await served.csdl('<Property ');
    expect(lines.filter((line) => !/Self|Town/.test(line))).toStrictEqual([
      '<Property Name="Type" Type="Test.Kind" Nullable="false"/>',
      '<Property Name="Id" Type="Edm.String" Nullable="false"/>',
      '<Property Name="Links" Type="Test.CampaignLinks"/>',
      '<Property Name="Name" Type="Edm.String" Nullable="false"/>',
      '<Property Name="Size" Type="Edm.Int64"/>',
      '<Property Name="type" Type="Edm.String"/>',
      '<Property Name="Where" Type="Test.CampaignWhere"/>',
    ]);
  });

  it('are sent within them, with the type of the resource', async () => {
    const sent = { Name: 'new', Size: 3, Where: { Town: 'u' } };
    expect((await served.ask('Campaign', 'POST', sent))[0]).toBe(201);
    expect(JSON.parse(served.lastSent()?.replace('POST /campaigns ', '') ?? '')).toStrictEqual({
      data: { type: 'campaign', attributes: { name: 'new', size: 3, where: { town: 'u' } } },
    });
  });

  it('are demanded as the body demands them', async () => {
    const [status, json] = await served.ask('Campaign', 'POST', { Name: 'too long' });
    expect([status, JSON.stringify(json)]).toStrictEqual([
      400,
      expect.stringContaining('at most 5 characters'),
    ]);
    expect(JSON.stringify(json)).toContain('Size: expected a value');
  });

  it('are changed with the id and the type of the resource', async () => {
    expect((await served.ask("Campaign('a')", 'PATCH', { Size: 9 }))[0]).toBe(204);
    expect(JSON.parse(served.lastSent()?.replace('PATCH /campaigns/a ', '') ?? '')).toStrictEqual({
      data: { type: 'campaign', id: 'a', attributes: { size: 9 } },
    });
  });

  it('are those of the entity in GraphQL, too', async () => {
    expect(await served.query('{ campaigns { id name size } }')).toStrictEqual({
      data: {
        campaigns: [
          { id: 'a', name: 'n', size: 1 },
          { id: 'b', name: 'm', size: 2 },
        ],
      },
    });
  });
});

/** Pods in the manner of Kubernetes. */
const PODS = `
openapi: 3.1.0
info: { title: Pods, version: '1' }
x-odata: { strict: true }
paths:
  /pods:
    get: { operationId: pods, responses: ${answer(list(ref('Pod')))} }
    post: { operationId: addPod, requestBody: ${body(ref('Pod'))}, responses: ${answer(ref('Pod'))} }
  /pods/{name}:
    parameters: [${name}]
    get: { operationId: pod, responses: ${answer(ref('Pod'))} }
    patch: { operationId: changePod, requestBody: ${body(ref('Pod'))}, responses: ${answer(ref('Pod'))} }
    delete: { operationId: deletePod, responses: { '204': { description: gone } } }
  /pods/{name}/load:
    parameters: [${name}]
    get: { operationId: load, responses: ${answer('{ type: integer }')} }
  /pods/{name}/logs:
    parameters: [${name}]
    get: { operationId: logs, responses: ${answer(list(ref('Log')))} }
  /pods/{name}/logs/{id}:
    parameters: [${name}, ${id}]
    get: { operationId: log, responses: ${answer(ref('Log'))} }
components:
  schemas:
    Pod:
      type: object
      x-odata: { key: metadata/name }
      required: [metadata]
      properties:
        kind: { type: string }
        metadata: { type: object, required: [name], properties: { name: { type: string }, labels: { type: array, items: { type: string } } } }
        phase: { type: string }
    Log: { type: object, properties: { id: { type: string }, text: { type: string } } }
`;

const POD = { kind: 'Pod', metadata: { name: 'web', labels: ['x'] }, phase: 'Up' };
const ROW = { Kind: 'Pod', Metadata: { Name: 'web', Labels: ['x'] }, Phase: 'Up' };

describe('a key within a complex property (CSDL 4.01, 6.5)', () => {
  let served: ServedDocument;
  beforeAll(async () => {
    const answers = {
      'GET /pods': [POD, { metadata: { name: 'a b' }, phase: 'Down' }],
      'GET /pods/web': POD,
      'GET /pods/a%20b': { metadata: { name: 'a b' } },
      'GET /pods/web/load': 3,
      'GET /pods/web/logs': [{ id: '1', text: 't' }],
      'GET /pods/a%20b/logs': [],
      'GET /pods/web/logs/1': { id: '1', text: 't' },
      'POST /pods': (sent: object) => sent,
      'PATCH /pods/web': (sent: object) => ({ ...POD, ...sent }),
    };
    served = await serveDocument(PODS, answers, atEndOfFile);
  });

  it('has an alias in the metadata, and no property of its own', async () => {
    expect(await served.csdl('<PropertyRef')).toStrictEqual([
      '<PropertyRef Name="Metadata/Name" Alias="MetadataName"/>',
      '<PropertyRef Name="Id"/>',
    ]);
    expect((await served.csdl('<Property ')).filter((line) => line.includes('MetadataName'))).toStrictEqual(
      [],
    );
    const json = (await served.json('/odata/$metadata?$format=json')) as {
      readonly Test: { readonly Pod: { readonly $Key: unknown } };
    };
    expect(json.Test.Pod.$Key).toStrictEqual([{ MetadataName: 'Metadata/Name' }]);
    expect(JSON.stringify(json.Test.Pod)).not.toContain('"MetadataName":{');
  });

  it.each([
    ["Pod('web')", 200, ROW],
    ["Pod(MetadataName='web')", 200, ROW],
    ["Pod('a b')/Metadata/Name", 200, { value: 'a b' }],
    ["Pod('web')/Logs", 200, { value: [{ Id: '1', Text: 't' }] }],
    ["Pod('web')/Logs('1')/Text", 200, { value: 't' }],
    ["Pod?$filter=Metadata/Name eq 'web'", 200, { value: [ROW] }],
    [
      'Pod?$select=Metadata&$orderby=Phase desc',
      200,
      { value: [{ Metadata: ROW.Metadata }, { Metadata: { Name: 'a b', Labels: [] } }] },
    ],
    [
      "Pod('web')?$select=Phase&$expand=Logs",
      200,
      { '@odata.id': "Pod('web')", Phase: 'Up', Logs: [{ Id: '1', Text: 't' }] },
    ],
  ])('%s is %i', async (path, status, json) => {
    expect(await served.ask(path)).toStrictEqual([status, json]);
  });

  it.each([
    ["Pod('web')/MetadataName", 404],
    ["Pod?$filter=MetadataName eq 'web'", 400],
    ['Pod?$select=MetadataName', 400],
    ['Pod?$orderby=MetadataName', 400],
    ["Pod(Name='web')", 400],
    ["Pod('none')", 404],
  ])('%s is %i', async (path, status) => {
    expect((await served.ask(path))[0]).toBe(status);
  });

  it('stands in ids, and entities are found by them', async () => {
    const response = await fetch(`${served.gateway.url}/odata/Pod?$select=Phase`, {
      headers: { accept: 'application/json;odata.metadata=full' },
    });
    const { value } = (await response.json()) as {
      readonly value: readonly Readonly<Record<string, string>>[];
    };
    expect(value.map((row) => row['@odata.id'])).toStrictEqual(["Pod('web')", "Pod('a%20b')"]);
    expect(Object.keys(value[0] ?? {})).not.toContain('MetadataName');
    const found = encodeURIComponent(`${served.gateway.url}/odata/Pod('web')`);
    expect(await served.ask(`$entity?$id=${found}`)).toStrictEqual([200, ROW]);
  });

  it.each([
    ['{ pods { __typename } }', { pods: [{ __typename: 'Pod' }, { __typename: 'Pod' }] }],
    ['{ pods { logs { text } } }', { pods: [{ logs: [{ text: 't' }] }, { logs: [] }] }],
    [
      '{ podsConnection { nodes { phase } } }',
      { podsConnection: { nodes: [{ phase: 'Down' }, { phase: 'Up' }] } },
    ],
    ['{ pod(metadataName: "web") { phase } }', { pod: { phase: 'Up' } }],
    ['{ pod(metadataName: "web") { getLoad } }', { pod: { getLoad: 3 } }],
  ])('is no property that GraphQL asks for: %s', async (query, data) => {
    expect(await served.query(query)).toStrictEqual({ data });
  });

  it('is what the cursors of GraphQL are made of', async () => {
    const page = 'nodes { phase } pageInfo { endCursor hasNextPage }';
    const first = (await served.query(`{ podsConnection(first: 1) { ${page} } }`)) as {
      readonly data: { readonly podsConnection: { readonly pageInfo: { readonly endCursor: string } } };
    };
    const { endCursor } = first.data.podsConnection.pageInfo;
    expect(first).toStrictEqual({
      data: { podsConnection: { nodes: [{ phase: 'Down' }], pageInfo: { endCursor, hasNextPage: true } } },
    });
    const rest = `{ podsConnection(first: 1, after: ${JSON.stringify(endCursor)}) { nodes { phase } } }`;
    expect(await served.query(rest)).toStrictEqual({
      data: { podsConnection: { nodes: [{ phase: 'Up' }] } },
    });
  });

  it('is created, changed and deleted by', async () => {
    const created = await fetch(`${served.gateway.url}/odata/Pod`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Metadata: { Name: 'new', Labels: [] }, Phase: 'Up' }),
    });
    expect([created.status, created.headers.get('location')]).toStrictEqual([
      201,
      `${served.gateway.url}/odata/Pod('new')`,
    ]);
    expect(served.lastSent()).toBe('POST /pods {"metadata":{"name":"new","labels":[]},"phase":"Up"}');
    expect((await served.ask("Pod('web')", 'PATCH', { Phase: 'Down' }))[0]).toBe(204);
    expect(served.lastSent()).toBe('PATCH /pods/web {"phase":"Down"}');
    expect((await served.ask('Pod', 'POST', { MetadataName: 'x', Metadata: { Name: 'x' } }))[0]).toBe(400);
    expect((await served.ask("Pod('web')", 'DELETE'))[0]).toBe(404);
    expect(served.lastSent()).toBe('DELETE /pods/web');
  });

  it('that is missing is an error', async () => {
    const other = await serveDocument(PODS, { 'GET /pods': [{ metadata: { labels: [] } }] });
    expect((await other.ask('Pod'))[0]).toBe(502);
  });
});

/** Shifts that each come in an envelope, whose type other objects hold, too. */
const SHIFTS = `
openapi: 3.1.0
info: { title: Shifts, version: '1' }
x-odata: { strict: true }
paths:
  /shifts:
    get: { operationId: shifts, responses: ${answer(list(ref('Answer')))} }
  /shifts/{id}:
    parameters: [${id}]
    get: { operationId: shift, responses: ${answer(ref('Answer'))} }
  /plans:
    get: { operationId: plans, responses: ${answer(list(ref('Plan')))} }
components:
  schemas:
    Answer:
      type: object
      x-odata: { key: work/id }
      properties: { work: ${ref('Work')}, note: { type: string } }
    Plan: { type: object, properties: { title: { type: string }, draft: ${ref('Work')} } }
    Work: { type: object, properties: { id: { type: [string, 'null'] }, hours: { type: integer } } }
`;

describe('a key path that the document lets be null (CSDL 4.01, 6.5)', () => {
  const WORK = { work: { id: 'a', hours: 4 }, note: 'n' };
  const ROW = { Work: { Id: 'a', Hours: 4 }, Note: 'n' };

  it('is not nullable in the metadata, and null outside the key still', async () => {
    const plans = [{ title: 't', draft: { id: null, hours: 2 } }, { title: 'u', draft: {} }, { title: 'v' }];
    const served = await serveDocument(SHIFTS, { 'GET /shifts': [WORK], 'GET /plans': plans });
    expect(await served.csdl('<Property ')).toStrictEqual([
      '<Property Name="Id" Type="Edm.String" Nullable="false"/>',
      '<Property Name="Hours" Type="Edm.Int64"/>',
      '<Property Name="Title" Type="Edm.String"/>',
      '<Property Name="Draft" Type="Test.Work"/>',
      '<Property Name="Work" Type="Test.Work" Nullable="false"/>',
      '<Property Name="Note" Type="Edm.String"/>',
    ]);
    const value = [
      { Title: 't', Draft: { Id: null, Hours: 2 } },
      { Title: 'u', Draft: { Id: null, Hours: null } },
      { Title: 'v', Draft: null },
    ];
    expect(await served.ask('Plans()')).toStrictEqual([200, { value }]);
    expect(await served.ask('Shifts')).toStrictEqual([200, { value: [ROW] }]);
  });

  it.each([
    [{ note: 'n' }, { Work: null, Note: 'n' }],
    [{ work: null }, { Work: null, Note: null }],
    [{ work: { hours: 4 } }, { Work: { Id: null, Hours: 4 }, Note: null }],
    [{ work: { id: null } }, { Work: { Id: null, Hours: null }, Note: null }],
  ])('loses no entity that has none: %j', async (sent, row) => {
    const served = await serveDocument(SHIFTS, { 'GET /shifts': [WORK, sent] });
    expect(await served.ask('Shifts')).toStrictEqual([200, { value: [ROW, row] }]);
    expect(await served.ask('Shifts?$filter=Work/Id eq null')).toStrictEqual([200, { value: [row] }]);
    const { value } = (await served.json('/odata/Shifts?$format=application/json;odata.metadata=full')) as {
      readonly value: readonly Readonly<Record<string, unknown>>[];
    };
    expect(value.map((each) => [each['@odata.id'], each['@odata.readLink']])).toStrictEqual([
      ["Shifts('a')", "Shifts('a')"],
      [null, undefined],
    ]);
  });
});
