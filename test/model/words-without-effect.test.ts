import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { VOCABULARY } from '../../src/derive/vocabulary/vocabulary.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (name: string) => ({ type: 'array', items: ref(name) });
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const answer = (schema: object) => ({ 200: { description: 'OK', ...content(schema) } });
const query = (name: string, type: string) => ({ name, in: 'query', schema: { type } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

/** A document with an operation of each role, with a setting at one of them. */
function documentWith(operation: string, settings: object): object {
  const declared = (id: string, node: object) => ({
    operationId: id,
    ...node,
    ...(id === operation && { 'x-odata': settings }),
  });
  const page = { total: { type: 'integer' }, items: list('Thing'), other: list('Thing') };
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/things': {
        get: declared('things', {
          parameters: [query('limit', 'integer'), query('colour', 'string')],
          responses: answer({ type: 'object', properties: page }),
        }),
        post: declared('createThing', {
          requestBody: content(ref('Thing')),
          responses: answer(ref('Thing')),
        }),
      },
      '/things/{id}': {
        parameters: [id],
        get: declared('thing', { responses: answer(ref('Thing')) }),
        patch: declared('change', { requestBody: content(ref('Thing')), responses: answer(ref('Thing')) }),
        delete: declared('drop', { responses: { 204: { description: 'Gone' } } }),
      },
      '/things/{id}/parts': { parameters: [id], get: declared('parts', { responses: answer(list('Part')) }) },
      '/things/{id}/count': {
        parameters: [id],
        get: declared('count', { responses: answer({ type: 'integer' }) }),
      },
      '/things/{id}/do': {
        parameters: [id],
        post: declared('act', { responses: answer({ type: 'integer' }) }),
      },
      '/now': {
        get: declared('now', {
          parameters: [query('zone', 'string')],
          responses: answer({ type: 'string' }),
        }),
      },
      '/me': { get: declared('me', { responses: answer(ref('Me')) }) },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, name: { type: 'string' }, colour: { type: 'string' } },
        },
        Part: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, label: { type: 'string' } },
        },
        Me: { type: 'object', properties: { name: { type: 'string' } } },
      },
    },
  };
}

const OPERATIONS = ['things', 'createThing', 'thing', 'change', 'drop', 'parts', 'count', 'act', 'now', 'me'];

/** Of each word that an operation may have, something that it could say. */
const SAYINGS: Readonly<Record<string, unknown>> = {
  function: 'Fn',
  action: 'Act',
  bound: 'Part',
  overloads: [['zone']],
  addRef: 'Thing/Parts',
  removeRef: 'Thing/Parts',
  body: 'verbatim',
  failure: 'Failed.',
  entitySet: 'Others',
  pageOf: 'Other',
  items: 'other',
  total: 'total',
  top: 'colour',
  skip: 'limit',
  orderBy: 'colour',
  since: 'colour',
  removed: 'other',
  next: 'total',
  page: 'limit',
  cursor: 'colour',
  more: 'total',
  first: 0,
  maxTop: 7,
  filters: { colour: 'colour' },
  derive: false,
  grants: { User: ['Call'] },
  maxAge: '5m',
  rate: '60/min',
};

/** Lists of which the word could say something, and which have no place for it: their answer is a bare list, or has no pages by number. */
const NOTHING_TO_SAY = [
  'entitySet things',
  'first parts',
  'first things',
  'items parts',
  'maxTop parts',
  'total parts',
];

const derive = (document: object) => {
  const { model, report } = modelFromOpenApi([{ name: 'Api', document }]);
  return {
    model: inspect(model, { depth: 30, maxArrayLength: null }),
    report: report.map((finding) => inspect(finding)),
  };
};

describe('a word of x-odata at an operation', () => {
  it('is one that this test knows', () => {
    expect(Object.keys(SAYINGS).sort()).toEqual([...VOCABULARY.operation.keys()].sort());
  });

  it('changes the model, or is told to change nothing', () => {
    const plain = derive(documentWith('', {}));
    const silent = Object.entries(SAYINGS).flatMap(([word, value]) =>
      OPERATIONS.filter((operation) => {
        const { model, report } = derive(documentWith(operation, { [word]: value }));
        return model === plain.model && report.every((finding) => plain.report.includes(finding));
      }).map((operation) => `${word} ${operation}`),
    );
    expect(silent.sort()).toEqual(NOTHING_TO_SAY);
  });
});

/** A document with schemas, properties and parameters of each role, with a setting at one of them. */
function schemasWith(place: string, settings: object): object {
  const at = (name: string, node: object) => ({ ...node, ...(name === place && { 'x-odata': settings }) });
  const zone = at('parameter', {
    name: 'zone',
    in: 'query',
    schema: at('parameterSchema', { type: 'string' }),
  });
  const body = {
    type: 'object',
    properties: { id: { type: 'integer' }, name: at('sentProperty', { type: 'string' }) },
  };
  const parameters = [{ ...id, schema: at('keySchema', { type: 'integer' }) }];
  const object = (name: string, properties: object) =>
    at(name, { type: 'object', required: ['id'], properties });
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/things': {
        get: { operationId: 'things', responses: answer(list('Thing')) },
        post: { operationId: 'add', requestBody: content(body), responses: answer(ref('Thing')) },
      },
      '/things/{id}': { parameters, get: { operationId: 'thing', responses: answer(ref('Thing')) } },
      '/things/{id}/parts': {
        parameters: [id],
        get: { operationId: 'parts', responses: answer(list('Part')) },
      },
      '/me': { get: { operationId: 'me', responses: answer(ref('Me')) } },
      '/now': {
        get: { operationId: 'now', parameters: [zone], responses: answer(at('result', { type: 'string' })) },
      },
      '/then': { get: { operationId: 'then', responses: answer({ type: 'string' }) } },
    },
    components: {
      schemas: {
        Thing: object('entity', {
          id: at('key', { type: 'integer' }),
          name: at('text', { type: 'string' }),
          size: at('integer', { type: 'integer' }),
          price: at('decimal', { type: 'number', format: 'decimal' }),
          made: at('time', { type: 'string', format: 'date-time' }),
          image: at('binary', { type: 'string', format: 'byte' }),
          state: at('enum', { type: 'string', enum: ['new', 'old'] }),
          tags: at('list', { type: 'array', items: at('item', { type: 'string' }) }),
          place: ref('Place'),
          where: at('reference', ref('Place')),
        }),
        Place: at('complex', { type: 'object', properties: { street: at('inner', { type: 'string' }) } }),
        Part: object('contained', { id: { type: 'integer' }, label: { type: 'string' } }),
        Me: at('singleton', { type: 'object', properties: { name: { type: 'string' } } }),
        Unused: at('unused', {
          type: 'object',
          properties: { name: at('unusedProperty', { type: 'string' }) },
        }),
      },
    },
  };
}

const PLACES = [
  ...['entity', 'contained', 'singleton', 'complex', 'unused', 'unusedProperty', 'reference', 'list', 'item'],
  ...['key', 'text', 'integer', 'decimal', 'time', 'binary', 'enum', 'inner', 'sentProperty'],
  ...['parameter', 'parameterSchema', 'keySchema', 'result'],
];

/** Of each word that a schema may have, something that it could say. */
const SCHEMA_SAYINGS: Readonly<Record<string, unknown>> = {
  name: 'Other',
  type: 'Edm.String',
  precision: 3,
  scale: 2,
  searchable: false,
  immutable: true,
  mediaType: 'image/png',
  enum: 'Kind',
  all: 'any',
  flags: true,
  members: { New: 'new' },
  entitySet: 'Others',
  singleton: 'Other',
  key: 'id',
  alternateKeys: [['name']],
  etag: 'name',
  grants: { User: ['View'] },
  hasStream: true,
  stream: { get: 'then' },
  streams: [{ name: 'Cover', get: 'then' }],
  changes: 'then',
  pageSize: 7,
  ui: { label: 'Article' },
  derive: false,
  references: { name: 'Thing' },
  maxAge: '5m',
  rate: '60/min',
};

/** Words that say what is so without them. */
const REDUNDANT = [
  ...['contained', 'entity'].map((place) => `key ${place}`),
  ...['enum', 'inner', 'item', 'parameterSchema', 'result', 'sentProperty', 'text'].map(
    (place) => `type ${place}`,
  ),
];

describe('a word of x-odata at a schema or at what has one', () => {
  it('is one that this test knows', () => {
    expect(Object.keys(SCHEMA_SAYINGS).sort()).toEqual([...VOCABULARY.record.keys()].sort());
  });

  it('either changes the model or is told to change nothing', () => {
    const plain = derive(schemasWith('', {}));
    const found = Object.entries(SCHEMA_SAYINGS).flatMap(([word, value]) =>
      PLACES.map((place) => {
        const { model, report } = derive(schemasWith(place, { [word]: value }));
        const hasEffect = model !== plain.model;
        const isSilent = report.every((finding) => plain.report.includes(finding));
        const isReportedWithoutEffect = report.some((finding) => finding.includes(`"${word}" has no effect`));
        return {
          at: `${word} ${place}`,
          silent: !hasEffect && isSilent,
          wrong: hasEffect && isReportedWithoutEffect,
        };
      }),
    );
    expect(found.flatMap(({ at, silent }) => (silent ? [at] : [])).sort()).toEqual(REDUNDANT.toSorted());
    expect(found.flatMap(({ at, wrong }) => (wrong ? [at] : []))).toEqual([]);
  });

  it('is told where it stands, and what would give it effect', () => {
    const { report } = modelFromOpenApi([
      { name: 'Api', document: schemasWith('complex', { key: 'street' }) },
    ]);
    expect(report.filter(({ rule }) => rule === 'word-without-effect')).toEqual([
      {
        severity: 'warning',
        source: 'Api',
        pointer: '/components/schemas/Place/x-odata/key',
        message:
          '"key" has no effect here: it is about the schema of entities that are listed, or read by key or on their own',
        rule: 'word-without-effect',
      },
    ]);
  });
});
