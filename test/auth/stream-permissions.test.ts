import { expect, it } from 'vitest';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { PHOTOS_DOCUMENT } from '../odata/streams.document.ts';

const document = structuredClone(PHOTOS_DOCUMENT);
Object.assign(document.components.schemas.Photo['x-odata'], {
  grants: { Viewer: ['View'], Editor: ['Update'], Caller: ['Call'], Owner: ['View', 'Update', 'Call'] },
});
Object.assign(document.paths['/report'].get, {
  'x-odata': { grants: { Caller: ['Call'], Owner: ['Call'] } },
});
const { model } = modelFromOpenApi([{ name: 'Photos', document }]);

let requested = 0;
const other = async (): Promise<never> => {
  throw new Error('Only streams are asked for');
};
const source: EntitySource = {
  readCollection: other,
  readChanges: other,
  readEntity: other,
  insert: other,
  update: other,
  delete: other,
  call: other,
  async readStream() {
    requested += 1;
    return { kind: 'absent', etag: undefined };
  },
  async writeStream() {
    requested += 1;
    return { etag: undefined };
  },
  async deleteStream() {
    requested += 1;
  },
};
const endpoint = createODataEndpoint({
  model,
  source: guardSource(source, permissionsOf(model), model),
  root: 'http://photos/odata',
  answerMemoryBytes: 0,
});

it.each([
  ['GET', '/Photos(1)/$value', ['Viewer', 'Owner']],
  ['GET', '/Photos(1)/Thumbnail', ['Viewer', 'Owner']],
  ['PUT', '/Photos(1)/$value', ['Editor', 'Owner']],
  ['DELETE', '/Photos(1)/$value', ['Editor', 'Owner']],
  ['GET', '/Photos(1)/Photos.GetPrint()', ['Caller', 'Owner']],
  ['GET', '/Report(Year=2026)', ['Caller', 'Owner']],
])('%s %s is for %o', async (method, target, allowed) => {
  for (const role of ['Viewer', 'Editor', 'Caller', 'Owner', 'Nobody']) {
    requested = 0;
    const { status } = await endpoint({
      id: 'test',
      principal: { kind: 'user', id: 'u', roles: [role] },
      signal: new AbortController().signal,
      method,
      target,
      headers: { 'content-type': 'image/png' },
      body: undefined,
    });
    expect([role, status, requested]).toStrictEqual(allowed.includes(role) ? [role, 204, 1] : [role, 403, 0]);
  }
});
