import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { rowsSource } from './query/rows-source.ts';
import { PHOTOS_DOCUMENT } from './streams.document.ts';

const library = parse(
  readFileSync(join(import.meta.dirname, '../../examples/library/openapi/library.yaml'), 'utf8'),
);
const photos = structuredClone(PHOTOS_DOCUMENT);
Object.assign(photos.components.schemas.Photo['x-odata'], { grants: { Librarian: ['Update'] } });

const never = async (): Promise<never> => {
  throw new Error('Nothing is asked of the upstream');
};
const UNUSED_SOURCE: EntitySource = {
  readCollection: never,
  readChanges: never,
  readEntity: never,
  insert: never,
  update: never,
  delete: never,
  call: never,
  readStream: never,
  writeStream: never,
  deleteStream: never,
};

function endpointOf(name: string, document: object, source: EntitySource = UNUSED_SOURCE) {
  const { model } = modelFromOpenApi([{ name, document }]);
  return createODataEndpoint({
    model,
    source: guardSource(source, permissionsOf(model), model),
    root: 'http://x/odata',
    answerMemoryBytes: 0,
  });
}

const LIBRARY = endpointOf('Library', library);
const PHOTOS = endpointOf('Photos', photos);

/** Only a principal with the permission gets an error about the body. */
const CHANGES = [
  ['a create', LIBRARY, 'POST', '/Book', 'Insert on Book'],
  ['a create with options', LIBRARY, 'POST', '/Book?$expand=Author&$select=Title', 'Insert on Book'],
  ['a create of what is contained', LIBRARY, 'POST', "/Book('1')/Reviews", 'Insert on Book'],
  ['an update', LIBRARY, 'PATCH', "/Book('1')", 'Update on Book'],
  ['a replacement', LIBRARY, 'PUT', "/Book('1')", 'Update on Book'],
  ['an update of a derived type', LIBRARY, 'PATCH', "/Book('1')/Library.PrintedBook", 'Update on Book'],
  ['an update of a singleton', LIBRARY, 'PATCH', '/House', 'Update on House'],
  ['a change of a property', LIBRARY, 'PUT', "/Book('1')/Title", 'Update on Book'],
  ['a change of a complex property', LIBRARY, 'PATCH', '/House/Address', 'Update on House'],
  ['a bound action', LIBRARY, 'POST', '/Loan(1)/Library.Return', 'Call on Loan'],
  ['an unbound action', LIBRARY, 'POST', '/SendReminders', 'Call on SendReminders'],
  ['a stream', PHOTOS, 'PUT', '/Photos(1)/$value', 'Update on Photos'],
] as const;

describe('permission before the body', () => {
  const request = (roles: readonly string[], method: string, target: string, contentType: string) => ({
    id: 'test',
    principal: { kind: 'user', id: 'u', roles } as const,
    signal: new AbortController().signal,
    method,
    target,
    headers: { 'content-type': contentType },
    body: Buffer.from('{"Nope": '),
  });

  it.each(CHANGES)('%s', async (_, endpoint, method, target, needed) => {
    for (const contentType of ['application/json', 'text/nonsense']) {
      const { status, body } = await endpoint(request(['Nobody'], method, target, contentType));
      const message = `Your role needs the permission ${needed}.`;
      expect([status, JSON.parse(String(body))]).toStrictEqual([
        403,
        { error: { code: 'Forbidden', message } },
      ]);
    }
    const permitted = await endpoint(request(['Librarian'], method, target, 'text/nonsense'));
    expect(permitted.status).toBe(415);
  });
});

describe('a change that concerns more than one entity', () => {
  const shop = endpointOf('Shop', CHANGES_DOCUMENT, { ...UNUSED_SOURCE, readEntity: async () => undefined });

  it.each([
    ['POST', '/Order', { Customer: { Name: 'x' } }, 'Insert on Customer'],
    ['POST', '/Customer', { Name: 'x', Orders: [{}] }, 'Insert on Customer'],
    ['PUT', '/Order(1)/Customer/$ref', { '@id': 'Nope(1)' }, 'Update on Order'],
    ['DELETE', '/Order(1)/Customer/$ref', undefined, 'Update on Order'],
    ['POST', '/Customer(1)/Orders/$ref', { '@id': 'Nope(1)' }, 'Update on Order'],
    ['DELETE', '/Customer(1)/Orders/$ref?$id=Order(1)', undefined, 'Update on Order'],
    ['POST', '/Order(1)/Tags/$ref', { '@id': 'Nope(1)' }, 'Update on Order'],
    ['PUT', "/Setting('new')", { Value: 'x' }, 'Insert on Setting'],
    ['PATCH', "/Setting('new')", { Value: 'x' }, 'Insert on Setting'],
    ['PATCH', '/Order(1)', { Customer: { Name: 'x' } }, 'Update on Order'],
  ])('%s %s %j needs %s', async (method, target, sent, needed) => {
    await refuses(shop, method, target, sent, needed);
  });

  const { source } = rowsSource({ Customer: [{ Id: 1 }], Order: [{ Id: 1, CustomerId: 1 }] });
  const related = endpointOf('Shop', CHANGES_DOCUMENT, source);

  it.each([
    [{ Name: 'y', Orders: [{ Id: 1, Note: 'x' }] }, 'Update on Order'],
    [{ Name: 'y', Orders: [] }, 'Update on Order'],
    [{ Name: 'y', 'Orders@delta': [{ Id: 1, Note: 'x' }] }, 'Update on Order'],
    [{ Name: 'y', 'Orders@delta': [{ '@removed': {}, '@id': 'Order(1)' }] }, 'Update on Order'],
    [{ Name: 'y', 'Orders@delta': [{ '@removed': { reason: 'deleted' }, Id: 1 }] }, 'Delete on Order'],
    [{ Name: 'y', 'Orders@odata.bind': ['Order(3)'] }, 'Update on Order'],
  ])('PATCH Customer(1) %j needs %s', async (sent, needed) => {
    await refuses(related, 'PATCH', '/Customer(1)', sent, needed);
  });

  async function refuses(
    endpoint: ReturnType<typeof endpointOf>,
    method: string,
    target: string,
    sent: object | undefined,
    needed: string,
  ): Promise<void> {
    const { status, body } = await endpoint({
      id: 'test',
      principal: { kind: 'user', id: 'u', roles: ['Clerk'] },
      signal: new AbortController().signal,
      method,
      target,
      headers: { 'content-type': 'application/json' },
      body: sent && Buffer.from(JSON.stringify(sent)),
    });
    const message = `Your role needs the permission ${needed}.`;
    expect([status, JSON.parse(String(body))]).toStrictEqual([
      403,
      { error: { code: 'Forbidden', message } },
    ]);
  }
});
