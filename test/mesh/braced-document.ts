import fc from 'fast-check';

/** Texts that Mesh would fill in, and pieces of them. */
const TEXTS = [
  '{env.DUOGATE_CANARY}',
  '{context.call.headers.cookie}',
  '{context.call.headers.authorization}',
  'en}|{env.DUOGATE_CANARY}|{context.call.headers.cookie}{',
  '{{env.DUOGATE_CANARY}}',
  '{args.id:{env.DUOGATE_CANARY}}',
  '{args.id}',
  '{env.DUOGATE_CANARY|base64}',
  '{nothing:{env.DUOGATE_CANARY}',
  '{env}',
  '{context}',
  '{context#/call/headers}',
  '{root}',
  '{',
  '}',
  '}{',
  'plain',
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'{}{}:|#.$&env'), maxLength: 12 }) },
);

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** A document that has such a text at every place where OpenAPI has one. */
export function bracedDocument(): fc.Arbitrary<Document> {
  return fc.infiniteStream(text).map((texts) => documentOf(() => texts.next().value));
}

type Next = () => string;

function documentOf(next: Next): Document {
  const schemaName = `N${next()}`;
  const schema = { $ref: `#/components/schemas/${encodeURIComponent(schemaName)}` };
  const path = (name: string) => `/${name}/${next()}/{${next()}}/{id}/x${next()}/{id}`;
  return {
    openapi: '3.1.0',
    info: { title: next(), version: next(), description: next(), contact: { name: next() } },
    servers: [
      { url: `http://127.0.0.1/${next()}`, description: next(), variables: { v: { default: next() } } },
    ],
    tags: [{ name: next(), description: next() }],
    security: [{ [next()]: [next()] }],
    externalDocs: { url: next(), description: next() },
    'x-odata': { namespace: next(), schemaVersion: next() },
    paths: Object.fromEntries([
      ['/plain', { get: { operationId: 'plain', responses: { 200: answer(next, {}, JSON_TYPE) } } }],
      [path('read'), { get: operation(next, schema) }],
      [path('list'), { get: operation(next, { type: 'array', items: schema }) }],
      [path('make'), { post: { ...operation(next, schema), requestBody: body(next, schema, JSON_TYPE) } }],
      [path('form'), { put: { ...operation(next, schema), requestBody: body(next, schema, FORM) } }],
      [path('drop'), { delete: operation(next, {}) }],
      [
        path('sent'),
        {
          patch: { ...operation(next, schema), requestBody: body(next, schema, `${JSON_TYPE};a=${next()}`) },
        },
      ],
      [path('came'), { get: operation(next, schema, `${JSON_TYPE};a=${next()}`) }],
      [path('text'), { get: operation(next, { type: 'string' }, `text/plain;a=${next()}`) }],
    ]),
    components: {
      schemas: { [schemaName]: entity(next, schema) },
      securitySchemes: { [next()]: { type: 'apiKey', in: 'header', name: next() } },
    },
  } as Document;
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

function operation(next: Next, schema: object, media = JSON_TYPE) {
  return {
    operationId: next(),
    summary: next(),
    description: next(),
    tags: [next()],
    externalDocs: { url: next() },
    'x-odata': { function: next(), failure: next(), grants: { [next()]: ['Call'] } },
    parameters: [
      parameter('path', next(), next, true),
      ...['query', 'header'].flatMap((place) => [
        parameter(place, next(), next, false),
        parameter(place, `a-${place}`, next, true),
        { ...parameter(place, `b-${place}`, next, true), schema: { enum: [next(), 'one'], default: 'one' } },
        {
          ...parameter(place, `c-${place}`, next, true),
          schema: { type: 'array', items: { type: 'string' } },
        },
      ]),
    ],
    responses: {
      200: answer(next, schema, media),
      default: { description: next() },
    },
    callbacks: { [next()]: { [next()]: { post: { operationId: next(), responses: {} } } } },
  };
}

function answer(next: Next, schema: object, media: string) {
  return {
    description: next(),
    headers: { [next()]: { description: next(), schema: { type: 'string', default: next() } } },
    content: { [media]: { schema, example: next(), examples: { [next()]: { value: next() } } } },
    links: { [next()]: { operationId: next(), parameters: { [next()]: next() } } },
  };
}

function parameter(place: string, name: string, next: Next, required: boolean) {
  const schema = { type: 'string', default: next(), example: next(), description: next(), title: next() };
  return { name, in: place, required, description: next(), example: next(), schema };
}

function body(next: Next, schema: object, media: string) {
  return { description: next(), content: { [media]: { schema, example: next() } } };
}

function entity(next: Next, schema: object) {
  return {
    type: 'object',
    title: next(),
    description: next(),
    discriminator: { propertyName: next(), mapping: { [next()]: next() } },
    'x-odata': {
      entitySet: next(),
      key: [next()],
      grants: { [next()]: ['View', 'Insert', 'Update', 'Delete'] },
    },
    properties: Object.fromEntries([
      ['id', { type: 'string', default: next(), pattern: next(), format: next() }],
      [next(), { type: 'string', enum: [next(), `e${next()}`], default: next() }],
      [next(), { type: 'integer', description: next(), 'x-odata': { name: next(), type: next() } }],
      [`o${next()}`, schema],
    ]),
    required: ['id', next()],
    additionalProperties: { type: 'string', description: next() },
  };
}
