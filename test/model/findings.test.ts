import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { answer, derive, deriveDocument, deriveThing, reference, setPaths } from './document.ts';

const THING = 'Thing: { type: object, properties: { id: { type: string } } }';

describe('a parameter of a path that is written with a colon', () => {
  it('is reported', () => {
    const { findings } = derive(
      `${setPaths('/things', 'Thing')}\n/things/:id: { get: { operationId: one, responses: ${answer(reference('Thing'))} } }`,
      THING,
    );
    expect(findings).toContain(
      'warning /paths/~1things~1:id ":id" in its path is no parameter: OpenAPI writes these in braces, as {id}',
    );
  });
});

describe('a reference', () => {
  const list = (schema: string) => `/things: { get: { operationId: things, responses: ${answer(schema)} } }`;
  const pointer = '/paths/~1things/get/responses/200/content/application~1json/schema';

  it.each([
    ['./other.yaml#/Thing', 'leaves the document: it is not read'],
    ['file:///etc/passwd', 'leaves the document: it is not read'],
    ['https://example.org/a.json', 'leaves the document: it is not read'],
    ['#/components/schemas/Nope', 'leads to nothing'],
    ['#/components/schemas/__proto__', 'leads to nothing'],
    ['#/components/schemas/%', 'leads to nothing'],
  ])('to %s is reported', (target, message) => {
    const { findings, model } = derive(list(`{ $ref: '${target}' }`), THING);
    expect(findings).toContain(`error ${pointer} The reference "${target}" ${message}`);
    expect(model.entitySets.size).toBe(0);
  });

  it('in a circle is reported', () => {
    const { findings } = derive(list(reference('A')), `A: ${reference('B')}\nB: ${reference('A')}`);
    expect(findings).toContain(`error ${pointer} The reference "#/components/schemas/A" is circular`);
  });

  it('to a schema that merges itself is reported', () => {
    const { findings } = derive(list(reference('A')), `A: { allOf: [${reference('A')}] }`);
    expect(findings).toContain('error /components/schemas/A The schema is defined by itself');
  });

  it('from a property to the schema that has it is none of these', () => {
    const tree =
      'Tree: { type: object, properties: { id: { type: string }, up: { $ref: "#/components/schemas/Tree" } } }';
    expect(derive(setPaths('/trees', 'Tree'), tree).findings).toEqual([]);
  });
});

/** The position and content of `x-odata`; the finding, after `error` and the pointer to `x-odata`. */
const MISTAKES: readonly (readonly [string, string, string])[] = [
  ['entitySets: Thing', '/entitySets', 'x-odata has no key "entitySets": is entitySet meant?'],
  ['grant: {}', '/grant', 'x-odata has no key "grant": is grants meant?'],
  ['entityset: Thing', '/entityset', 'x-odata has no key "entityset": is entitySet meant?'],
  ['entitySet: 1', '/entitySet', 'entitySet is a text, not 1'],
  [
    'grants: { User: [view] }',
    '/grants',
    'grants is a map of roles to lists of View, Insert, Update, Delete, Call, not {"User":["view"]}',
  ],
  ['key: 1', '/key', 'key is a text or a list, not 1'],
  ['hasStream: yes', '/hasStream', 'hasStream is true or false, not "yes"'],
  ['streams: [{ nam: Photo }]', '/streams', 'streams is a list, not [{"nam":"Photo"}]'],
  ['etag: nope', '/etag', '"nope" is not a property of Thing'],
  ['alternateKeys: [nope]', '/alternateKeys', 'alternateKeys is a list, not ["nope"]'],
  ['alternateKeys: [[nope]]', '/alternateKeys/0/0', '"nope" is not a property of Thing'],
];

describe('a mistake in x-odata', () => {
  it.each(MISTAKES)('%s is reported', (settings, pointer, message) => {
    const { findings } = derive(
      setPaths('/things', 'Thing'),
      THING.replace('type: object', `type: object, x-odata: { ${settings} }`),
    );
    expect(findings).toContain(`error /components/schemas/Thing/x-odata${pointer} ${message}`);
  });

  it.each([
    [
      '{ type: boolean, x-odata: { type: Edm.Int32 } }',
      '/type',
      '"Edm.Int32" is not a type for values that are boolean in JSON',
    ],
    [
      '{ type: string, x-odata: { type: String } }',
      '/type',
      '"String" is not a type for values that are string in JSON',
    ],
    ['{ type: number, x-odata: { scale: -1 } }', '/scale', 'scale is a whole number from 0, not -1'],
    ['{ type: string, x-odata: true }', '', 'x-odata is a map or false, not true'],
    [
      '{ type: string, x-odata: { entitySet: A } }',
      '/entitySet',
      'x-odata has no key "entitySet": here it has name, type, precision, scale, searchable, immutable, mediaType, enum, flags, members, derive, all, ui',
    ],
  ])('at a property, %s, is reported', (schema, pointer, message) => {
    const { findings, model } = deriveThing(`p: ${schema}`);
    expect(findings).toContain(`error /components/schemas/Thing/properties/p/x-odata${pointer} ${message}`);
    expect(model.entityTypes.get('Thing')?.structuralProperties.has('P')).toBe(true);
  });

  it('at an operation, and at the document, is reported', () => {
    const paths = setPaths('/things', 'Thing').replace(
      'operationId: listThing',
      'x-odata: { body: raw, pageof: Thing }, operationId: listThing',
    );
    expect(derive(paths, THING, { 'x-odata': { namespace: 'Edm', version: '1' } }).findings).toEqual([
      'error /x-odata/namespace "Edm" cannot be the name of a namespace',
      'error /x-odata/version x-odata has no key "version": here it has namespace, container, schemaVersion, grants, strict, setNames, derive, maxAge, rate',
      'error /paths/~1things/get/x-odata/body body is "verbatim", not "raw"',
      'error /paths/~1things/get/x-odata/pageof x-odata has no key "pageof": is pageOf meant?',
      'warning /paths/~1things/get/x-odata/body "body" has no effect here: it is about creates, and this operation lists entities',
    ]);
  });

  it('is none at an operation of a path that is a component', () => {
    const paths = setPaths('/things', 'Thing');
    const { findings, model } = deriveDocument({
      openapi: '3.1.0',
      paths: {
        '/things': { $ref: '#/components/pathItems/Things' },
        '/things/{id}': parse(paths)['/things/{id}'],
      },
      components: {
        schemas: parse(THING),
        pathItems: { Things: { get: { ...parse(paths)['/things'].get, 'x-odata': { total: 'n' } } } },
      },
    });
    expect(findings).toEqual([]);
    expect(model.entitySets.get('Thing')?.list?.id).toBe('listThing');
  });

  it('is none in data, or in a property of that name', () => {
    const schema = THING.replace(
      'id: {',
      'x-odata: { type: string }, id: { examples: [{ x-odata: { no: 1 } }],',
    );
    expect(derive(setPaths('/things', 'Thing'), schema).findings).toEqual([]);
  });
});

describe('a document that is none', () => {
  it.each([[null], ['text'], [[]], [{}], [{ swagger: '2.0' }], [{ openapi: 3 }]])(
    'such as %j is reported',
    (document) => {
      const { findings, model } = deriveDocument(document);
      expect(findings).toEqual(['error  It is not an OpenAPI document: it has no `openapi` version']);
      expect(model.entitySets.size).toBe(0);
    },
  );

  it.each([
    [{ paths: [] }],
    [{ paths: { '/a': null, '/b': 1, '/c': { get: null }, x: {} } }],
    [{ paths: { '/a': { get: { responses: [], parameters: {}, operationId: 1 } } } }],
    [
      {
        paths: { '/a/{': { get: { responses: { 200: 1 } } } },
        components: { schemas: { A: 1, B: { allOf: {}, properties: [] } } },
      },
    ],
    [
      {
        paths: { '/a': { get: { responses: { 200: { content: { 'application/json': { schema: 5 } } } } } } },
      },
    ],
  ])('makes sense of nothing in %j', (content) => {
    expect(deriveDocument({ openapi: '3.1.0', ...content }).model.entitySets.size).toBe(0);
  });

  it('is not followed deeper than it may be nested', () => {
    let schema: object = { type: 'string' };
    for (let depth = 0; depth < 10_000; depth += 1) schema = { type: 'object', properties: { a: schema } };
    const { findings } = deriveDocument({
      openapi: '3.1.0',
      paths: {},
      components: { schemas: { A: schema } },
    });
    expect(findings).toEqual(['error  The document is nested deeper than 256 levels']);
  });

  it('may refer to one object again and again', () => {
    let schema: object = { type: 'object', properties: { id: { type: 'string' } } };
    for (let depth = 0; depth < 40; depth += 1)
      schema = { type: 'object', properties: { a: schema, b: schema } };
    const responses = { 200: { content: { 'application/json': { schema } } } };
    const { findings } = deriveDocument({ openapi: '3.1.0', paths: { '/a': { get: { responses } } } });
    expect(findings).toContain('error  The document has more than 10000 types');
  });

  it('may have 1,000 operations', () => {
    const names = Array.from({ length: 250 }, (_, index) => `Thing${index}`);
    const paths = names.map((name) =>
      setPaths(
        `/${name}`,
        name,
        `  delete: { operationId: del${name}, responses: {} }\n/${name}/{id}/run: { post: { operationId: run${name}, responses: {} } }`,
      ),
    );
    const schemas = names.map((name) => THING.replace('Thing', name));
    const document = derive(paths.join('\n'), schemas.join('\n'));
    expect(document.model.entitySets.size).toBe(250);
  });
});
