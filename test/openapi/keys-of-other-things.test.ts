import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const parameters = (...types: readonly (readonly [string, string])[]): string =>
  `parameters: [${types.map(([name, type]) => `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`).join()}]`;
const list = (id: string, name: string): string =>
  `get: { operationId: ${id}, responses: ${answer(`{ type: array, items: ${ref(name)} }`)} }`;
const read = (id: string, name: string): string =>
  `get: { operationId: ${id}, responses: ${answer(ref(name))} }`;

const PAGES = `
openapi: 3.1.0
info: { title: Pages, version: '1' }
paths:
  /pages: { ${list('pages', 'Page')} }
  /pages/{id_or_slug}: { ${parameters(['id_or_slug', 'string'])}, ${read('page', 'Page')} }
components:
  schemas:
    Page: { type: object, required: [id], properties: { id: { type: integer }, slug: { type: [string, 'null'] } } }
`;

/** The slug of one page is the identifier of another one. */
const PAGE_ANSWERS = {
  'GET /pages': [
    { id: 7, slug: 'home' },
    { id: 8, slug: 'news' },
    { id: 12, slug: '7' },
  ],
  'GET /pages/7': { id: 12, slug: '7' },
  'GET /pages/8': { id: 8, slug: 'news' },
  'GET /pages/12': { id: 12, slug: '7' },
};

describe('a condition on a key, where a read by key may find another entity', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['Page?$filter=Id eq 7', { value: [{ Id: 7, Slug: 'home' }] }, ['GET /pages', 'GET /pages/7']],
    ['Page?$filter=Id eq 8', { value: [{ Id: 8, Slug: 'news' }] }, ['GET /pages/8']],
    [
      'Page?$filter=Id in (12,7)&$select=Id&$orderby=Id',
      { value: [{ Id: 7 }, { Id: 12 }] },
      ['GET /pages', 'GET /pages/12', 'GET /pages/7'],
    ],
    ['Page?$filter=Id eq 9', { value: [] }, ['GET /pages/9']],
  ])('loses no row of the list: %s', async (path, expected, calls) => {
    const { ask, requests } = await serveDocument(PAGES, PAGE_ANSWERS);
    expect(await ask(path)).toStrictEqual([200, expected]);
    expect(requests.map(({ method, target }) => `${method} ${target}`).sort()).toStrictEqual(calls);
  });

  it('loses none in GraphQL either', async () => {
    const { query } = await serveDocument(PAGES, PAGE_ANSWERS);
    expect(await query('{ pages(where: { id: { eq: 7 } }) { id slug } }')).toStrictEqual({
      data: { pages: [{ id: '7', slug: 'home' }] },
    });
  });
});

const RULES = `
openapi: 3.1.0
info: { title: Rules, version: '1' }
paths:
  /users: { ${list('users', 'User')} }
  /users/{id}: { ${parameters(['id', 'string'])}, ${read('user', 'User')} }
  /users/{id}/contact_methods: { ${parameters(['id', 'string'])}, ${list('methods', 'Method')} }
  /users/{id}/rules: { ${parameters(['id', 'string'])}, ${list('rules', 'Rule')} }
  /users/{id}/rules/{rule_id}: { ${parameters(['id', 'string'], ['rule_id', 'string'])}, ${read('rule', 'Rule')} }
components:
  schemas:
    User: { type: object, properties: { id: { type: string } } }
    Method: { type: object, properties: { id: { type: string }, type: { type: string } } }
    Rule: { type: object, required: [contact_method], properties: { contact_method: ${ref('Method')} } }
`;

describe('the identifier of what an entity is about', () => {
  it.each<[string, unknown]>([
    ["User('u')/Rules?$filter=Id eq 'c2'", { value: [{ Id: 'c2', Type: 'sms' }] }],
    ["User('u')/Rules('c2')", { Id: 'c2', Type: 'sms' }],
  ])('is not that of the entity, which is found in its list: %s', async (path, expected) => {
    const { ask, requests } = await serveDocument(RULES, {
      'GET /users': [{ id: 'u' }],
      'GET /users/u': { id: 'u' },
      'GET /users/u/rules': [
        { contact_method: { id: 'c1', type: 'phone' } },
        { contact_method: { id: 'c2', type: 'sms' } },
      ],
    });
    expect(await ask(path)).toStrictEqual([200, expected]);
    expect(requests.map(({ target }) => target)).toStrictEqual(['/users/u/rules']);
  });
});

const FILTERS = `
openapi: 3.1.0
info: { title: Filters, version: '1' }
paths:
  /filters: { ${list('filters', 'Filter')} }
  /filters/{id}: { ${parameters(['id', 'integer'])}, ${read('filter', 'Filter')} }
  /filters/{id}/permissions: { ${parameters(['id', 'integer'])}, ${list('permissions', 'Permission')} }
  /filters/{id}/permissions/{permissionId}: { ${parameters(['id', 'integer'], ['permissionId', 'integer'])}, ${read('permission', 'Permission')} }
components:
  schemas:
    Filter: { type: object, required: [id], properties: { id: { type: string } } }
    Permission: { type: object, required: [id], properties: { id: { type: integer }, type: { type: string } } }
`;

describe('an entity below one that has a text for an identifier', () => {
  it.each<[string, unknown, string]>([
    ["Filter('f-1')/Permissions", { value: [{ Id: 2, Type: 'group' }] }, '/filters/f-1/permissions'],
    [
      "Filter('f-1')/Permissions?$filter=Id eq 2",
      { value: [{ Id: 2, Type: 'group' }] },
      '/filters/f-1/permissions/2',
    ],
    ["Filter('f-1')/Permissions(2)", { Id: 2, Type: 'group' }, '/filters/f-1/permissions/2'],
  ])('is read where the path wants a number for it: %s', async (path, expected, target) => {
    const { ask, requests } = await serveDocument(FILTERS, {
      'GET /filters': [{ id: 'f-1' }],
      'GET /filters/f-1/permissions': [{ id: 2, type: 'group' }],
      'GET /filters/f-1/permissions/2': { id: 2, type: 'group' },
    });
    expect(await ask(path)).toMatchObject([200, expected]);
    expect(requests.map((request) => request.target)).toStrictEqual([target]);
  });
});

const MAPPINGS = `
openapi: 3.1.0
info: { title: Mappings, version: '1' }
paths:
  /kinds: { ${list('kinds', 'Kind')} }
  /kinds/{id}: { ${parameters(['id', 'integer'])}, ${read('kind', 'Kind')} }
  /fields/mapping: { ${list('fieldMapping', 'FieldItem')} }
  /screens/mapping: { ${list('screenMapping', 'ScreenItem')} }
  /themes/mapping: { ${list('themeMapping', 'ThemeItem')} }
components:
  schemas:
    Kind: { type: object, required: [id], properties: { id: { type: integer } } }
    FieldItem: { type: object, required: [id, kindId], properties: { id: { type: integer }, kindId: { type: integer } } }
    ScreenItem: { type: object, required: [id, kindId], properties: { id: { type: integer }, kindId: { type: integer } } }
    ThemeItem: { type: object, required: [id, kindId], properties: { id: { type: integer }, kindId: { type: integer } } }
`;

it('lists of one name that refer to an entity are told apart by the names of their sets', async () => {
  const { csdl } = await serveDocument(MAPPINGS);
  const found = await csdl('<NavigationProperty');
  const names = found.map((element) => /Name="(\w+)" Type="Collection/.exec(element)?.[1]);
  expect(names.filter((name) => name !== undefined)).toStrictEqual([
    'Mapping',
    'MappingByKind',
    'ThemesMapping',
  ]);
});
