import { describe, expect, it } from 'vitest';
import type { NarrowingParameter } from '../../src/model/operation.ts';
import { derive } from './document.ts';

const SCHEMAS = `
Trip:
  type: object
  required: [id]
  properties:
    id: { type: integer }
    status: { type: string, enum: [open, done] }
    name: { type: string }
    tags: { type: array, items: { type: string } }
    seats: { type: integer }
    cancelled: { type: boolean }
    owner: { type: object, properties: { id: { type: string }, team: { type: string } } }
    created_at: { type: string, format: date-time }
    starts_at: { type: string, format: date-time }
    updated_at: { type: [string, 'null'], format: date-time }
    day: { type: string, format: date }
    language: { type: string }
`;

/** Parameters of the list, in YAML; each in the query. */
function list(parameters: readonly string[], more = '', item = ''): ReturnType<typeof derive> {
  const written = parameters.map((parameter) => `{ in: query, ${parameter} }`).join(', ');
  return derive(
    `
/trips:
  ${item}
  get:
    operationId: trips
    ${more}
    parameters: [${written}]
    responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Trip' } } } } } }
/trips/{id}:
  get:
    operationId: trip
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Trip' } } } } }
`,
    SCHEMAS,
  );
}

function narrowingOf(parameters: readonly string[]): readonly string[] {
  const { model } = list(parameters);
  return (model.entitySets.get('Trip')?.list?.narrowing ?? []).map(shown);
}

function shown({
  parameter,
  path,
  condition,
  member,
  hasDefault,
  ofElements,
  form,
}: NarrowingParameter): string {
  const bound = 'inclusive' in condition ? ` ${condition.inclusive ?? 'perhaps'}` : '';
  const many = condition.kind === 'in' ? ` ${condition.separator ?? 'array'} ${condition.most ?? 'any'}` : '';
  const within = member === undefined ? '' : `.${member}`;
  return `${parameter.name}${within} ${path.join('/')}${ofElements === true ? ' elements' : ''} ${condition.kind}${bound}${many}${hasDefault === true ? ' default' : ''}${form === undefined ? '' : ` ${form}`}`;
}

function sortingOf(parameters: readonly string[]): readonly string[] {
  const { model } = list(parameters);
  return (model.entitySets.get('Trip')?.list?.sorting ?? []).map(
    ({ property, descending, arguments: sent }) =>
      `${property} ${descending ? 'desc' : 'asc'} ${JSON.stringify(sent)}`,
  );
}

const TEXT = 'schema: { type: string }';
const TIME = 'schema: { type: string, format: date-time }';

describe('parameters that may narrow a list', () => {
  it.each<[string, readonly string[]]>([
    [`name: status, ${TEXT}`, ['status Status equal']],
    [`name: status, schema: { type: string, default: open }`, ['status Status equal default']],
    [`name: "filter[name]", ${TEXT}`, ['filter_LEFT_SQUARE_BRACE_name_RIGHT_SQUARE_BRACE_ Name equal']],
    [`name: name__exact, ${TEXT}`, ['name__exact Name equal']],
    [`name: ownerId, ${TEXT}`, ['ownerId Owner/Id equal']],
    [`name: owner.team, ${TEXT}`, ['owner_team Owner/Team equal']],
    ['name: cancelled, schema: { type: boolean }', ['cancelled Cancelled equal']],
    [`name: min_seats, schema: { type: integer }`, ['min_seats Seats lower perhaps']],
    [`name: seats_lte, schema: { type: integer }`, ['seats_lte Seats upper true']],
    [
      `name: created_after, ${TIME}`,
      ['created_after CreatedAt lower perhaps', 'created_after CreatedAt lower perhaps local'],
    ],
    [
      `name: created_after, description: Created at this time or later., ${TIME}`,
      ['created_after CreatedAt lower true', 'created_after CreatedAt lower true local'],
    ],
    [
      `name: createdBefore, description: 'Exclusive upper bound.', ${TIME}`,
      ['createdBefore CreatedAt upper false', 'createdBefore CreatedAt upper false local'],
    ],
    [
      'name: created_at, schema: { anyOf: [{ type: object, properties: { gte: { type: string, format: date-time } } }, { type: string, format: date-time }] }',
      [
        'created_at CreatedAt equal',
        'created_at.gte CreatedAt lower true',
        'created_at.gte CreatedAt lower true local',
      ],
    ],
    ['name: ids, schema: { type: array, maxItems: 20, items: { type: integer } }', ['ids Id in array 20']],
    [`name: ids, description: A comma-separated list of ids., ${TEXT}`, ['ids Id in , any']],
    ['name: statuses, schema: { type: array, items: { type: string } }', ['statuses Status in array any']],
    [`name: status__in, description: Comma-separated., ${TEXT}`, ['status__in Status in , any']],
    ['name: trip_ids, schema: { type: array, items: { type: integer } }', ['trip_ids Id in array any']],
    [`name: tag, ${TEXT}`, ['tag Tags elements equal']],
    ['name: tags, schema: { type: array, items: { type: string } }', ['tags Tags elements in array 1']],
    [
      `name: since, ${TIME}`,
      [
        'since CreatedAt lower perhaps',
        'since CreatedAt lower perhaps local',
        'since StartsAt lower perhaps',
        'since StartsAt lower perhaps local',
        'since UpdatedAt lower perhaps',
        'since UpdatedAt lower perhaps local',
      ],
    ],
    [
      `name: starts_before, ${TIME}`,
      ['starts_before StartsAt upper perhaps', 'starts_before StartsAt upper perhaps local'],
    ],
    [
      'name: end_date, schema: { type: string, format: date }',
      [
        'end_date CreatedAt upper perhaps date',
        'end_date StartsAt upper perhaps date',
        'end_date UpdatedAt upper perhaps date',
        'end_date Day upper perhaps',
      ],
    ],
    [
      'name: created_since, schema: { type: string, format: date }',
      ['created_since CreatedAt lower perhaps date'],
    ],
    ['name: seats_hasta, schema: { type: integer }', ['seats_hasta Seats upper perhaps']],
  ])('%s', (parameter, expected) => {
    expect(narrowingOf([parameter])).toStrictEqual(expected);
  });

  it.each([
    `name: q, ${TEXT}`,
    `name: search, ${TEXT}`,
    `name: language, ${TEXT}`,
    `name: kind, ${TEXT}`,
    `name: id, ${TEXT}, required: true`,
    `name: min_name, ${TEXT}`,
    'name: seats, schema: { type: boolean }',
    'name: after_cancelled, schema: { type: boolean }',
    'name: name, schema: { type: integer }',
    `name: constructor, ${TEXT}`,
    `name: __proto__, ${TEXT}`,
    `name: limit, schema: { type: integer }`,
    `name: status, x-odata: { derive: false }, ${TEXT}`,
  ])('%s: none', (parameter) => {
    expect(narrowingOf([parameter])).toStrictEqual([]);
  });

  it('keeps the words that have a meaning of their own', () => {
    const { model } = list([
      'name: status, description: "The status, or any.", schema: { type: string, enum: [open, done, all] }',
    ]);
    expect(model.entitySets.get('Trip')?.list?.narrowing?.map(({ words }) => words)).toStrictEqual([
      ['all', 'the', 'status', 'or', 'any'],
    ]);
  });
});

describe('parameters that may sort a list', () => {
  it.each<[readonly string[], readonly string[]]>([
    [
      ['name: sort, schema: { type: string, enum: [seats, -seats, name, created] }'],
      ['Seats asc {"sort":"seats"}', 'Seats desc {"sort":"-seats"}', 'CreatedAt asc {"sort":"created"}'],
    ],
    [
      ['name: sort_by, schema: { type: string, enum: ["seats:asc", seats_desc, "created_at desc"] }'],
      [
        'Seats asc {"sort_by":"seats:asc"}',
        'Seats desc {"sort_by":"seats_desc"}',
        'CreatedAt desc {"sort_by":"created_at desc"}',
      ],
    ],
    [
      [
        'name: sort, schema: { type: string, enum: [seats] }',
        'name: direction, schema: { type: string, enum: [asc, desc] }',
      ],
      ['Seats asc {"sort":"seats","direction":"asc"}', 'Seats desc {"sort":"seats","direction":"desc"}'],
    ],
    [
      [`name: ordering, ${TEXT}`],
      [
        'Id asc {"ordering":"id"}',
        'Id desc {"ordering":"-id"}',
        'Seats asc {"ordering":"seats"}',
        'Seats desc {"ordering":"-seats"}',
        'CreatedAt asc {"ordering":"created_at"}',
        'CreatedAt desc {"ordering":"-created_at"}',
        'StartsAt asc {"ordering":"starts_at"}',
        'StartsAt desc {"ordering":"-starts_at"}',
      ],
    ],
    [['name: sort, schema: { type: string, enum: [name, updated_at, day] }'], []],
    [['name: order, schema: { type: string, enum: [asc, desc] }'], []],
  ])('%j', (parameters, expected) => {
    expect(sortingOf(parameters)).toStrictEqual(expected);
  });
});

describe('a document without measure', () => {
  const MANY = 2_000;
  const times = Array.from({ length: MANY }, (_, index) => `made_${index}_at`);
  const schemas = [
    'Trip: { type: object, required: [id], properties: {',
    '  id: { type: integer }, constructor: { type: string }, __proto__: { type: string },',
    `  kind: { type: string, enum: [${Array.from({ length: 20_000 }, (_, index) => `k${index}`).join()}] },`,
    ...times.map((name) => `  ${name}: { type: string, format: date-time },`),
    '} }',
  ];
  const parameters = [
    ...times.map((name) => `name: ${name.replace('_at', '_after')}, ${TIME}`),
    `name: kind, ${TEXT}`,
    `name: sort, ${TEXT}`,
    `name: since, ${TIME}`,
    `name: constructor, ${TEXT}`,
    `name: __proto__, ${TEXT}`,
  ];

  it('has the parameters that are called like its properties, and no others', () => {
    const written = parameters.map((parameter) => `{ in: query, ${parameter} }`).join(', ');
    const { model } = derive(
      `
/trips:
  get:
    operationId: trips
    parameters: [${written}]
    responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Trip' } } } } } }
/trips/{id}:
  get:
    operationId: trip
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Trip' } } } } }
`,
      `    ${schemas.join('\n      ')}`,
    );
    const narrowing = model.entitySets.get('Trip')?.list?.narrowing?.map(shown) ?? [];
    expect(narrowing.filter((line) => line.startsWith('made_') && !line.endsWith(' local'))).toHaveLength(
      MANY,
    );
    expect(narrowing.filter((line) => !line.startsWith('made_'))).toStrictEqual([
      'kind Kind equal',
      'constructor Constructor equal',
    ]);
  });
});

describe('derive: false', () => {
  const STATUS = [`name: status, ${TEXT}`];

  it.each([
    ['an operation', list(STATUS, 'x-odata: { derive: false }')],
    ['a path', list(STATUS, '', 'x-odata: { derive: false }')],
  ])('of %s makes the list literal', (_, { model, findings }) => {
    const { narrowing, literal } = model.entitySets.get('Trip')?.list ?? {};
    expect([narrowing, literal, findings]).toStrictEqual([undefined, true, []]);
  });
});
