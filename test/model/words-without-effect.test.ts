import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { VOCABULARY } from '../../src/model/from-openapi/document/vocabulary.ts';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (name: string) => ({ type: 'array', items: ref(name) });
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const answer = (schema: object) => ({ 200: { description: 'OK', ...content(schema) } });
const query = (name: string, type: string) => ({ name, in: 'query', schema: { type } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

/** A document with an operation of each role, with a setting at one of them. */
function documentWith(operation: string, settings: object): object {
  const said = (id: string, node: object) => ({
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
        get: said('things', {
          parameters: [query('limit', 'integer'), query('colour', 'string')],
          responses: answer({ type: 'object', properties: page }),
        }),
        post: said('createThing', { requestBody: content(ref('Thing')), responses: answer(ref('Thing')) }),
      },
      '/things/{id}': {
        parameters: [id],
        get: said('thing', { responses: answer(ref('Thing')) }),
        patch: said('change', { requestBody: content(ref('Thing')), responses: answer(ref('Thing')) }),
        delete: said('drop', { responses: { 204: { description: 'Gone' } } }),
      },
      '/things/{id}/parts': { parameters: [id], get: said('parts', { responses: answer(list('Part')) }) },
      '/things/{id}/count': {
        parameters: [id],
        get: said('count', { responses: answer({ type: 'integer' }) }),
      },
      '/things/{id}/do': { parameters: [id], post: said('act', { responses: answer({ type: 'integer' }) }) },
      '/now': {
        get: said('now', { parameters: [query('zone', 'string')], responses: answer({ type: 'string' }) }),
      },
      '/me': { get: said('me', { responses: answer(ref('Me')) }) },
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
  grants: { User: ['Call'] },
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

describe('a word of x-odata at an operation', () => {
  const derive = (document: object) => {
    const { model, report } = modelFromOpenApi([{ name: 'Api', document }]);
    return {
      model: inspect(model, { depth: 30, maxArrayLength: null }),
      report: report.map((finding) => inspect(finding)),
    };
  };

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
