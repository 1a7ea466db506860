import { describe, expect, it } from 'vitest';
import { answer, type Derived, derive, pathParameter, reference, setPaths } from './document.ts';

const THING = 'Thing: { type: object, properties: { id: { type: string }, name: { type: string } } }';

/** The lines of the functions, actions and imports. */
function printed({ csdl }: Derived): readonly string[] {
  const from = csdl.findIndex((line) => /^<(?:Function|Action) /.test(line));
  const to = csdl.findIndex((line) => line.startsWith('<EntityContainer'));
  const imports = csdl.filter((line) => /^<(?:Function|Action)Import/.test(line));
  return [...(from === -1 ? [] : csdl.slice(from, to)), ...imports];
}

const BINDING = '<Parameter Name="bindingParameter" Type="Test.Thing" Nullable="false"/>';

describe('a function', () => {
  it('is a GET that is nothing else, with its parameters', () => {
    const paths = `/count/{kind}:
  get:
    operationId: countThings
    parameters:
      - ${pathParameter('kind')}
      - { name: since, in: query, schema: { type: string, format: date } }
      - { name: x-trace, in: header, schema: { type: string } }
    responses: ${answer('{ type: integer }')}`;
    expect(printed(derive(paths))).toEqual([
      '<Function Name="CountThings">',
      '<Parameter Name="Kind" Type="Edm.String" Nullable="false"/>',
      '<Parameter Name="Since" Type="Edm.Date">',
      '<Annotation Term="Core.OptionalParameter">',
      '<Record/>',
      '</Annotation>',
      '</Parameter>',
      '<ReturnType Type="Edm.Int64" Nullable="false"/>',
      '</Function>',
      '<FunctionImport Name="CountThings" Function="Test.CountThings"/>',
    ]);
  });

  it('returns entities of a set', () => {
    const paths = `${setPaths('/things', 'Thing')}
/newest: { get: { operationId: newest, x-odata: { function: Newest }, responses: ${answer(`{ type: array, items: ${reference('Thing')} }`)} } }`;
    expect(printed(derive(paths, THING))).toEqual([
      '<Function Name="Newest">',
      '<ReturnType Type="Collection(Test.Thing)" Nullable="false"/>',
      '</Function>',
      '<FunctionImport Name="Newest" Function="Test.Newest" EntitySet="Thing" IncludeInServiceDocument="true"/>',
    ]);
  });

  it('below an entity is bound to it', () => {
    const paths = setPaths(
      '/things',
      'Thing',
      `/things/{thingId}/price: { get: { operationId: x, parameters: [${pathParameter('thingId')}], responses: ${answer('{ type: number }')} } }`,
    );
    const derived = derive(paths, THING);
    expect(printed(derived)).toEqual([
      '<Function Name="GetPrice" IsBound="true">',
      BINDING,
      '<ReturnType Type="Edm.Double" Nullable="false"/>',
      '</Function>',
    ]);
    expect(derived.model.callables[0]?.calls).toEqual([
      {
        resource: 'Thing',
        operation: { id: 'x', source: 'Test', parameters: [{ name: 'thingId', property: 'Id' }] },
      },
    ]);
  });

  it('has the name, the binding and the overloads that x-odata gives', () => {
    const paths = `${setPaths('/things', 'Thing')}
/best: { get: { operationId: best, x-odata: { function: Best, bound: Collection(Thing), overloads: [[], [max]] }, parameters: [{ name: max, in: query, schema: { type: integer } }], responses: ${answer(reference('Thing'))} } }`;
    const collection = '<Parameter Name="bindingParameter" Type="Collection(Test.Thing)" Nullable="false"/>';
    const result = '<ReturnType Type="Test.Thing" Nullable="false"/>';
    expect(printed(derive(paths, THING))).toEqual([
      '<Function Name="Best" IsBound="true" EntitySetPath="bindingParameter">',
      collection,
      result,
      '</Function>',
      '<Function Name="Best" IsBound="true" EntitySetPath="bindingParameter">',
      collection,
      '<Parameter Name="Max" Type="Edm.Int64"/>',
      result,
      '</Function>',
    ]);
  });

  it.each([
    ['by the names in the document', '[[], [count], [category, count]]'],
    ['by the names in the model', '[[], [size], [Kind, size]]'],
    ['in any style', '[[], [COUNT], [Category, Count]]'],
  ])('has overloads with renamed parameters, %s', (_, overloads) => {
    const parameter = (name: string, renamed: string) =>
      `{ name: ${name}, in: query, schema: { type: integer, x-odata: { name: ${renamed} } } }`;
    const parameters = `[${parameter('count', 'size')}, ${parameter('category', 'Kind')}]`;
    const { model, findings } = derive(
      `/best: { get: { operationId: best, x-odata: { overloads: ${overloads} }, parameters: ${parameters}, responses: ${answer('{ type: integer }')} } }`,
    );
    const names = model.callables.map((each) => each.parameters.map(({ name }) => name));
    expect([names, findings]).toEqual([[[], ['size'], ['size', 'Kind']], []]);
  });

  it('has parameters by names of the document before those that others are renamed to', () => {
    const parameters =
      '[{ name: a, in: query, schema: { type: integer, x-odata: { name: b } } }, { name: b, in: query, schema: { type: integer, x-odata: { name: c } } }]';
    const { model, findings } = derive(
      `/best: { get: { operationId: best, x-odata: { overloads: [[b]] }, parameters: ${parameters}, responses: ${answer('{ type: integer }')} } }`,
    );
    const names = model.callables.map((each) => each.parameters.map(({ name }) => name));
    expect([names, findings]).toEqual([[['c']], []]);
  });

  it.each([
    [
      'a list of entities of a set',
      `{ type: array, items: ${reference('Thing')} }`,
      'Collection(Test.Thing)',
    ],
    ['one entity of a set', reference('Thing'), 'Test.Thing'],
    [
      'a list of others',
      '{ type: array, items: { type: object, properties: { id: { type: string } } } }',
      'Collection(Test.RelatedResult)',
    ],
    ['a number', '{ type: integer, format: int32 }', 'Edm.Int32'],
  ])('has the name that x-odata gives it below an entity, where it answers with %s', (_, schema, type) => {
    const paths = `${setPaths('/things', 'Thing')}
/things/{thingId}/related: { get: { operationId: related, x-odata: { function: Related }, parameters: [{ name: thingId, in: path, required: true, schema: { type: string } }], responses: ${answer(schema)} } }`;
    const { model, csdl, findings } = derive(paths, THING);
    expect(csdl.filter((line) => line.startsWith('<Function Name="Related" IsBound="true"'))).toHaveLength(1);
    expect(csdl.some((line) => line.startsWith('<ReturnType') && line.includes(`"${type}"`))).toBe(true);
    expect([...(model.entityTypes.get('Thing')?.navigationProperties.keys() ?? [])]).toStrictEqual([]);
    expect(findings.filter((finding) => !finding.startsWith('info'))).toStrictEqual([]);
  });

  it('that answers with nothing is left out', () => {
    const responses = `{ '204': { description: none } }`;
    const { findings, model } = derive(`/a: { get: { operationId: a, responses: ${responses} } }`);
    expect(model.callables).toEqual([]);
    expect(findings[0]).toBe('warning /paths/~1a/get The operation is left out: it answers with nothing');
  });

  it('that takes and answers with values of one type or another has Edm.Untyped for them', () => {
    const either = '{ type: [string, integer] }';
    const parameter = `{ name: q, in: query, required: true, schema: ${either} }`;
    const { csdl } = derive(
      `/a: { get: { operationId: a, parameters: [${parameter}], responses: ${answer(either)} } }`,
    );
    expect(csdl.filter((line) => line.includes('Untyped'))).toEqual([
      '<Parameter Name="Q" Type="Edm.Untyped"/>',
      '<ReturnType Type="Edm.Untyped"/>',
    ]);
  });
});

describe('an action', () => {
  it('is what is no GET, and takes what the body has', () => {
    const paths = `/mail:
  post:
    operationId: send-mail
    requestBody: { content: { application/json: { schema: { type: object, required: [to], properties: { to: { type: string }, no: { type: string, readOnly: true }, copies: { type: array, items: { type: string } } } } } } }
    responses: { '204': { description: sent } }`;
    expect(printed(derive(paths))).toEqual([
      '<Action Name="SendMail">',
      '<Parameter Name="To" Type="Edm.String" Nullable="false"/>',
      '<Parameter Name="Copies" Type="Collection(Edm.String)" Nullable="false">',
      '<Annotation Term="Core.OptionalParameter">',
      '<Record/>',
      '</Annotation>',
      '</Parameter>',
      '</Action>',
      '<ActionImport Name="SendMail" Action="Test.SendMail"/>',
    ]);
  });

  it.each([
    ['post', 'Cancel'],
    ['put', 'SetCancel'],
    ['patch', 'UpdateCancel'],
    ['delete', 'DeleteCancel'],
  ])('below an entity, by %s, is %s', (method, name) => {
    const paths = setPaths(
      '/things',
      'Thing',
      `/things/{id}/cancel: { ${method}: { operationId: x, parameters: [${pathParameter('id')}], responses: {} } }`,
    );
    expect(printed(derive(paths, THING))).toEqual([
      `<Action Name="${name}" IsBound="true">`,
      BINDING,
      '</Action>',
    ]);
  });

  it('does not share its name with another one of the same entity', () => {
    const paths = setPaths(
      '/things',
      'Thing',
      `/things/{id}/run: { post: { operationId: x, parameters: [${pathParameter('id')}], responses: {} } }
/things/{id}/jobs/{job}/run: { post: { operationId: y, parameters: [${pathParameter('id')}, ${pathParameter('job')}], responses: {} } }
/things/{id}/jobs/{job}/{step}/run: { post: { operationId: z, parameters: [${pathParameter('id')}, ${pathParameter('job')}, ${pathParameter('step')}], responses: {} } }`,
    );
    expect(derive(paths, THING).model.callables.map(({ name }) => name)).toEqual([
      'Run',
      'JobsRun',
      'JobsRunByJobStep',
    ]);
  });

  it('does not share its name with a type', () => {
    const paths = `${setPaths('/things', 'Thing')}\n/thing: { post: { operationId: thing, responses: {} } }`;
    expect(derive(paths, THING).model.callables.map(({ name }) => name)).toEqual(['ThingPost']);
  });
});

describe('what is no JSON', () => {
  const picture = "{ '200': { description: ok, content: { image/png: {} } } }";

  it('is the result of a function or an action as a stream', () => {
    const { model, csdl, findings } = derive(`
/picture: { get: { operationId: picture, responses: ${picture} } }
/draw: { post: { operationId: draw, responses: ${picture} } }`);
    expect(csdl.filter((line) => line.startsWith('<ReturnType'))).toStrictEqual([
      '<ReturnType Type="Edm.Stream" Nullable="false"/>',
      '<ReturnType Type="Edm.Stream" Nullable="false"/>',
    ]);
    expect([...model.imports.values()].map(({ kind, name }) => [kind, name])).toStrictEqual([
      ['function', 'Picture'],
      ['action', 'Draw'],
    ]);
    expect(csdl.join()).not.toContain('IncludeInServiceDocument');
    expect(findings).toStrictEqual([]);
  });

  it('cannot be sent: neither as a call nor as a create or a change', () => {
    const body = 'requestBody: { content: { multipart/form-data: {}, image/png: {} } }';
    const change = `operationId: change, parameters: [${pathParameter('id')}], ${body}`;
    const paths = `
/things:
  get: { operationId: things, responses: ${answer(`{ type: array, items: ${reference('Thing')} }`)} }
  post: { operationId: create, ${body}, responses: ${answer(reference('Thing'))} }
/things/{id}:
  get: { operationId: thing, parameters: [${pathParameter('id')}], responses: ${answer(reference('Thing'))} }
  put: { ${change}, responses: ${answer(reference('Thing'))} }
/upload: { post: { operationId: upload, ${body}, responses: ${answer(reference('Thing'))} } }`;
    const { model, findings } = derive(paths, THING);
    const set = model.entitySets.get('Thing');
    expect([set?.insert, set?.update, model.callables]).toStrictEqual([undefined, undefined, []]);
    const message =
      'The operation is left out: it takes multipart/form-data, image/png, neither JSON nor a form';
    expect(findings).toStrictEqual(
      ['/paths/~1things/post', '/paths/~1upload/post', '/paths/~1things~1{id}/put'].map(
        (pointer) => `warning ${pointer} ${message}`,
      ),
    );
  });
});

describe('the body of an action', () => {
  const action = (schema: string) =>
    derive(
      `/a: { post: { requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { '204': { description: done } } } }`,
    );

  it.each([
    ['{ type: object, properties: { a: { type: string } } }', ['A? Edm.String']],
    ['{ type: array, items: { type: integer } }', ['Value Edm.Int64']],
    ['{ type: object, additionalProperties: { type: string } }', ['Value? PostAValue']],
    [
      '{ type: object, oneOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 2 } } }] }',
      ['Value PostAValue'],
    ],
  ])('%s is %j', (schema, expected) => {
    const [callable] = action(schema).model.callables;
    const parameters = callable?.parameters.map(
      ({ name, optional, type }) => `${name}${optional ? '?' : ''} ${type.name}`,
    );
    expect(parameters).toStrictEqual(expected);
  });
});
