import { describe, expect, it } from 'vitest';
import { derive } from './document.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const set = (path: string, schema: string, key = 'id', type = 'integer'): string => `
${path}:
  get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} }
${path}/{${key}}:
  get: { operationId: get${schema}, parameters: [{ name: ${key}, in: path, required: true, schema: { type: ${type} } }], responses: ${answer(ref(schema))} }
`;

/** Trips that have a property, beside drivers, cars and car parks; the relations of a trip, and what is suggested. */
function relationsOf(properties: string, more = '', settings = ''): readonly string[] {
  const { model, findings } = derive(
    [
      set('/trips', 'Trip'),
      set('/drivers', 'DriverRead'),
      set('/cars', 'Car', 'id', 'string'),
      set('/car-parks', 'CarPark'),
      more,
    ].join(''),
    `
Trip: { type: object, required: [id], ${settings} properties: { id: { type: integer }, ${properties} } }
DriverRead: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
Car: { type: object, required: [id], properties: { id: { type: string }, name: { type: string } } }
CarPark: { type: object, required: [id], properties: { id: { type: integer } } }
Other: { type: object, required: [id], properties: { id: { type: integer } } }
`,
  );
  const navigation =
    model.entityTypes.get('Test.Trip')?.navigationProperties ??
    model.entitySets.get('Trip')?.entityType.navigationProperties;
  const relations = [...(navigation?.values() ?? [])].map(
    ({ name, target, constraints }) =>
      `${name} → ${target?.name} (${constraints.map((each) => `${each.property} = ${each.referencedProperty}`).join()})`,
  );
  const suggested = findings.filter((each) => each.includes('x-odata.references'));
  return [...relations, ...suggested.map((each) => each.replace(/^info \S+ /, ''))];
}

const DRIVER = ['Driver → Drivers (DriverId = Id)'];

describe('a property that names an entity and its identifier', () => {
  it.each<[string, readonly string[]]>([
    ['driver_id: { type: integer }', DRIVER],
    ['driverId: { type: integer }', DRIVER],
    ['car_id: { type: string }', ['Car → Car (CarId = Id)']],
    ['car_park_id: { type: integer }', ['CarPark → CarPark (CarParkId = Id)']],
    ['driver_id: { type: integer }, driver: { type: string }', ['DriverEntity → Drivers (DriverId = Id)']],
    ['idDriver: { type: integer }', ['Driver → Drivers (IdDriver = Id)']],
    ['driverid: { type: integer }', ['Driver → Drivers (Driverid = Id)']],
    ['driver_ids: { type: array, items: { type: integer } }', ['DriverEntities → Drivers ()']],
  ])('%s is a relation', (properties, expected) => {
    expect(relationsOf(properties)).toStrictEqual(expected);
  });

  it.each([
    ['car_id: { type: integer }', 'another type than the key'],
    ['driver_ids: { type: integer }', 'several in one value'],
    ['id_type: { type: integer }', 'something about an identifier'],
    ['trip_id: { type: integer }', 'an identifier of the entity itself'],
    ['planet_id: { type: integer }', 'no set of that name'],
  ])('%s is none: %s', (properties) => {
    expect(relationsOf(properties)).toStrictEqual([]);
  });

  it('is suggested where two sets have the name', () => {
    expect(relationsOf('driver_id: { type: integer }', set('/driver', 'Other'))).toStrictEqual([
      'Trip/DriverId may be a key of Drivers or Driver: x-odata.references {driver_id: Drivers} makes it a relation',
    ]);
  });

  it.each<[string, string]>([
    [
      'second_driver_id: { type: integer }',
      'SecondDriverId may be a key of Drivers: x-odata.references {second_driver_id: Drivers}',
    ],
    ['driver: { type: integer }', 'Driver may be a key of Drivers: x-odata.references {driver: Drivers}'],
    [
      'driver_id: { type: integer }, driver_type: { type: string }',
      'DriverId may be a key of Drivers: x-odata.references {driver_id: Drivers}',
    ],
  ])('%s is suggested', (properties, expected) => {
    expect(relationsOf(properties)).toStrictEqual([`Trip/${expected} makes it a relation`]);
  });
});

describe('x-odata.references', () => {
  it('makes a relation of any property of the type of the key', () => {
    const settings = 'x-odata: { references: { second_driver_id: Drivers, plate: Car } },';
    expect(
      relationsOf('second_driver_id: { type: integer }, plate: { type: string }', '', settings),
    ).toStrictEqual(['SecondDriver → Drivers (SecondDriverId = Id)', 'PlateEntity → Car (Plate = Id)']);
  });

  it('takes a relation away', () => {
    expect(
      relationsOf('driver_id: { type: integer }', '', 'x-odata: { references: { driver_id: false } },'),
    ).toStrictEqual([]);
  });

  it('is derived no more with derive: false', () => {
    expect(relationsOf('driver_id: { type: integer }', '', 'x-odata: { derive: false },')).toStrictEqual([]);
  });

  it.each([
    ['{ nope: Car }', 'error /components/schemas/Trip/x-odata/references/nope Trip has no property "nope"'],
    [
      '{ driver_id: Nope }',
      'error /components/schemas/Trip/x-odata/references/driver_id No set is called "Nope" and read by one key',
    ],
  ])('%s is a mistake', (references, expected) => {
    const { findings } = derive(
      set('/trips', 'Trip'),
      `Trip: { type: object, required: [id], x-odata: { references: ${references} }, properties: { id: { type: integer }, driver_id: { type: integer } } }`,
    );
    expect(findings).toContain(expected);
  });
});

describe('names of many words', () => {
  // The forms of such a name without its decorations are as many as the product of both numbers.
  const long = `${'Base'.repeat(120)}Driver${'Dto'.repeat(120)}`;

  it('mean no entity as schemas', () => {
    const schema = `\n${long}: { type: object, properties: { id: { type: integer } } }`;
    expect(
      relationsOf(
        `boss: ${ref(long)} } }${schema}\nLast: { type: object, properties: { id: { type: integer }`,
      ),
    ).toEqual([]);
  });

  it('mean no entity as properties', () => {
    expect(relationsOf(`${'w_'.repeat(20_000)}driver_id: { type: integer }`)).toEqual([]);
  });
});
