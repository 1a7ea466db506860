import { expect, it } from 'vitest';
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
    Trip: { type: object, required: [id, driver_id], properties: { id: { type: integer }, driver_id: { type: integer }, km: { type: integer } } }
`;

const DRIVERS = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Ben' },
];
const TRIPS = [
  { id: 10, driver_id: 1, km: 5 },
  { id: 11, driver_id: 2, km: 7 },
];
const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /drivers': DRIVERS,
  'GET /trips': TRIPS,
  ...Object.fromEntries(DRIVERS.map((driver) => [`GET /drivers/${driver.id}`, driver])),
  ...Object.fromEntries(TRIPS.map((trip) => [`GET /trips/${trip.id}`, trip])),
};

/** The headers of OData.Feed in Excel and Power BI. */
const POWER_QUERY = {
  accept:
    'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7',
  'odata-maxversion': '4.0',
  maxdataserviceversion: '3.0',
};

async function open() {
  const { gateway } = await serveDocument(DOCUMENT, ANSWERS);
  return async (target: string): Promise<readonly [number, string]> => {
    const response = await fetch(`${gateway.url}/odata${target}`, { headers: POWER_QUERY });
    const text = await response.text();
    return [response.status, text.replaceAll(`${gateway.url}/odata/`, '~/')];
  };
}

it('shows Excel and Power BI the relation with its constraint, partner and binding', async () => {
  const ask = await open();
  const [status, text] = await ask('/$metadata');
  const lines = text.split('\n').map((line) => line.trim());
  const between = (from: string, to: string) => {
    const start = lines.findIndex((line) => line.startsWith(from));
    return lines.slice(start, lines.indexOf(to, start) + 1);
  };
  expect(status).toBe(200);
  expect(between('<NavigationProperty Name="Driver"', '</NavigationProperty>')).toStrictEqual([
    '<NavigationProperty Name="Driver" Type="Test.Driver" Partner="Trips">',
    '<ReferentialConstraint Property="DriverId" ReferencedProperty="Id"/>',
    '</NavigationProperty>',
  ]);
  expect(lines).toContain('<NavigationProperty Name="Trips" Type="Collection(Test.Trip)" Partner="Driver"/>');
  expect(lines.filter((line) => line.startsWith('<NavigationPropertyBinding'))).toStrictEqual([
    '<NavigationPropertyBinding Path="Trips" Target="Trip"/>',
    '<NavigationPropertyBinding Path="Driver" Target="Driver"/>',
  ]);
});

const TEN = { Id: 10, DriverId: 1, Km: 5 };
const ELEVEN = { Id: 11, DriverId: 2, Km: 7 };
const ANN = { Id: 1, Name: 'Ann' };
const BEN = { Id: 2, Name: 'Ben' };

it.each<readonly [string, unknown]>([
  ['/Trip?$top=1000', { '@odata.context': '~/$metadata#Trip', value: [TEN, ELEVEN] }],
  ['/Trip(10)/Driver', { '@odata.context': '~/$metadata#Driver/$entity', ...ANN }],
  ['/Driver(2)/Trips', { '@odata.context': '~/$metadata#Trip', value: [ELEVEN] }],
  [
    '/Trip?$expand=Driver&$top=1000',
    {
      '@odata.context': '~/$metadata#Trip',
      value: [
        { ...TEN, Driver: ANN },
        { ...ELEVEN, Driver: BEN },
      ],
    },
  ],
  [
    '/Trip?$select=Id&$expand=Driver($select=Name)&$top=1000',
    {
      '@odata.context': '~/$metadata#Trip(Id,Driver(Name))',
      value: [
        { Id: 10, Driver: { Name: 'Ann' } },
        { Id: 11, Driver: { Name: 'Ben' } },
      ],
    },
  ],
  [
    '/Driver?$expand=Trips&$top=1000',
    {
      '@odata.context': '~/$metadata#Driver',
      value: [
        { ...ANN, Trips: [TEN] },
        { ...BEN, Trips: [ELEVEN] },
      ],
    },
  ],
  [
    "/Trip?$filter=Driver/Name eq 'Ben'&$select=Id&$top=1000",
    { '@odata.context': '~/$metadata#Trip(Id)', value: [{ Id: 11 }] },
  ],
  [
    '/Driver?$filter=Trips/any(t: t/Km gt 5)&$select=Name&$top=1000',
    { '@odata.context': '~/$metadata#Driver(Name)', value: [{ Name: 'Ben' }] },
  ],
])('answers Excel and Power BI: %s', async (target, expected) => {
  const ask = await open();
  const [status, text] = await ask(target);
  const found = JSON.parse(text, (_, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([name]) => name === '@odata.context' || !name.includes('@')),
    );
  });
  expect([status, found]).toStrictEqual([200, expected]);
});
