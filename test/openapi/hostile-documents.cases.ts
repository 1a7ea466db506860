/** A document that is wrong at one place: what is said of that place, and what is served all the same. */
export interface HostileDocument {
  readonly what: string;
  readonly document: object;
  /** Each as severity, pointer and message. */
  readonly findings: readonly (readonly [string, string, string])[];
  readonly entitySets: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const GRANTS = { grants: { User: ['View'] } };

/** The entity at every path of the upstream. */
export const ROW = {
  id: '1',
  title: 'A title',
  lost: 1,
  loop: 1,
  size: 1,
  $x: 1,
  constructor: 1,
  toString: 1,
};

export const NOTE: Json = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, title: { type: 'string' } },
  'x-odata': GRANTS,
};

/** A document with a resource for each name: `Note` at `/notes`, its schema among the components. */
export function documentWith(schemas: Json, change: Json = {}): Json {
  const paths = Object.keys(schemas).flatMap((name) => resource(name, ref(name)));
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: 'http://127.0.0.1:1' }],
    paths: Object.fromEntries(paths),
    components: { schemas: withOwnNames(schemas) },
    ...change,
  };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function resource(name: string, schema: Json): [string, Json][] {
  const path = `/${name.replaceAll(/\W|_/g, '').toLowerCase()}s`;
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return [
    [
      path,
      { get: { operationId: `list${path.slice(1)}`, responses: answer({ type: 'array', items: schema }) } },
    ],
    [
      `${path}/{id}`,
      { get: { operationId: `get${path.slice(1)}`, parameters: [id], responses: answer(schema) } },
    ],
  ];
}

function answer(schema: Json): Json {
  return { 200: { description: 'OK', content: { 'application/json': { schema } } } };
}

/** `__proto__` too is a name like any other. */
function withOwnNames(members: Json): Json {
  return Object.fromEntries(Object.entries(members));
}

export function withProperty(name: string, schema: unknown): Json {
  const properties = Object.fromEntries([...Object.entries(NOTE['properties'] as Json), [name, schema]]);
  return { ...NOTE, properties };
}

function withExtension(keys: Json): Json {
  return { ...NOTE, 'x-odata': { ...GRANTS, ...keys } };
}

const LOST = 'The reference "#/components/schemas/Lost" leads to nothing';
const CIRCLE = 'The reference "#/components/schemas/Loop" is circular';
const UNTYPED = 'The operation is left out: it answers with what has no type in the model';

export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = [
  {
    what: 'a property whose $ref leads to nothing',
    document: documentWith({ Note: withProperty('lost', ref('Lost')) }),
    findings: [['error', '/components/schemas/Note/properties/lost', LOST]],
    entitySets: ['Note'],
  },
  {
    what: 'an answer whose $ref leads to nothing',
    document: documentWith(
      { Note: NOTE },
      { paths: Object.fromEntries([...resource('Note', ref('Note')), ...resource('Lost', ref('Lost'))]) },
    ),
    findings: [
      ['error', '/paths/~1losts/get/responses/200/content/application~1json/schema/items', LOST],
      ['error', '/paths/~1losts~1{id}/get/responses/200/content/application~1json/schema', LOST],
      ['warning', '/paths/~1losts/get', UNTYPED],
      ['warning', '/paths/~1losts~1{id}/get', UNTYPED],
    ],
    entitySets: ['Note'],
  },
  {
    what: 'a $ref that leads to itself',
    document: documentWith({ Note: withProperty('loop', ref('Loop')), Loop: ref('Loop') }),
    findings: [
      ['error', '/paths/~1loops/get/responses/200/content/application~1json/schema/items', CIRCLE],
      ['error', '/paths/~1loops~1{id}/get/responses/200/content/application~1json/schema', CIRCLE],
      ['error', '/components/schemas/Loop', CIRCLE],
      ['error', '/components/schemas/Note/properties/loop', CIRCLE],
      ['warning', '/paths/~1loops/get', UNTYPED],
      ['warning', '/paths/~1loops~1{id}/get', UNTYPED],
    ],
    entitySets: ['Note'],
  },
  {
    what: 'two sets of one name',
    document: documentWith({
      Note: withExtension({ entitySet: 'Notes' }),
      Memo: withExtension({ entitySet: 'Notes' }),
    }),
    findings: [['info', '/paths/~1memos~1{id}/get', 'It is named Memo: the name Notes is taken']],
    entitySets: ['Notes', 'Memo'],
  },
  {
    what: 'a schema named __proto__',
    document: documentWith(
      Object.fromEntries([
        ['Note', NOTE],
        ['__proto__', NOTE],
      ]),
    ),
    findings: [],
    entitySets: ['Note', 'Proto'],
  },
  {
    what: 'a schema named constructor',
    document: documentWith({ Note: NOTE, constructor: NOTE }),
    findings: [],
    entitySets: ['Note', 'Constructor'],
  },
  {
    what: 'a schema named $x',
    document: documentWith({ Note: NOTE, $x: NOTE }),
    findings: [],
    entitySets: ['Note', 'X'],
  },
  {
    what: 'a property named __proto__',
    document: documentWith({ Note: withProperty('__proto__', { type: 'integer' }) }),
    findings: [
      [
        'warning',
        '/components/schemas/Note/properties/__proto__',
        'The property is left out: "__proto__" makes no name',
      ],
    ],
    entitySets: ['Note'],
  },
  ...['constructor', '$x', 'toString'].map((name) => ({
    what: `a property named ${name}`,
    document: documentWith({ Note: withProperty(name, { type: 'integer' }) }),
    findings: [],
    entitySets: ['Note'],
  })),
  {
    what: 'a misspelt key of x-odata',
    document: documentWith({ Note: withExtension({ entityset: 'Notes' }) }),
    findings: [
      [
        'error',
        '/components/schemas/Note/x-odata/entityset',
        'x-odata has no key "entityset": is entitySet meant?',
      ],
    ],
    entitySets: ['Note'],
  },
  {
    what: 'a value of x-odata that does not fit',
    document: documentWith({ Note: withExtension({ entitySet: 5 }) }),
    findings: [
      ['error', '/components/schemas/Note/x-odata/entitySet', 'entitySet is a text, not 5'],
      ['error', '/components/schemas/Note/x-odata/entitySet', '5 cannot be the name of an entity set'],
    ],
    entitySets: ['Note'],
  },
  {
    what: 'a type of x-odata that is none',
    document: documentWith({
      Note: withProperty('size', { type: 'integer', 'x-odata': { type: 'Edm.Number' } }),
    }),
    findings: [
      [
        'error',
        '/components/schemas/Note/properties/size/x-odata/type',
        '"Edm.Number" is not a type for values that are integer in JSON',
      ],
    ],
    entitySets: ['Note'],
  },
  {
    what: 'parts of the wrong kind',
    document: documentWith(
      { Note: NOTE, Odd: 5, Other: [] },
      {
        info: 7,
        paths: Object.fromEntries([...resource('Note', ref('Note')), ['/odd', 5], ['/other', { get: null }]]),
      },
    ),
    findings: [['error', '/paths/~1other/get', 'An operation is an object']],
    entitySets: ['Note'],
  },
];
