import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;

/** A list in a wrapper that knows nothing of its items, which what merges it does. */
const document = (
  list: string,
  wrapper = 'properties: { data: { type: array, items: { type: object } } }',
) => `
openapi: 3.1.0
info: { title: Trains, version: '1' }
x-odata: { strict: true }
paths:
  /stations: { get: { operationId: stations, responses: ${answer(list)} } }
  /stations/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: station, responses: ${answer(ref('Station'))} }
components:
  schemas:
    Wrapper: { type: object, ${wrapper} }
    Base: { type: object, properties: { id: { type: string }, place: { type: object, properties: { town: { type: string } } } } }
    Station:
      allOf:
        - ${ref('Base')}
        - properties:
            id: { maxLength: 9 }
            place: { type: object, required: [country], properties: { country: { type: string } } }
        - properties: { id: { description: The number. }, name: { type: string } }
`;

const STATION = { id: 's', name: 'Hbf', place: { town: 'Berlin', country: 'DE' } };
const LIST = `{ allOf: [${ref('Wrapper')}, { properties: { data: { type: array, items: ${ref('Station')} } } }, { properties: { links: { type: object, properties: { next: { type: string } } } } }] }`;
const ANSWERS = { 'GET /stations': { data: [STATION], links: {} }, 'GET /stations/s': STATION };
const ROW = { Id: 's', Name: 'Hbf', Place: { Town: 'Berlin', Country: 'DE' } };

describe('a property that several parts of an allOf have', () => {
  it.each([
    ['after the wrapper', LIST],
    [
      'before the wrapper',
      `{ allOf: [{ properties: { data: { type: array, items: ${ref('Station')} } } }, ${ref('Wrapper')}] }`,
    ],
    [
      'beside the allOf',
      `{ allOf: [${ref('Wrapper')}], properties: { data: { type: array, items: ${ref('Station')} } } }`,
    ],
  ])('is of the schema that says more, which stands %s', async (_, list) => {
    const { ask } = await serveDocument(document(list), ANSWERS);
    const { Id, Name, Place } = ROW;
    expect(await ask('Station?$select=Id,Name,Place')).toStrictEqual([200, { value: [{ Id, Name, Place }] }]);
  });

  it('is of the schema that says anything, whatever keeps its place', async () => {
    const wrapper = 'properties: { data: { type: array, items: { type: array } } }';
    const { ask } = await serveDocument(document(LIST, wrapper), ANSWERS);
    expect(await ask('Station?$select=Id')).toStrictEqual([200, { value: [{ Id: 's' }] }]);
  });

  it('is of a type that has the properties of all', async () => {
    const { csdl } = await serveDocument(document(LIST), ANSWERS);
    expect(await csdl('<Property ')).toStrictEqual([
      '<Property Name="Country" Type="Edm.String" Nullable="false"/>',
      '<Property Name="Town" Type="Edm.String"/>',
      '<Property Name="Id" Type="Edm.String" Nullable="false" MaxLength="9"/>',
      '<Property Name="Name" Type="Edm.String"/>',
      '<Property Name="Place" Type="Test.StationPlace"/>',
    ]);
  });

  it('is the same to GraphQL', async () => {
    const { query } = await serveDocument(document(LIST), ANSWERS);
    expect(await query('{ stations { id place { town country } name } }')).toStrictEqual({
      data: { stations: [{ id: 's', place: { town: 'Berlin', country: 'DE' }, name: 'Hbf' }] },
    });
  });

  it('is what the outermost says where they contradict each other', async () => {
    const list = `{ allOf: [{ properties: { data: { type: array, items: ${ref('Station')} } } }, ${ref('Wrapper')}] }`;
    const { ask } = await serveDocument(document(list, 'properties: { data: { type: string } }'), ANSWERS);
    expect(await ask('Station?$select=Id')).toStrictEqual([200, { value: [{ Id: 's' }] }]);
  });
});
