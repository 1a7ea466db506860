import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const set = (path: string, schema: string): string => `
  ${path}:
    get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} }
  ${path}/{id}:
    get: { operationId: get${schema}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: ${answer(ref(schema))} }`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Rides, version: '1' }
paths:${set('/drivers', 'Driver')}${set('/trips', 'Trip')}
components:
  schemas:
    Driver: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Trip: { type: object, required: [id], properties: { id: { type: integer }, driver_id: { type: [integer, 'null'] }, km: { type: integer } } }
`;

const DRIVERS = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Ben' },
  { id: 3, name: 'Cem' },
];
const TRIPS = [
  { id: 10, driver_id: 1, km: 5 },
  { id: 11, driver_id: 2, km: 7 },
  { id: 12, driver_id: 1, km: 9 },
  { id: 13, driver_id: null, km: 1 },
  { id: 14, driver_id: 9, km: 2 },
];
const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /drivers': DRIVERS,
  'GET /trips': TRIPS,
  ...Object.fromEntries(DRIVERS.map((driver) => [`GET /drivers/${driver.id}`, driver])),
  ...Object.fromEntries(TRIPS.map((trip) => [`GET /trips/${trip.id}`, trip])),
};

describe('a foreign key by its name', () => {
  it('leads to the entity, and back to all that have it', async () => {
    const { ask } = await serveDocument(DOCUMENT, ANSWERS);
    const read = async (path: string): Promise<unknown> => (await ask(path))[1];
    expect(await read('Trip?$select=Id&$expand=Driver($select=Id,Name)')).toStrictEqual({
      value: [
        { Id: 10, Driver: { Id: 1, Name: 'Ann' } },
        { Id: 11, Driver: { Id: 2, Name: 'Ben' } },
        { Id: 12, Driver: { Id: 1, Name: 'Ann' } },
        { Id: 13, Driver: null },
        { Id: 14, Driver: null },
      ],
    });
    expect(await read('Driver?$select=Id&$expand=Trips($select=Id;$orderby=Km desc)')).toStrictEqual({
      value: [
        { Id: 1, Trips: [{ Id: 12 }, { Id: 10 }] },
        { Id: 2, Trips: [{ Id: 11 }] },
        { Id: 3, Trips: [] },
      ],
    });
    expect(await read('Driver(1)/Trips?$select=Id&$filter=Km gt 5')).toStrictEqual({ value: [{ Id: 12 }] });
    expect(await read('Driver?$select=Id&$filter=Trips/any(t:t/Km gt 8)')).toStrictEqual({
      value: [{ Id: 1 }],
    });
    expect(await read("Trip?$select=Id&$filter=Driver/Name eq 'Ben'")).toStrictEqual({
      value: [{ Id: 11 }],
    });
    expect((await ask('Driver(3)/Trips'))[1]).toStrictEqual({ value: [] });
    expect((await ask('Driver(8)/Trips'))[0]).toBe(404);
    expect((await ask('Trip(14)/Driver'))[0]).toBe(204);
  });

  it('is read by its key where the list lacks the entity, and once where there is none', async () => {
    const { ask, requests } = await serveDocument(DOCUMENT, {
      ...ANSWERS,
      'GET /drivers': DRIVERS.filter(({ id }) => id !== 2),
    });
    // The length of the list is known then.
    await ask('Driver');
    const before = requests.length;
    const [, { value }] = (await ask('Trip?$select=Id&$expand=Driver($select=Id,Name)')) as [
      number,
      { value: unknown },
    ];
    expect(value).toStrictEqual([
      { Id: 10, Driver: { Id: 1, Name: 'Ann' } },
      { Id: 11, Driver: { Id: 2, Name: 'Ben' } },
      { Id: 12, Driver: { Id: 1, Name: 'Ann' } },
      { Id: 13, Driver: null },
      { Id: 14, Driver: null },
    ]);
    expect(requests.slice(before).map(({ target }) => target)).toStrictEqual([
      '/trips',
      '/drivers',
      '/drivers/2',
      '/drivers/9',
    ]);
  });

  it('stands in the metadata with its constraint and its partner', async () => {
    const { csdl } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await csdl('<NavigationProperty Name="')).toStrictEqual([
      '<NavigationProperty Name="Trips" Type="Collection(Test.Trip)" Partner="Driver"/>',
      '<NavigationProperty Name="Driver" Type="Test.Driver" Partner="Trips">',
    ]);
    expect(await csdl('<ReferentialConstraint')).toStrictEqual([
      '<ReferentialConstraint Property="DriverId" ReferencedProperty="Id"/>',
    ]);
  });

  it('leads both ways in GraphQL', async () => {
    const { query } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await query('{ trip(id: 10) { driver { name trips { id } } } }')).toStrictEqual({
      data: { trip: { driver: { name: 'Ann', trips: [{ id: '10' }, { id: '12' }] } } },
    });
  });

  it('is an error, and not null, where the entity cannot be read', async () => {
    const { ask } = await serveDocument(DOCUMENT, {
      ...ANSWERS,
      'GET /drivers/2': 'broken',
      'GET /drivers': 'broken',
    });
    const [status] = await ask('Trip(11)?$expand=Driver');
    expect(status).toBe(502);
  });
});
