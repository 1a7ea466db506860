import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const list = (path: string, schema: string): string => `
  ${path}:
    get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} }`;
const set = (path: string, schema: string, type = 'integer'): string => `${list(path, schema)}
  ${path}/{id}:
    get: { operationId: get${schema}, parameters: [{ name: id, in: path, required: true, schema: { type: ${type} } }], responses: ${answer(ref(schema))} }`;

const DRIVERS = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Ben' },
  { id: 3, name: 'Cem' },
];

interface Shape {
  /** The property of a trip that refers to drivers, in the document. */
  readonly property: string;
  readonly components?: string;
  /** The part of a row that refers to the driver of that number. */
  readonly row: (driver: number) => object;
  readonly none: object;
  readonly navigation: string;
  readonly constraint: readonly string[];
}

const HREF = (driver: number): string => `https://api.example/v1/drivers/${driver}`;

const SHAPES: Readonly<Record<string, Shape>> = {
  'an object that has the key': {
    property: `driver: ${ref('DriverSummary')}`,
    components:
      'DriverSummary: { type: object, properties: { id: { type: integer }, name: { type: string } } }',
    row: (id) => ({ driver: { id, name: 'old' } }),
    none: { driver: null },
    navigation: 'DriverEntity',
    constraint: ['<ReferentialConstraint Property="Driver/Id" ReferencedProperty="Id"/>'],
  },
  'an object without a schema of its own': {
    property: 'driver: { type: object, properties: { id: { type: integer } } }',
    row: (id) => ({ driver: { id } }),
    none: {},
    navigation: 'DriverEntity',
    constraint: ['<ReferentialConstraint Property="Driver/Id" ReferencedProperty="Id"/>'],
  },
  'the key or the entity': {
    property: `driver: { anyOf: [{ type: integer }, ${ref('Driver')}] }`,
    row: (id) => ({ driver: id === 2 ? { id, name: 'Ben' } : id }),
    none: { driver: null },
    navigation: 'DriverEntity',
    constraint: [],
  },
  'a value whose description says so': {
    property: "driver: { type: integer, description: 'The ID of the driver' }",
    row: (driver) => ({ driver }),
    none: { driver: null },
    navigation: 'DriverEntity',
    constraint: ['<ReferentialConstraint Property="Driver" ReferencedProperty="Id"/>'],
  },
  'the URL of the entity': {
    property: 'driver: { type: string, format: uri }',
    row: (driver) => ({ driver: HREF(driver) }),
    none: { driver: null },
    navigation: 'DriverEntity',
    constraint: [],
  },
  'a link of HAL': {
    property:
      '_links: { type: object, properties: { self: { type: object, properties: { href: { type: string } } }, driver: { type: object, properties: { href: { type: string } } } } }',
    row: (driver) => ({ _links: { self: { href: '/trips/1' }, driver: { href: `/v1/drivers/${driver}` } } }),
    none: { _links: {} },
    navigation: 'Driver',
    constraint: [],
  },
  'a relationship of JSON:API': {
    property:
      'relationships: { type: object, properties: { driver: { type: object, properties: { data: { type: object, properties: { type: { type: string, enum: [drivers] }, id: { type: integer } } } } } } }',
    row: (id) => ({ relationships: { driver: { data: { type: 'drivers', id } } } }),
    none: { relationships: { driver: { data: null } } },
    navigation: 'Driver',
    constraint: ['<ReferentialConstraint Property="Relationships/Driver/Data/Id" ReferencedProperty="Id"/>'],
  },
};

const documentOf = (
  { property, components = '' }: Pick<Shape, 'property' | 'components'>,
  drivers = set('/drivers', 'Driver'),
) => `
openapi: 3.1.0
info: { title: Rides, version: '1' }
paths:${drivers}${set('/trips', 'Trip')}
components:
  schemas:
    Driver: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Trip: { type: object, required: [id], properties: { id: { type: integer }, km: { type: integer }, ${property} } }
    ${components}
`;

const answersOf = (trips: readonly { readonly id: number }[]): Readonly<Record<string, unknown>> => ({
  'GET /drivers': DRIVERS,
  'GET /trips': trips,
  ...Object.fromEntries(DRIVERS.map((driver) => [`GET /drivers/${driver.id}`, driver])),
  ...Object.fromEntries(trips.map((trip) => [`GET /trips/${trip.id}`, trip])),
});

describe.each(Object.entries(SHAPES))('%s', (_, shape) => {
  const { navigation } = shape;
  const trips = [
    { id: 10, km: 5, ...shape.row(1) },
    { id: 11, km: 7, ...shape.row(2) },
    { id: 12, km: 9, ...shape.row(1) },
    { id: 13, km: 1, ...shape.none },
    { id: 14, km: 2, ...shape.row(9) },
  ];

  it('leads to the entity and back, on both faces', async () => {
    const { ask, query, csdl } = await serveDocument(documentOf(shape), answersOf(trips));
    const read = async (path: string): Promise<unknown> => (await ask(path))[1];
    expect(await read(`Trip?$select=Id&$expand=${navigation}($select=Id,Name)`)).toStrictEqual({
      value: [
        { Id: 10, [navigation]: { Id: 1, Name: 'Ann' } },
        { Id: 11, [navigation]: { Id: 2, Name: 'Ben' } },
        { Id: 12, [navigation]: { Id: 1, Name: 'Ann' } },
        { Id: 13, [navigation]: null },
        { Id: 14, [navigation]: null },
      ],
    });
    expect(await read(`Trip(11)/${navigation}`)).toStrictEqual({ Id: 2, Name: 'Ben' });
    expect((await ask(`Trip(13)/${navigation}`))[0]).toBe(204);
    expect((await ask(`Trip(14)/${navigation}`))[0]).toBe(204);
    expect((await ask(`Trip(99)/${navigation}`))[0]).toBe(404);
    expect(await read(`Trip?$select=Id&$filter=${navigation}/Name eq 'Ben'`)).toStrictEqual({
      value: [{ Id: 11 }],
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
    expect(
      await query(`{ trip(id: 11) { ${navigation.replace('D', 'd')} { name trips { id } } } }`),
    ).toStrictEqual({
      data: { trip: { [navigation.replace('D', 'd')]: { name: 'Ben', trips: [{ id: '11' }] } } },
    });
    expect(await csdl('<ReferentialConstraint')).toStrictEqual(shape.constraint);
    expect(await csdl('<NavigationProperty Name="Trips"')).toStrictEqual([
      `<NavigationProperty Name="Trips" Type="Collection(Test.Trip)" Partner="${navigation}"/>`,
    ]);
  });

  it('takes one call for each different key at most, and one of each list on the way back', async () => {
    const { ask, query, requests } = await serveDocument(documentOf(shape), answersOf(trips));
    const callsOf = async (read: () => Promise<unknown>): Promise<readonly string[]> => {
      const before = requests.length;
      await read();
      return requests.slice(before).map(({ target }) => target);
    };
    const field = navigation.replace('D', 'd');
    const forward = [
      await callsOf(() => ask(`Trip?$expand=${navigation}`)),
      await callsOf(() => ask(`Trip?$filter=${navigation}/Name eq 'Ben'`)),
      await callsOf(() => ask(`Trip?$orderby=${navigation}/Name`)),
      await callsOf(() => query(`{ trips { ${field} { name } } }`)),
    ];
    for (const [first, ...others] of forward) {
      expect(first).toBe('/trips');
      const byKey = ['/drivers/1', '/drivers/2', '/drivers/9'];
      expect([byKey, ['/drivers']]).toContainEqual(others);
    }
    const back = ['/drivers', '/trips'];
    expect(await callsOf(() => ask('Driver?$expand=Trips'))).toStrictEqual(back);
    expect(await callsOf(() => query('{ drivers { trips { id } } }'))).toStrictEqual(back);
  });

  it('is an error, and not null, where the entity cannot be read', async () => {
    const broken = { ...answersOf(trips), 'GET /drivers/2': 'broken', 'GET /drivers': 'broken' };
    const { ask, query } = await serveDocument(documentOf(shape), broken);
    expect((await ask(`Trip(11)?$expand=${navigation}`))[0]).toBe(502);
    const field = navigation.replace('D', 'd');
    expect(await query(`{ trip(id: 11) { ${field} { name } } }`)).toMatchObject({
      data: { trip: null },
      errors: [{ path: ['trip'] }],
    });
  });
});

const MANY: Readonly<
  Record<string, Omit<Shape, 'none' | 'constraint' | 'row'> & { row: (ids: readonly number[]) => object }>
> = {
  'several keys': {
    property: 'driver_ids: { type: array, items: { type: integer } }',
    row: (ids) => ({ driver_ids: ids }),
    navigation: 'DriverEntities',
  },
  'several objects that have keys': {
    property: `drivers: { type: array, items: ${ref('DriverRef')} }`,
    components: 'DriverRef: { type: object, properties: { id: { type: integer } } }',
    row: (ids) => ({ drivers: ids.map((id) => ({ id })) }),
    navigation: 'DriverEntities',
  },
  'several relationships of JSON:API': {
    property:
      'relationships: { type: object, properties: { drivers: { type: object, properties: { data: { type: array, items: { type: object, properties: { type: { type: string, enum: [drivers] }, id: { type: integer } } } } } } } }',
    row: (ids) => ({ relationships: { drivers: { data: ids.map((id) => ({ type: 'drivers', id })) } } }),
    navigation: 'Drivers',
  },
};

describe.each(Object.entries(MANY))('%s', (_, { navigation, row, ...shape }) => {
  const trips = [
    { id: 10, km: 5, ...row([1, 2]) },
    { id: 11, km: 7, ...row([]) },
    { id: 12, km: 9, ...row([2, 9, 2]) },
  ];

  it('lead to the entities and back, on both faces', async () => {
    const { ask, query, csdl } = await serveDocument(documentOf(shape), answersOf(trips));
    const read = async (path: string): Promise<unknown> => (await ask(path))[1];
    expect(await read(`Trip?$select=Id&$expand=${navigation}($select=Id)`)).toStrictEqual({
      value: [
        { Id: 10, [navigation]: [{ Id: 1 }, { Id: 2 }] },
        { Id: 11, [navigation]: [] },
        { Id: 12, [navigation]: [{ Id: 2 }] },
      ],
    });
    expect(await read(`Trip(12)/${navigation}`)).toStrictEqual({ value: [{ Id: 2, Name: 'Ben' }] });
    expect(await read(`Trip(11)/${navigation}`)).toStrictEqual({ value: [] });
    expect((await ask(`Trip(99)/${navigation}`))[0]).toBe(404);
    expect(await read(`Trip?$select=Id&$filter=${navigation}/any(d:d/Name eq 'Ann')`)).toStrictEqual({
      value: [{ Id: 10 }],
    });
    expect(await read('Driver?$select=Id&$expand=Trips($select=Id)')).toStrictEqual({
      value: [
        { Id: 1, Trips: [{ Id: 10 }] },
        { Id: 2, Trips: [{ Id: 10 }, { Id: 12 }] },
        { Id: 3, Trips: [] },
      ],
    });
    expect(await read('Driver(2)/Trips?$select=Id')).toStrictEqual({ value: [{ Id: 10 }, { Id: 12 }] });
    const field = navigation.replace('D', 'd');
    expect(await query(`{ trip(id: 12) { ${field} { name } } }`)).toStrictEqual({
      data: { trip: { [field]: [{ name: 'Ben' }] } },
    });
    expect(await csdl('<ReferentialConstraint')).toStrictEqual([]);
  });
});

describe('a relation', () => {
  it('leads to entities that only a list has', async () => {
    const document = documentOf({ property: 'driver_id: { type: integer }' }, list('/drivers', 'Driver'));
    const trips = [
      { id: 10, driver_id: 2 },
      { id: 11, driver_id: null },
      { id: 12, driver_id: 9 },
    ];
    const { ask, requests } = await serveDocument(document, answersOf(trips));
    const read = async (path: string): Promise<unknown> => (await ask(path))[1];
    expect(await read('Trip(10)/Driver')).toStrictEqual({ Id: 2, Name: 'Ben' });
    expect((await ask('Trip(11)/Driver'))[0]).toBe(204);
    expect((await ask('Trip(12)/Driver'))[0]).toBe(204);
    const before = requests.length;
    expect(await read('Trip?$select=Id&$expand=Driver($select=Id)')).toStrictEqual({
      value: [
        { Id: 10, Driver: { Id: 2 } },
        { Id: 11, Driver: null },
        { Id: 12, Driver: null },
      ],
    });
    expect(requests.slice(before).map(({ target }) => target)).toStrictEqual(['/trips', '/drivers']);
  });

  it('leads to entities with a composite key, where the row has all of it', async () => {
    const at = (path: string, name: string, schema: string, parameters: string): string => `
  ${path}:
    get: { operationId: ${name}, parameters: [${parameters}], responses: ${answer(schema)} }`;
    const tenant = '{ name: tenant_id, in: path, required: true, schema: { type: integer } }';
    const id = '{ name: id, in: path, required: true, schema: { type: integer } }';
    const { ask, csdl } = await serveDocument(
      `
openapi: 3.1.0
info: { title: Rides, version: '1' }
paths:${set('/tenants', 'Tenant')}${at('/tenants/{tenant_id}/drivers', 'drivers', `{ type: array, items: ${ref('Driver')} }`, tenant)}${at('/tenants/{tenant_id}/drivers/{id}', 'driver', ref('Driver'), `${tenant}, ${id}`)}${set('/trips', 'Trip')}${set('/stops', 'Stop')}
components:
  schemas:
    Tenant: { type: object, required: [id], properties: { id: { type: integer } } }
    Driver: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Trip: { type: object, required: [id], properties: { id: { type: integer }, tenant_id: { type: integer }, driver_id: { type: integer } } }
    Stop: { type: object, required: [id], properties: { id: { type: integer }, driver_id: { type: integer } } }
`,
      {
        'GET /trips': [{ id: 10, tenant_id: 7, driver_id: 1 }],
        'GET /trips/10': { id: 10, tenant_id: 7, driver_id: 1 },
        'GET /tenants/7/drivers/1': { id: 1, name: 'Ann' },
      },
    );
    expect((await ask('Trip(10)/Driver'))[1]).toMatchObject({ Id: 1, Name: 'Ann' });
    expect((await ask('Trip?$expand=Driver'))[1]).toMatchObject({ value: [{ Driver: { Name: 'Ann' } }] });
    expect(await csdl('<ReferentialConstraint Property="DriverId"')).toHaveLength(1);
    expect(await csdl('<ReferentialConstraint Property="TenantId"')).toHaveLength(3);
  });

  it('leads from an entity to another one of its set', async () => {
    const document = documentOf({
      property: `parent: ${ref('TripRef')}`,
      components: 'TripRef: { type: object, properties: { id: { type: integer } } }',
    });
    const trips = [
      { id: 10, parent: null },
      { id: 11, parent: { id: 10 } },
      { id: 12, parent: { id: 11 } },
    ];
    const { ask } = await serveDocument(document, answersOf(trips));
    expect((await ask('Trip?$select=Id&$expand=ParentEntity($select=Id;$levels=2)'))[1]).toStrictEqual({
      value: [
        { Id: 10, ParentEntity: null },
        { Id: 11, ParentEntity: { Id: 10, ParentEntity: null } },
        { Id: 12, ParentEntity: { Id: 11, ParentEntity: { Id: 10 } } },
      ],
    });
    expect((await ask('Trip(10)/Trips?$select=Id'))[1]).toStrictEqual({ value: [{ Id: 11 }] });
  });
});
