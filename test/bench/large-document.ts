type Json = Readonly<Record<string, unknown>>;

/** As many as GitHub's document has. */
const OPERATIONS = 1223;

/** A list, a create, and the read, change and removal of one entity. */
const OPERATIONS_OF_RESOURCE = 5;

/** The number of properties of an entity schema, without references. */
const PROPERTIES = 40;

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const VALUES: readonly Json[] = [
  TEXT,
  INTEGER,
  { type: 'boolean' },
  { type: 'string', format: 'uri' },
  { type: 'string', format: 'date-time' },
  { type: ['string', 'null'] },
  { type: 'string', enum: ['open', 'closed', 'draft'] },
  { type: 'array', items: TEXT },
];

/**
 * The text of an OpenAPI document as large as GitHub's, and made like it: schemas that refer to each other at some depth,
 * parts put together by `allOf`, long descriptions, and an example of each answer. The same each time.
 */
export function largeDocument(operations: number = OPERATIONS): string {
  const resources = Array.from(
    { length: Math.ceil(operations / OPERATIONS_OF_RESOURCE) },
    (_, index) => index,
  );
  const paths = resources.flatMap((index) => pathsOf(index));
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Large', version: '1.0.0', description: prose(40) },
    servers: [{ url: 'https://api.large.example' }],
    paths: Object.fromEntries(paths),
    components: {
      parameters: { 'per-page': PER_PAGE, page: PAGE, owner: inPath('owner'), repo: inPath('repo') },
      responses: { missing: answer('Missing', reference('basic-error'), { message: 'Not Found' }) },
      schemas: {
        'basic-error': { type: 'object', properties: { message: TEXT, documentation_url: TEXT } },
        'simple-user': record('user', 20, {}),
        'nullable-simple-user': { ...record('user', 20, {}), nullable: true },
        ...Object.fromEntries(resources.flatMap(schemasOf)),
      },
    },
  });
}

const PER_PAGE = { name: 'per_page', in: 'query', schema: { ...INTEGER, default: 30, maximum: 100 } };
const PAGE = { name: 'page', in: 'query', schema: { ...INTEGER, default: 1 } };

function inPath(name: string): Json {
  return { name, in: 'path', required: true, description: prose(8), schema: TEXT };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Words enough for a description. */
function prose(words: number): string {
  return Array.from({ length: words }, (_, index) => `word${index}`).join(' ');
}

function nameOf(index: number): string {
  return `resource-${letters(index)}`;
}

/** A number in letters: names that end in digits would be taken for versions. */
function letters(index: number): string {
  return [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

function schemasOf(index: number): readonly (readonly [string, Json])[] {
  const name = nameOf(index);
  const nearby = (step: number): Json => reference(nameOf(Math.max(0, index - step)));
  const own = record(name, PROPERTIES, {
    owner: reference('simple-user'),
    closed_by: reference('nullable-simple-user'),
    parent: nearby(1),
    related: { type: 'array', items: nearby(7) },
    settings: record(`${name}-settings`, 8, { limits: record(`${name}-limits`, 6, { by: nearby(3) }) }),
  });
  const full = { allOf: [reference(name), record(`${name}-more`, 10, { source: nearby(2) })] };
  return [
    [name, own],
    [`full-${name}`, full],
  ];
}

/** An object schema, whose properties have values of all types in turn. */
function record(name: string, count: number, others: Json): Json {
  const values = Array.from({ length: count }, (_, index) => {
    const value = { description: prose(10), ...VALUES[index % VALUES.length], example: exampleOf(index) };
    return [`${letters(index)}_${index % 2 === 0 ? 'url' : 'count'}`, value] as const;
  });
  const id = { ...INTEGER, description: `Tells each ${name} from the others.` };
  return {
    type: 'object',
    required: ['id'],
    properties: { id, ...Object.fromEntries(values), ...others },
  };
}

function exampleOf(index: number): unknown {
  const value = VALUES[index % VALUES.length];
  if (value === INTEGER) return index;
  return index % VALUES.length === 2 ? true : `https://api.large.example/values/${index}`;
}

/** An example of the entity, at the depth of examples in documents. */
function exampleEntity(depth: number): Json {
  const values = Array.from({ length: PROPERTIES }, (_, index) => [
    `${letters(index)}_${index % 2 === 0 ? 'url' : 'count'}`,
    exampleOf(index),
  ]);
  const parent = depth === 0 ? null : exampleEntity(depth - 1);
  return { id: 1, ...Object.fromEntries(values), parent };
}

function answer(description: string, schema: Json, example: unknown): Json {
  const content = { 'application/json': { schema, examples: { default: { value: example } } } };
  return { description, content };
}

function pathsOf(index: number): readonly (readonly [string, Json])[] {
  const name = nameOf(index);
  const path = index % 2 === 0 ? `/${name}s` : `/repos/{owner}/{repo}/${name}s`;
  const above = index % 2 === 0 ? [] : ['owner', 'repo'].map(parameterReference);
  const parameter = { ...inPath('id'), schema: INTEGER };
  const operation = (verb: string, parameters: readonly Json[], rest: Json): Json => ({
    operationId: `${name}s/${verb}`,
    summary: prose(6),
    description: prose(60),
    tags: [name],
    parameters: [...above, ...parameters],
    ...rest,
  });
  const found = { ...MISSING, 200: answer('Found', reference(`full-${name}`), exampleEntity(2)) };
  const listed = { type: 'array', items: reference(name) };
  const sent = { content: { 'application/json': { schema: record(`${name}-sent`, 12, {}) } } };
  const list = operation('list', ['per-page', 'page'].map(parameterReference), {
    responses: { 200: { ...answer('Listed', listed, [exampleEntity(1)]), headers: LINK } },
  });
  return [
    [
      path,
      {
        get: list,
        post: operation('create', [], {
          requestBody: sent,
          responses: { 201: answer('Created', reference(`full-${name}`), exampleEntity(1)) },
        }),
      },
    ],
    [
      `${path}/{id}`,
      {
        get: operation('get', [parameter], { responses: found }),
        patch: operation('update', [parameter], { requestBody: sent, responses: found }),
        delete: operation('delete', [parameter], {
          responses: { ...MISSING, 204: { description: 'Gone' } },
        }),
      },
    ],
  ];
}

const MISSING = { 404: { $ref: '#/components/responses/missing' } };
const LINK = { Link: { schema: TEXT } };

function parameterReference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}
