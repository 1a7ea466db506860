import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from './served-document.ts';

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, 'generated', `${name}.yaml`), 'utf8');
}

const MONDAY = { date: '2024-01-01', temperatureC: 20, temperatureF: 68, summary: 'Mild' };
const TUESDAY = { ...MONDAY, date: '2024-01-02', summary: null };
const DAYS = { 'GET /WeatherForecast': [MONDAY, TUESDAY, MONDAY] };
const UNNAMED = { Date: '2024-01-01', TemperatureC: 20, TemperatureF: 68, Summary: 'Mild' };

type Answer = { readonly value: readonly { readonly RowId: string }[] };

async function rowsAt({ ask }: ServedDocument, path: string): Promise<Answer['value']> {
  const [, body] = await ask(path);
  return (body as Answer).value;
}

async function idsAt(served: ServedDocument, path: string): Promise<readonly string[]> {
  return (await rowsAt(served, path)).map(({ RowId }) => RowId);
}

describe('rows that nothing tells apart', () => {
  it('are entities whose key is made of their values, equal ones with numbers', async () => {
    const served = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    const rows = await rowsAt(served, 'WeatherForecast');
    const [first, second, third] = rows.map(({ RowId }) => RowId);
    expect([first, second]).toEqual([
      expect.stringMatching(/^[\w-]{22}$/),
      expect.stringMatching(/^[\w-]{22}$/),
    ]);
    expect(second).not.toBe(first);
    expect(third).toBe(`${first}.2`);
    expect(rows[0]).toEqual({ '@odata.id': null, RowId: first, ...UNNAMED });
  });

  it('keep their keys in another order, under options, and at another reading', async () => {
    const [turned, plain] = await Promise.all([
      serveDocument(textOf('swashbuckle-weather'), { 'GET /WeatherForecast': [TUESDAY, MONDAY, MONDAY] }),
      serveDocument(textOf('swashbuckle-weather'), DAYS),
    ]);
    const [a = '', b = '', c = ''] = await idsAt(plain, 'WeatherForecast');
    expect(await idsAt(turned, 'WeatherForecast')).toEqual([b, a, c]);
    expect(await idsAt(plain, 'WeatherForecast?$select=RowId')).toEqual([a, b, c]);
    expect(await idsAt(plain, 'WeatherForecast?$orderby=Date desc&$select=RowId,Date')).toEqual([b, a, c]);
    expect(await idsAt(plain, `WeatherForecast?$filter=RowId eq '${c}'`)).toEqual([c]);
    expect(await idsAt(plain, "WeatherForecast?$filter=Summary eq 'Mild'")).toEqual([a, c]);
    expect(await idsAt(plain, 'WeatherForecast?$skip=2')).toEqual([c]);
    expect(await idsAt(plain, 'WeatherForecast?$skip=1&$top=1')).toEqual([b]);
  });

  it.each(['full', 'minimal', 'none'])('have no URL, and say so with metadata=%s', async (metadata) => {
    const { gateway } = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    const response = await fetch(`${gateway.url}/odata/WeatherForecast?$top=1`, {
      headers: { accept: `application/json;odata.metadata=${metadata}` },
    });
    const { value } = (await response.json()) as { value: object[] };
    expect(value).toEqual([expect.objectContaining({ '@odata.id': null, ...UNNAMED })]);
    const links = Object.keys(value[0] ?? {}).filter((name) => /Link$/.test(name));
    expect(links).toEqual([]);
  });

  it('are read, changed and deleted by no key', async () => {
    const served = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    const [id] = await idsAt(served, 'WeatherForecast');
    const message =
      'WeatherForecast: its entities have no identity, so that no key leads to one; $filter finds them.';
    const refusal = [404, { error: expect.objectContaining({ code: 'NotFound', message }) }];
    expect(await served.ask(`WeatherForecast('${id}')`)).toEqual(refusal);
    expect(await served.ask(`WeatherForecast/${id}`)).toEqual(refusal);
    expect(await served.ask(`WeatherForecast('${id}')`, 'PATCH', { Summary: 'Hot' })).toEqual(refusal);
    expect(await served.ask(`WeatherForecast('${id}')`, 'DELETE')).toEqual(refusal);
    expect((await served.ask('WeatherForecast', 'POST', UNNAMED))[0]).toBe(405);
  });

  it('are announced as that', async () => {
    const { csdl } = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    expect(await csdl('<Annotation Term="Capabilities.IndexableByKey"')).toEqual([
      '<Annotation Term="Capabilities.IndexableByKey" Bool="false"/>',
    ]);
    expect(await csdl('<PropertyRef')).toEqual(['<PropertyRef Name="RowId"/>']);
  });

  it('are grouped, counted and searched as all others', async () => {
    const { ask } = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    expect(
      await ask('WeatherForecast?$apply=groupby((Summary),aggregate($count as Days))&$orderby=Days'),
    ).toEqual([
      200,
      {
        value: [
          { '@odata.id': null, Summary: null, 'Days@odata.type': '#Decimal', Days: 1 },
          { '@odata.id': null, Summary: 'Mild', 'Days@odata.type': '#Decimal', Days: 2 },
        ],
      },
    ]);
    expect(await ask('WeatherForecast?$search=Mild&$count=true&$top=0')).toEqual([
      200,
      { '@odata.count': 2, value: [] },
    ]);
  });

  it('are lists and connections in GraphQL, and no single objects', async () => {
    const { query } = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    const answer = (await query('{ weatherForecasts(order: { date: DESC }, take: 1) { rowId date } }')) as {
      data: { weatherForecasts: object[] };
    };
    expect(answer).toEqual({
      data: { weatherForecasts: [{ rowId: expect.stringMatching(/^[\w-]{22}$/), date: '2024-01-02' }] },
    });
    expect(await query('{ weatherForecast(rowId: "x") { date } }')).toEqual({
      errors: [expect.objectContaining({ message: expect.stringContaining('weatherForecast') })],
    });
  });

  it('are contained in what they are below, and a set over all of that', async () => {
    const id = '11111111-1111-1111-1111-111111111111';
    const served = await serveDocument(textOf('fastapi-pages'), {
      'GET /api/v1/contacts?page=1&size=100': { items: [{ uuid: id, full_name: 'Ann' }], total: 1, page: 1 },
      'GET /api/v1/contacts?size=100': { items: [{ uuid: id, full_name: 'Ann' }], total: 1, page: 1 },
      [`GET /api/v1/contacts/${id}`]: { uuid: id, full_name: 'Ann' },
      [`GET /api/v1/contacts/${id}/activity`]: [{ at: '2024-01-01T00:00:00Z', kind: 'call' }],
    });
    const event = { At: '2024-01-01T00:00:00Z', Kind: 'call', Message: null };
    const row = { '@odata.id': null, RowId: expect.stringMatching(/^[\w-]{22}$/), ...event };
    expect(await served.ask(`Contacts(${id})/Activity`)).toEqual([200, { value: [row] }]);
    expect(await served.ask('ContactsActivity')).toEqual([200, { value: [{ ...row, ContactUuid: id }] }]);
    expect(await served.ask(`Contacts(${id})?$expand=Activity&$select=FullName`)).toEqual([
      200,
      expect.objectContaining({ FullName: 'Ann', Activity: [row] }),
    ]);
  });

  it('keep functions with parameters that are no properties', async () => {
    const document = textOf('swashbuckle-weather').replace(
      'operationId: GetWeatherForecast',
      'operationId: GetWeatherForecast\n      parameters: [{ name: from, in: query, schema: { type: string, format: date } }]',
    );
    const { ask } = await serveDocument(document, {
      ...DAYS,
      'GET /WeatherForecast?from=2024-01-02': [TUESDAY],
    });
    expect(await ask('GetWeatherForecast(From=2024-01-02)?$select=Date')).toEqual([
      200,
      { value: [{ Date: '2024-01-02' }] },
    ]);
    expect((await ask('WeatherForecast?$top=0&$count=true'))[1]).toEqual({ '@odata.count': 3, value: [] });
  });
});

describe('clients accept rows that nothing tells apart:', () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    [
      'Excel and Power BI',
      'WeatherForecast',
      {
        'odata-maxversion': '4.0',
        accept:
          'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8',
      },
    ],
    [
      'Power BI, folded',
      'WeatherForecast?$filter=TemperatureC gt 10&$select=Date,TemperatureC&$top=1000',
      { 'odata-maxversion': '4.0' },
    ],
    [
      'UI5',
      'WeatherForecast?$count=true&$select=Date,RowId,Summary&$skip=0&$top=110',
      {
        'odata-version': '4.0',
        'odata-maxversion': '4.0',
        accept: 'application/json;odata.metadata=minimal;IEEE754Compatible=true',
      },
    ],
    [
      'Salesforce',
      'WeatherForecast?$inlinecount=allpages&$top=25&$skip=0&$orderby=RowId&$select=Date,RowId,Summary,TemperatureC',
      { 'odata-maxversion': '4.0' },
    ],
    [
      'Salesforce, one record',
      "WeatherForecast?$filter=RowId eq 'x'&$select=RowId",
      { 'odata-maxversion': '4.0' },
    ],
  ])('%s', async (client, path, headers) => {
    const { gateway } = await serveDocument(textOf('swashbuckle-weather'), DAYS);
    const sent = client.startsWith('Salesforce')
      ? path.replace('$inlinecount=allpages', '$count=true')
      : path;
    const response = await fetch(`${gateway.url}/odata/${sent}`, { headers });
    const { value } = (await response.json()) as { value: object[] };
    expect([response.status, value.length]).toEqual([200, client.endsWith('record') ? 0 : 3]);
  });
});
