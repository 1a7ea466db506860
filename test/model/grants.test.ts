import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import type { Permission } from '../../src/model/permission.ts';
import { answer, deriveDocument, pathParameter, reference, setPaths } from './document.ts';

const text = answer('{ type: string }');

const PATHS = `
${setPaths('/orders', 'Order')}
/orders/{id}/cancel:
  post: { operationId: cancel, parameters: [${pathParameter('id')}], responses: ${text} }
/me: { get: { operationId: me, responses: ${answer(reference('Me'))} } }
/search:
  get: { operationId: search, x-odata: { grants: { Clerk: [Call] } }, parameters: [{ name: q, in: query, required: true, schema: { type: string } }], responses: ${text} }
/reset:
  post: { operationId: reset, responses: ${text} }
/near:
  get: { operationId: near, x-odata: { function: Find, grants: { Clerk: [Call], Guest: [Call] } }, parameters: [{ name: place, in: query, required: true, schema: { type: string } }], responses: ${text} }
/like:
  get: { operationId: like, x-odata: { function: Find, grants: { Clerk: [Call] } }, parameters: [{ name: word, in: query, required: true, schema: { type: string } }], responses: ${text} }`;

const SCHEMAS = `
Order: { type: object, properties: { id: { type: string } }, x-odata: { grants: { Clerk: [View, Call], Guest: [View] } } }
Me: { type: object, properties: { name: { type: string } }, x-odata: { grants: { Guest: [View] } } }`;

function document(paths = PATHS, schemas = SCHEMAS) {
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: parse(paths),
    components: { schemas: parse(schemas) },
  };
}

describe('x-odata.grants', () => {
  const { model, ungranted } = deriveDocument(document());
  const { demand } = permissionsOf(model);

  it.each<readonly [string, string, Permission, boolean]>([
    ['Clerk', 'Order', 'View', true],
    ['Clerk', 'Order', 'Call', true],
    ['Guest', 'Order', 'Call', false],
    ['Guest', 'Me', 'View', true],
    ['Clerk', 'Me', 'View', false],
    ['Clerk', 'Search', 'Call', true],
    ['Guest', 'Search', 'Call', false],
    ['Clerk', 'Search', 'View', false],
    ['Clerk', 'Reset', 'Call', false],
    ['Clerk', 'Cancel', 'Call', false],
    ['Clerk', 'Find', 'Call', true],
    ['Guest', 'Find', 'Call', false],
    ['Clerk', 'constructor', 'View', false],
  ])('%s on %s: %s is %s', (role, resource, permission, isAllowed) => {
    const ask = () => demand({ kind: 'user', id: 'u', roles: [role] }, resource, permission);
    if (isAllowed) expect(ask).not.toThrow();
    else expect(ask).toThrow(`Your role needs the permission ${permission} on ${resource}.`);
  });

  it('says what nobody may call', () => {
    expect(ungranted).toStrictEqual([
      'info /paths/~1reset/post Nobody may call Reset: x-odata.grants on the operation says who may',
    ]);
  });

  it('says which set has operations that nobody may call', () => {
    const schemas = SCHEMAS.replace('View, Call', 'View');
    expect(deriveDocument(document(PATHS, schemas)).ungranted).toContain(
      'info /components/schemas/Order/x-odata/grants Nobody may call what is bound to Order: no role has Call (Cancel)',
    );
  });

  it('refuses what is no permission of an operation', () => {
    const paths = PATHS.replace('{ Clerk: [Call] }', '{ Clerk: [View] }');
    expect(deriveDocument(document(paths)).findings).toContain(
      'error /paths/~1search/get/x-odata/grants grants is a map of roles to [Call], not {"Clerk":["View"]}',
    );
  });
});
