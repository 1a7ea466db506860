import { describe, expect, it } from 'vitest';
import { answer, type Derived, derive, pathParameter, reference, setPaths } from './document.ts';

function thing(settings: string, more = ''): Derived {
  const schema = `Thing: { type: object, x-odata: { ${settings} }, properties: { id: { type: string }, mime_type: { type: string }, version: { type: string } } }`;
  return derive(setPaths('/things', 'Thing', more), schema);
}

const BYTES = `/things/{id}/bytes:
  parameters: [${pathParameter('id')}]
  get: { operationId: bytes, responses: { '200': { description: ok, content: { image/png: {} } } } }
  put: { operationId: setBytes, responses: {} }
  delete: { operationId: removeBytes, responses: {} }`;

const called = (id: string) => ({ id, source: 'Test', parameters: [{ name: 'id', property: 'Id' }] });

describe('x-odata on an entity', () => {
  it('makes a media entity', () => {
    const { model, csdl, findings } = thing(
      'hasStream: true, stream: { get: bytes, put: setBytes, contentType: mime_type }',
      BYTES.replace(/ {2}delete.*/, ''),
    );
    expect(model.entityTypes.get('Thing')?.stream).toEqual({
      get: called('bytes'),
      put: called('setBytes'),
      delete: undefined,
      contentType: 'MimeType',
    });
    expect(csdl).toContain('<EntityType Name="Thing" HasStream="true">');
    expect(findings).toEqual([]);
  });

  it('makes stream properties', () => {
    const { model, csdl, findings } = thing(
      'streams: [{ name: Photo, get: bytes, put: setBytes, delete: removeBytes }]',
      BYTES,
    );
    expect(model.entityTypes.get('Thing')?.streams?.get('Photo')).toEqual({
      get: called('bytes'),
      put: called('setBytes'),
      delete: called('removeBytes'),
      contentType: undefined,
    });
    expect(csdl).toContain('<Property Name="Photo" Type="Edm.Stream"/>');
    expect(findings).toEqual([]);
  });

  it('tells the ETag and the changes', () => {
    const { model, csdl, findings } = thing(
      'etag: version, changes: changes',
      `/changes: { get: { operationId: changes, responses: ${answer('{ type: array, items: { type: string } }')} } }`,
    );
    expect(model.entityTypes.get('Thing')?.etag).toBe('Version');
    expect(model.entitySets.get('Thing')?.changes).toEqual({ id: 'changes', source: 'Test', parameters: [] });
    expect(csdl).toContain('<Annotation Term="Core.OptimisticConcurrency">');
    expect(csdl).toContain('<PropertyPath>Version</PropertyPath>');
    expect(model.entitySets.get('Thing')?.changes?.id).toBe('changes');
    expect(model.callables).toEqual([]);
    expect(findings).toEqual([]);
  });

  it.each([
    ['changes: nope', '/changes', 'No operation has the id "nope"'],
    ['stream: { get: nope }', '/stream/get', 'No operation has the id "nope"'],
    ['stream: { contentType: nope }', '/stream/contentType', '"nope" is no property of Thing'],
    ['entitySet: a b', '/entitySet', '"a b" cannot be the name of an entity set'],
  ])('%s is reported', (settings, pointer, message) => {
    const { findings } = thing(settings);
    expect(findings).toEqual([`error /components/schemas/Thing/x-odata${pointer} ${message}`]);
  });
});

describe('x-odata on an operation', () => {
  const list = (settings: string) =>
    setPaths('/things', 'Thing').replace(
      'operationId: listThing',
      `x-odata: { ${settings} }, operationId: listThing`,
    );
  const schema = 'Thing: { type: object, properties: { id: { type: string } } }';

  it.each([
    ['pageOf: Thing, top: nope', '/top', 'The operation has no parameter "nope"'],
    ['pageOf: Thing, filters: { nope: id }', '/filters/nope', '"nope" is no property of Thing'],
  ])('%s is reported', (settings, pointer, message) => {
    expect(derive(list(settings), schema).findings).toContain(
      `error /paths/~1things/get/x-odata${pointer} ${message}`,
    );
  });

  it.each([
    ['function: Best, overloads: [[nope]]', '/overloads/0', 'The operation has no such parameters: ["nope"]'],
    ['function: Best, bound: Nope', '/bound', '"Nope" is no entity type of the model'],
    ['function: a b', '/function', '"a b" is not a name'],
  ])('%s is reported', (settings, pointer, message) => {
    const paths = `${setPaths('/things', 'Thing')}\n/best: { get: { operationId: best, x-odata: { ${settings} }, responses: ${answer(reference('Thing'))} } }`;
    expect(derive(paths, schema).findings).toEqual([`error /paths/~1best/get/x-odata${pointer} ${message}`]);
  });
});

describe('x-odata on the document', () => {
  it('names the namespace, the container and the version', () => {
    const settings = { namespace: 'Com.Example', container: 'Things', schemaVersion: '7' };
    const { model, csdl } = derive(
      setPaths('/things', 'Thing'),
      'Thing: { type: object, properties: { id: { type: string } } }',
      { 'x-odata': settings },
    );
    expect([model.namespace, model.container, model.schemaVersion]).toEqual(['Com.Example', 'Things', '7']);
    expect(csdl).toContain('<EntitySet Name="Thing" EntityType="Com.Example.Thing">');
    expect(csdl).toContain('<Annotation Term="Core.SchemaVersion" String="7"/>');
  });
});
