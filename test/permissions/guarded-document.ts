import { many, object, one, PLACES } from './places.ts';

/** The permissions of each role on the entities of each type, as the roles' names say. */
const GRANTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Owner: {
    OwnerViewer: ['View', 'Call'],
    BothViewer: ['View', 'Call'],
    Caller: ['Call'],
    Inserter: ['Insert'],
    Updater: ['Update'],
    Deleter: ['Delete'],
    Changer: ['View', 'Insert', 'Update', 'Delete', 'Call'],
    Admin: ['View', 'Insert', 'Update', 'Delete', 'Call'],
  },
  Secret: {
    SecretViewer: ['View', 'Call'],
    BothViewer: ['View', 'Call'],
    Inserter: ['Insert'],
    Updater: ['Update'],
    Deleter: ['Delete'],
    Admin: ['View', 'Insert', 'Update', 'Delete', 'Call'],
  },
  Rival: {
    Inserter: ['Insert'],
    Updater: ['Update'],
    Deleter: ['Delete'],
    Admin: ['View', 'Insert', 'Update', 'Delete', 'Call'],
  },
};

const TYPES = Object.keys(GRANTS);

/** All roles, the most powerful first: what was kept for it must not reach the others. */
export const ROLES = [...new Set(TYPES.flatMap((type) => Object.keys(GRANTS[type] ?? {})))].reverse();

/** The types whose entities the role may not see. */
export function hiddenFrom(role: string): readonly string[] {
  return TYPES.filter((type) => GRANTS[type]?.[role]?.includes('View') !== true);
}

/** The types without permissions for the role, whose existence must be hidden from it. */
export function unknownTo(role: string): readonly string[] {
  return TYPES.filter((type) => GRANTS[type]?.[role] === undefined);
}

const answer = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const body = (schema: object) => ({ content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

function operationsOf(type: string): Readonly<Record<string, object>> {
  const path = `/${type.toLowerCase()}s`;
  return {
    [path]: {
      get: { operationId: `list${type}`, responses: answer(many(one(type))) },
      post: {
        operationId: `create${type}`,
        requestBody: body(one(type)),
        responses: { 201: answer(one(type))[200] },
      },
    },
    [`${path}/{id}`]: {
      parameters: [id],
      get: { operationId: `read${type}`, responses: answer(one(type)) },
      patch: { operationId: `update${type}`, requestBody: body(one(type)), responses: answer(one(type)) },
      delete: { operationId: `delete${type}`, responses: { 204: { description: 'Gone' } } },
    },
  };
}

/** The results of functions and actions: values at different positions. */
const RESULTS: Readonly<Record<string, object>> = {
  owner: one('Owner'),
  secrets: many(one('Secret')),
  found: object({ note: { type: 'string' }, found: one('Secret'), all: many(one('Secret')) }),
  envelope: object({ items: many(one('Owner')), included: many(one('Secret')) }),
  text: { type: 'string' },
  ...Object.fromEntries(Object.entries(PLACES).map(([name, { schema }]) => [`of_${name}`, schema])),
};

const called = { grants: { Caller: ['Call'], OwnerViewer: ['Call'], BothViewer: ['Call'], Admin: ['Call'] } };

function callsOf(name: string, schema: object): Readonly<Record<string, object>> {
  return {
    [`/get/${name}`]: {
      get: {
        operationId: `get_${name}`,
        'x-odata': { function: `Get_${name}`, ...called },
        responses: answer(schema),
      },
    },
    [`/do/${name}`]: {
      post: {
        operationId: `do_${name}`,
        'x-odata': { action: `Do_${name}`, ...called },
        responses: answer(schema),
      },
    },
    [`/owners/{id}/${name}`]: {
      parameters: [id],
      post: {
        operationId: `owner_${name}`,
        'x-odata': { action: `Owner_${name}`, bound: 'Owner' },
        responses: answer(schema),
      },
    },
  };
}

/** Entities of one type, which hold those of others in every way that a document knows. */
export const GUARDED_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Places', version: '1' },
  'x-odata': { namespace: 'Test' },
  paths: {
    ...Object.assign({}, ...TYPES.map(operationsOf)),
    '/paged': {
      get: {
        operationId: 'paged',
        responses: answer(
          object({
            items: many(one('Paged')),
            included: many(one('Secret')),
            first: one('Secret'),
            total: { type: 'integer' },
          }),
        ),
      },
    },
    '/paged/{id}': { get: { operationId: 'readPaged', parameters: [id], responses: answer(one('Paged')) } },
    ...Object.assign({}, ...Object.entries(RESULTS).map(([name, schema]) => callsOf(name, schema))),
  },
  components: {
    schemas: {
      Owner: {
        ...object({
          id: { type: 'string' },
          title: { type: 'string' },
          ...Object.fromEntries(Object.entries(PLACES).map(([name, { schema }]) => [name, schema])),
        }),
        'x-odata': { grants: GRANTS.Owner },
      },
      Paged: {
        ...object({ id: { type: 'string' }, kept: one('Secret'), others: many(one('Secret')) }),
        'x-odata': { grants: GRANTS.Owner },
      },
      ...Object.fromEntries(
        ['Secret', 'Rival'].map((type) => [
          type,
          {
            ...object({ id: { type: 'string' }, [`${type.toLowerCase()}Name`]: { type: 'string' } }),
            'x-odata': { grants: GRANTS[type] },
          },
        ]),
      ),
      ...Object.assign({}, ...Object.values(PLACES).map(({ components }) => components)),
    },
  },
};

export { RESULTS };
