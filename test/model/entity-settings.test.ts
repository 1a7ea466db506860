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
      'hasStream: true, stream: { get: bytes, put: setBytes, contentType: mime_type, etag: version }',
      BYTES.replace(/ {2}delete.*/, ''),
    );
    expect(model.entityTypes.get('Thing')?.stream).toEqual({
      get: called('bytes'),
      put: called('setBytes'),
      delete: undefined,
      contentType: 'MimeType',
      etag: 'Version',
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

  it('fills the path of a stream with the key, whatever its parameter is called', () => {
    const { model, findings } = thing(
      'stream: { get: bytes }',
      BYTES.replaceAll('{id}', '{thing}').replace('name: id', 'name: thing'),
    );
    expect(model.entityTypes.get('Thing')?.stream?.get?.parameters).toEqual([
      { name: 'thing', property: 'Id' },
    ]);
    expect(findings).toEqual([]);
  });

  it('has no stream by a path that the key does not fill', () => {
    const nested = `/things/{id}/versions/{number}/bytes:
  parameters: [${pathParameter('id')}, ${pathParameter('number')}]
  get: { operationId: bytes, responses: { '200': { description: ok, content: { image/png: {} } } } }`;
    const { model, findings } = thing('stream: { get: bytes }', nested);
    expect(model.entityTypes.get('Thing')?.stream?.get).toBeUndefined();
    expect(findings).toEqual([
      'error /paths/~1things~1{id}~1versions~1{number}~1bytes/get It is not served as a stream: the key of Thing does not fill the parameters of its path',
    ]);
  });

  it('takes the media types of the request body for a stream', () => {
    const put =
      'put: { operationId: setBytes, requestBody: { content: { image/*: {}, text/plain: {} } }, responses: {} }';
    const { model, csdl } = thing('stream: { put: setBytes }', BYTES.replace(/put: .*/, put));
    expect(model.entityTypes.get('Thing')?.stream?.mediaTypes).toEqual(['image/*', 'text/plain']);
    const taken = '<Collection><String>image/*</String><String>text/plain</String></Collection>';
    const annotation = `<Annotation Term="Core.AcceptableMediaTypes">${taken}</Annotation>`;
    expect(/<Annotations Target="Test.Thing">.*?<\/Annotations>/.exec(csdl.join(''))?.[0]).toContain(
      annotation,
    );
    const ofProperty = thing('streams: [{ name: Photo, put: setBytes }]', BYTES.replace(/put: .*/, put)).csdl;
    expect(
      /<Annotations Target="Test.Thing\/Photo">.*?<\/Annotations>/.exec(ofProperty.join(''))?.[0],
    ).toContain(annotation);
  });

  it.each([
    ['stream: {}', 'image/png: {}', { mediaTypes: ['image/png'], only: true }],
    ['stream: {}', 'image/png: {}, application/json: {}', { mediaTypes: ['image/png'], only: false }],
    ['stream: {}', 'application/json: {}', undefined],
    ['etag: version', 'image/png: {}, application/json: {}', undefined],
  ])('of a create under %s, with the body %s: %o', (settings, content, media) => {
    const create = `post: { operationId: addThing, requestBody: { content: { ${content} } }, responses: ${answer(reference('Thing'))} }`;
    const { model } = derive(
      setPaths('/things', 'Thing').replace('/things:', `/things:\n  ${create}`),
      `Thing: { type: object, x-odata: { ${settings} }, properties: { id: { type: string }, version: { type: string } } }`,
    );
    expect(model.entitySets.get('Thing')?.insert?.media).toEqual(media);
    expect(model.entitySets.get('Thing')?.insert?.id).toBe('addThing');
  });

  const changes = (settings: string, items = reference('Thing')): string =>
    `/changes:
  get:
    operationId: changes
    x-odata: { ${settings} }
    parameters: [{ name: since, in: query, schema: { type: string } }]
    responses: ${answer(`{ type: object, properties: { things: { type: array, items: ${items} }, gone: { type: array, items: { type: string } }, next: { type: string } } }`)}`;
  const FEED = 'A change feed is a GET without path parameters that answers with a list of the entities';

  it.each([
    ['next: next', '', 'A change feed needs x-odata.since: the parameter that takes a token'],
    ['since: since', '', 'A change feed needs x-odata.next: the property that holds the next token'],
    ['since: nope, next: next', '/x-odata/since', 'The operation has no parameter "nope"'],
    ['since: since, next: nope', '/x-odata/next', 'The answer has no property "nope"'],
    ['since: since, next: next, removed: nope', '/x-odata/removed', 'The answer has no property "nope"'],
  ])('reports what a change feed lacks: %s', (settings, pointer, message) => {
    const { findings } = thing('changes: changes', changes(settings));
    expect(findings).toEqual([`error /paths/~1changes/get${pointer} ${message}`]);
  });

  it('reports a change feed of something else', () => {
    const { model, findings } = thing(
      'changes: changes',
      changes('since: since, next: next', '{ type: object, properties: { id: { type: string } } }'),
    );
    expect(model.entitySets.get('Thing')?.changes).toBeUndefined();
    expect(findings).toEqual([`error /paths/~1changes/get ${FEED}`]);
  });

  it('finds properties by their names in the document before those that others are renamed to', () => {
    const paths = setPaths('/things', 'Thing').replace(
      'operationId: listThing',
      'x-odata: { pageOf: Thing, filters: { b: q } }, parameters: [{ name: q, in: query, schema: { type: string } }], operationId: listThing',
    );
    const renamed = (name: string, other: string) => `${name}: { type: string, x-odata: { name: ${other} } }`;
    const { model, findings } = derive(
      paths,
      `Thing: { type: object, required: [id, a, b, c], x-odata: { key: b, alternateKeys: [[a, c]], etag: c }, properties: { id: { type: string }, ${renamed('a', 'b')}, ${renamed('b', 'c')}, ${renamed('c', 'a')} } }`,
    );
    const { key, alternateKeys, etag } = model.entityTypes.get('Thing') ?? {};
    const filters = [...(model.entitySets.get('Thing')?.page?.filters.keys() ?? [])];
    expect([key, alternateKeys, etag, filters, findings]).toEqual([['c'], [['b', 'a']], 'a', ['c'], []]);
  });

  it('tells the ETag and the changes', () => {
    const { model, csdl, findings } = thing(
      'etag: version, changes: changes',
      changes('since: since, removed: gone, next: next'),
    );
    expect(model.entityTypes.get('Thing')?.etag).toBe('Version');
    expect(model.entitySets.get('Thing')?.changes).toEqual({
      id: 'changes',
      source: 'Test',
      parameters: [],
      wrappedIn: ['things'],
      since: 'since',
      removed: 'gone',
      next: 'next',
    });
    expect(csdl).toContain('<Annotation Term="Capabilities.ChangeTracking">');
    expect(csdl).toContain('<Annotation Term="Core.OptimisticConcurrency">');
    expect(csdl).toContain('<PropertyPath>Version</PropertyPath>');
    expect(model.callables).toEqual([]);
    expect(findings).toEqual([]);
  });

  it.each([
    ['changes: nope', '/changes', 'No operation has the id "nope"'],
    ['stream: { get: nope }', '/stream/get', 'No operation has the id "nope"'],
    ['stream: { etag: nope }', '/stream/etag', '"nope" is not a property of Thing'],
    ['stream: { contentType: nope }', '/stream/contentType', '"nope" is not a property of Thing'],
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
    ['pageOf: Thing, filters: { nope: id }', '/filters/nope', '"nope" is not a property of Thing'],
  ])('%s is reported', (settings, pointer, message) => {
    expect(derive(list(settings), schema).findings).toContain(
      `error /paths/~1things/get/x-odata${pointer} ${message}`,
    );
  });

  it.each([
    ['function: Best, overloads: [[nope]]', '/overloads/0', 'The operation has no such parameters: ["nope"]'],
    ['function: Best, bound: Nope', '/bound', '"Nope" is not an entity type of the model'],
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
    expect(csdl).toContain('<EntitySet Name="Thing" EntityType="Com.Example.Thing"/>');
    expect(csdl).toContain('<Annotation Term="Core.SchemaVersion" String="7"/>');
  });
});
