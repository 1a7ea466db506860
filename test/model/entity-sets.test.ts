import { describe, expect, it } from 'vitest';
import type { EntitySet } from '../../src/model/edm.ts';
import { answer, derive, pathParameter, reference, setPaths } from './document.ts';

function summary(set: EntitySet | undefined): unknown {
  if (set === undefined) return undefined;
  const { list, read, insert, update, entityType } = set;
  return {
    type: entityType.name,
    key: entityType.key,
    list: list && [list.id, list.wrappedIn?.join('.')],
    read: read && [read.id, read.parameters],
    insert: insert && [insert.id, insert.verbatim, insert.failure],
    update: update && [update.id, update.method],
    delete: set.delete?.id,
  };
}

function only(derived: ReturnType<typeof derive>): unknown {
  expect(derived.model.entitySets.size).toBeLessThanOrEqual(1);
  return summary([...derived.model.entitySets.values()][0]);
}

const POST = 'Post: { type: object, properties: { id: { type: integer }, title: { type: string } } }';
const ID = [{ name: 'id', property: 'Id' }];

describe('an entity set', () => {
  it('is a list with a path below it by which one of it is read', () => {
    const derived = derive(setPaths('/posts', 'Post'), POST);
    expect(only(derived)).toEqual({
      type: 'Post',
      key: ['Id'],
      list: ['listPost', undefined],
      read: ['readPost', ID],
      insert: undefined,
      update: undefined,
      delete: undefined,
    });
    expect(derived.findings).toEqual([]);
  });

  it('can be written where the document has the operations', () => {
    const paths = setPaths(
      '/posts',
      'Post',
      `  put: { operationId: put, responses: {} }
  patch: { operationId: patch, responses: {} }
  delete: { operationId: remove, responses: {} }
/posts/:
  post: { operationId: add, responses: ${answer(reference('Post'))} }`,
    );
    expect(only(derive(paths, POST))).toMatchObject({
      insert: ['add', false, undefined],
      update: ['patch', 'PATCH'],
      delete: 'remove',
    });
  });

  it('is created as x-odata says', () => {
    const post = `{ operationId: add, x-odata: { body: verbatim, failure: No. }, responses: ${answer(reference('Post'))} }`;
    const paths = setPaths('/posts', 'Post').replace('/posts:', `/posts:\n  post: ${post}`);
    expect(only(derive(paths, POST))).toMatchObject({ insert: ['add', true, 'No.'] });
  });

  it.each([
    ['{ 201: { description: Created. } }', 'Post', ['add', false, undefined]],
    [
      '{ 202: { description: Taken., headers: { location: { schema: { type: string } } } } }',
      'Post',
      ['add', false, undefined],
    ],
    ['{ 204: { description: Done. } }', 'Post', ['add', false, undefined]],
    ['{ 202: { description: Accepted. } }', 'Post', undefined],
    ['{ 201: { description: Created. } }', 'Other', undefined],
  ])(
    'is created by what takes it and answers with its URL alone, or nothing: %s %s',
    (responses, body, insert) => {
      const content = `{ application/json: { schema: ${reference(body)} } }`;
      const paths = setPaths('/posts', 'Post').replace(
        '/posts:',
        `/posts:\n  post: { operationId: add, requestBody: { content: ${content} }, responses: ${responses} }`,
      );
      const other =
        'Other: { type: object, properties: { title: { type: string }, all: { type: boolean } } }';
      expect(only(derive(paths, `${POST}\n${other}`))).toMatchObject({ insert });
    },
  );

  it('is not created by what answers with something else', () => {
    const paths = setPaths('/posts', 'Post').replace(
      '/posts:',
      `/posts:\n  post: { operationId: add, responses: ${answer('{ type: object, properties: { ok: { type: boolean } } }')} }`,
    );
    const derived = derive(paths, POST);
    expect(only(derived)).toMatchObject({ insert: undefined });
    expect(derived.model.callables.map(({ name, kind }) => [name, kind])).toEqual([['Add', 'action']]);
    expect(derived.findings).toEqual([
      'warning /paths/~1posts/post It does not answer with Post, so that it is an action and no create: where it makes one, an overlay can give its answer that schema',
    ]);
  });

  it('is created with a header that the project has to give, which is told', () => {
    const from = '{ name: X-Desk, in: header, required: true, schema: { type: string } }';
    const post = `{ operationId: add, parameters: [${from}], responses: ${answer(reference('Post'))} }`;
    const derived = derive(setPaths('/posts', 'Post').replace('/posts:', `/posts:\n  post: ${post}`), POST);
    expect(only(derived)).toMatchObject({ insert: ['add', false, undefined] });
    expect(derived.findings).toEqual([
      'warning /paths/~1posts/post It demands the header "X-Desk", for which a change of an entity has no place: operationHeaders of the source can give it',
    ]);
  });

  it.each([
    ['{ type: object, properties: { items: LIST, total: { type: integer } } }', 'items'],
    ['{ type: object, properties: { data: LIST } }', 'data'],
    [
      '{ type: object, properties: { posts: LIST, tags: { type: array, items: { type: string } } } }',
      'posts',
    ],
  ])('is listed in %s', (wrapper, name) => {
    const list = `{ type: array, items: ${reference('Post')} }`;
    const paths = setPaths('/posts', 'Post').replace(list, wrapper.replace('LIST', list));
    expect(only(derive(paths, POST))).toMatchObject({ list: ['listPost', name] });
  });

  it('has the mesh names of operations without an id', () => {
    const paths = setPaths('/posts', 'Post').replaceAll(/operationId: \w+, /g, '');
    expect(only(derive(paths, POST))).toMatchObject({
      list: ['posts', undefined],
      read: ['posts_by_id', ID],
    });
  });

  it('keeps its operations where a later one has the id of one of them', () => {
    const paths = setPaths('/posts', 'Post', `/other: { get: { operationId: listPost, responses: {} } }`);
    const derived = derive(paths, POST);
    expect(only(derived)).toMatchObject({ list: ['listPost', undefined] });
    expect(derived.findings[0]).toBe(
      'warning /paths/~1other/get The operation is named other in GraphQL: "listPost" also names GET /posts',
    );
  });

  it('reads entities that are not listed, if they are written at the same paths', () => {
    const paths = setPaths('/posts', 'Post', '  delete: { operationId: remove, responses: {} }');
    const derived = derive(paths.replace(/ {2}get: \{ operationId: listPost.*\n/, ''), POST);
    expect(only(derived)).toMatchObject({ list: undefined, read: ['readPost', ID], delete: 'remove' });
    expect(derived.csdl).toContain('<Annotation Term="Capabilities.ReadRestrictions">');
  });

  it('has the name, the grants and the ETag that x-odata gives', () => {
    const schema = `Post:
  type: object
  x-odata: { entitySet: Posts, etag: title, grants: { User: [View, Insert], Admin: [Delete] } }
  properties: { id: { type: integer }, title: { type: string } }`;
    const { model, findings } = derive(setPaths('/posts', 'Post'), schema);
    const set = model.entitySets.get('Posts');
    expect(set?.grants).toEqual(
      new Map([
        ['User', new Set(['View', 'Insert'])],
        ['Admin', new Set(['Delete'])],
      ]),
    );
    expect(set?.entityType.etag).toBe('Title');
    expect(findings).toEqual([]);
  });

  it('is missing where x-odata hides its schema, its list or its path', () => {
    const hidden = POST.replace('type: object', 'type: object, x-odata: false');
    expect(only(derive(setPaths('/posts', 'Post'), hidden))).toBeUndefined();
    const list = setPaths('/posts', 'Post').replace(
      'operationId: listPost',
      'x-odata: false, operationId: listPost',
    );
    expect(only(derive(list, POST))).toBeUndefined();
    const path = setPaths('/posts', 'Post').replace('/posts:\n', '/posts:\n  x-odata: false\n');
    expect(only(derive(path, POST))).toBeUndefined();
  });

  it('says how the pages of a list are followed', () => {
    const paths = setPaths('/posts', 'Post').replace(
      'operationId: listPost',
      'parameters: [{ name: page, in: query, schema: { type: integer } }], operationId: listPost',
    );
    expect(derive(paths, POST).findings).toEqual([
      'info /paths/~1posts/get The list comes in pages, which are followed by the number of the page as "page"',
      'warning /paths/~1posts/get No parameter narrows or sorts this list in pages: conditions on anything but its key, and orders, read all of it',
    ]);
  });

  it.each([
    ['a parameter narrows it', '{ name: title, in: query, schema: { type: string } }'],
    ['it has no pages', ''],
  ])('says nothing of parameters where %s', (_, parameter) => {
    const page = parameter === '' ? '' : '{ name: page, in: query, schema: { type: integer } }, ';
    const paths = setPaths('/posts', 'Post').replace(
      'operationId: listPost',
      `parameters: [${page}${parameter}], operationId: listPost`,
    );
    const findings = derive(paths, POST).findings.filter((finding) => finding.includes('narrows'));
    expect(findings).toEqual([]);
  });

  it.each([
    ['limit', 'The list takes limit'],
    ['cursor', 'The list takes cursor'],
  ])('says that nothing leads behind the first page: %s', (parameter, taken) => {
    const paths = setPaths('/posts', 'Post').replace(
      'operationId: listPost',
      `parameters: [{ name: ${parameter}, in: query, schema: {} }], operationId: listPost`,
    );
    expect(derive(paths, POST).findings).toEqual([
      `warning /paths/~1posts/get ${taken}, and nothing says how to ask for the pages behind the first: unless its answers do, a list of several pages is an error; x-odata.page, skip, cursor or next says it`,
    ]);
  });

  it('knows its pages', () => {
    const paths = setPaths('/posts', 'Post').replace(
      'operationId: listPost',
      `parameters: [{ name: 'page[size]', in: query }, { name: from, in: query }, { name: t, in: query }],
    x-odata: { pageOf: Post, total: count, top: 'page[size]', skip: from, filters: { Title: t } }, operationId: listPost`,
    );
    const { model, findings } = derive(paths, POST);
    expect(findings).toEqual([]);
    expect(model.entitySets.get('Post')?.page).toEqual({
      id: 'listPost',
      source: 'Test',
      parameters: [],
      wrappedIn: undefined,
      paging: {
        size: {
          parameter: {
            name: 'page_LEFT_SQUARE_BRACE_size_RIGHT_SQUARE_BRACE_',
            required: false,
            values: {},
          },
          largest: undefined,
          sure: false,
        },
        ways: [{ kind: 'offset', parameter: { name: 'from', required: false, values: {} }, first: 0 }],
        tells: { next: false, more: false, total: true },
        places: { next: undefined, more: undefined, total: ['count'] },
        onward: false,
      },
      orderBy: undefined,
      filters: new Map([['Title', { name: 't', required: false, values: {} }]]),
    });
  });
});

describe('the key of an entity set', () => {
  const paths = (parameters: readonly string[]) => `
/things:
  get: { operationId: things, responses: ${answer(`{ type: array, items: ${reference('BlogPost')} }`)} }
/things/${parameters.map((name) => `{${name}}`).join('/')}:
  parameters: [${parameters.map(pathParameter).join()}]
  get: { operationId: thing, responses: ${answer(reference('BlogPost'))} }`;
  const schema = (settings: string) => `BlogPost:
  type: object
  ${settings}
  properties:
    id: { type: string }
    blog_id: { type: integer }
    weight: { type: number }
    tags: { type: array, items: { type: string } }`;

  it.each([
    [['id'], ['Id']],
    [['ID'], ['Id']],
    [['postId'], ['Id']],
    [['blog_post_id'], ['Id']],
    [
      ['blogId', 'postId'],
      ['BlogId', 'Id'],
    ],
  ])('is of the properties that %s name', (parameters, key) => {
    const { model, findings } = derive(paths(parameters), schema(''));
    const type = model.entityTypes.get('BlogPost');
    expect(type?.key).toEqual(key);
    expect(key.map((name) => type?.structuralProperties.get(name)?.nullable)).toEqual(key.map(() => false));
    expect(findings).toEqual([]);
  });

  it('is the one that x-odata names, in its order', () => {
    const named = derive(paths(['blogId', 'postId']), schema('x-odata: { key: [Id, blog_id] }'));
    expect(named.model.entitySets.get('Things')?.read?.parameters).toEqual([
      { name: 'blogId', property: 'BlogId' },
      { name: 'postId', property: 'Id' },
    ]);
    const single = derive(paths(['slug']), schema('x-odata: { key: id }'));
    expect(single.model.entityTypes.get('BlogPost')?.key).toEqual(['Id']);
  });

  it.each([
    [
      ['slug'],
      '',
      'warning /paths/~1things~1{slug}/get No property of "BlogPost" is named like the path parameter "slug": x-odata.key on the schema can name it',
    ],
    [
      ['weight'],
      '',
      'warning /components/schemas/BlogPost/properties/weight Weight cannot be a key: OData has no keys of its type',
    ],
    [
      ['tags'],
      '',
      'warning /components/schemas/BlogPost/properties/tags Tags cannot be a key: OData has no keys of its type',
    ],
    [
      ['id'],
      'x-odata: { key: nope }',
      'error /components/schemas/BlogPost/x-odata/key The key names "nope", which is not a property of the schema',
    ],
    [
      ['id'],
      'x-odata: { key: [id, blog_id] }',
      'error /paths/~1things~1{id}/get The path parameters must be the key properties, each of them once',
    ],
  ])('of %s with %s is not read by', (parameters, settings, finding) => {
    const { model, findings } = derive(paths(parameters), schema(settings));
    expect(model.entitySets.get('Things')?.read).toBe(undefined);
    expect(findings).toContain(finding);
  });
});

describe('a singleton', () => {
  const paths = `/settings:
  get: { operationId: settings, responses: ${answer(reference('Settings'))} }
  patch: { operationId: change, responses: ${answer(reference('Settings'))} }`;

  it('is a GET of one object without parameters', () => {
    const { model } = derive(paths, 'Settings: { type: object, properties: { theme: { type: string } } }');
    const singleton = model.singletons.get('Settings');
    expect([singleton?.read.id, singleton?.update?.id, singleton?.entityType.key]).toEqual([
      'settings',
      'change',
      [],
    ]);
  });

  it('has the name that x-odata gives', () => {
    const schema =
      'Settings: { type: object, x-odata: { singleton: My }, properties: { a: { type: string } } }';
    expect([...(derive(paths, schema).model.singletons.keys() ?? [])]).toEqual(['My']);
  });
});

describe('several sources', () => {
  it('have a namespace each, and names that do not clash', async () => {
    const { modelFromOpenApi } = await import('../../src/derive/model-from-openapi.ts');
    const { parse } = await import('yaml');
    const document = {
      openapi: '3.1.0',
      paths: parse(setPaths('/posts', 'Post')),
      components: { schemas: parse(POST) },
    };
    const { model, report } = modelFromOpenApi([
      { name: 'First', document },
      { name: 'second-api', document },
    ]);
    expect(
      [...model.entitySets.values()].map(({ name, entityType, list }) => [
        name,
        `${entityType.namespace}.${entityType.name}`,
        list?.source,
      ]),
    ).toEqual([
      ['Post', 'First.Post', 'First'],
      ['SecondApiPost', 'SecondApi.SecondApiPost', 'second-api'],
    ]);
    expect(
      report
        .filter(({ rule }) => rule === 'name-is-taken')
        .map(({ severity, source, message }) => [severity, source, message]),
    ).toEqual([
      ['info', 'second-api', 'It is named SecondApiPost: the name Post is taken'],
      ['info', 'second-api', 'It is named SecondApiPost: the name Post is taken'],
    ]);
  });
});

describe('a list that is no entity set', () => {
  const list = (path: string, schema: string) =>
    `${path}: { get: { responses: ${answer(`{ type: array, items: ${schema} }`)} } }`;
  const THING = 'Thing: { type: object, properties: { id: { type: string } } }';

  it.each([
    [
      'has its objects in another set',
      `${setPaths('/things', 'Thing')}\n${list('/newest', reference('Thing'))}`,
    ],
    ['is one of values', list('/words', '{ type: string }')],
    [
      'is called by name',
      list('/things', reference('Thing')).replace('get: {', 'get: { x-odata: { function: All },'),
    ],
  ])('is not where it %s', (_, paths) => {
    expect(derive(paths, THING).findings).toStrictEqual([]);
  });

  it.each(['/things.{format}', '/things/{id},{format}'])(
    'nor a singleton is at %s, where a parameter is a part of a segment',
    (path) => {
      const parameters = ['id', 'format'].filter((name) => path.includes(`{${name}}`)).map(pathParameter);
      const paths = `"${path}": { get: { parameters: [${parameters.join()}], responses: ${answer(reference('Thing'))} } }`;
      const { model } = derive(paths, THING);
      expect([model.entitySets.size, model.singletons.size, model.callables.length]).toStrictEqual([0, 0, 1]);
      expect(model.callables[0]?.parameters).toHaveLength(parameters.length);
    },
  );
});
