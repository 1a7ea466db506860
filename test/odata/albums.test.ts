import { describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const reference = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const listOf = (name: string) => answer(`{ type: array, items: ${reference(name)} }`);

const ID = '{ name: id, in: path, required: true, schema: { type: integer } }';
const DOCUMENT = `
openapi: 3.1.0
info: { title: Albums, version: '1' }
paths:
  /albums: { get: { operationId: albums, responses: ${listOf('Album')} } }
  /albums/{id}:
    parameters: [${ID}]
    get: { operationId: album, responses: ${answer(reference('Album'))} }
    patch: { operationId: changeAlbum, requestBody: { content: { application/json: { schema: ${reference('Album')} } } }, responses: { '204': { description: ok } } }
  /albums/{id}/photos:
    parameters: [${ID}]
    get: { operationId: albumPhotos, responses: ${listOf('Photo')} }
  /photos: { get: { operationId: photos, responses: ${listOf('Photo')} } }
  /photos/{id}:
    parameters: [${ID}]
    get: { operationId: photo, responses: ${answer(reference('Photo'))} }
  /photos/{id}/data:
    parameters: [${ID}]
    get: { operationId: photoData, responses: { '200': { description: ok, content: { image/png: {} } } } }
components:
  schemas:
    Album: { type: object, x-odata: { etag: version }, properties: { id: { type: integer }, version: { type: string }, name: { type: string } } }
    Photo: { type: object, x-odata: { stream: { get: photoData } }, properties: { id: { type: integer } } }
`;

describe('the streams of entities that are expanded', () => {
  it.each(['Photos/$value', 'Photos($expand=$value)'])('are shown by $expand=%s', async (expand) => {
    const { ask } = await serveDocument(DOCUMENT, {
      'GET /albums/1': { id: 1, version: '1', name: 'x' },
      'GET /albums/1/photos': [{ id: 5 }],
      'GET /photos/5/data': Buffer.from('abc'),
    });
    const photo = { Id: 5, '@odata.mediaContentType': 'application/octet-stream', $value: 'YWJj' };
    expect(await ask(`Album(1)?$expand=${expand}`)).toMatchObject([200, { Photos: [photo] }]);
  });
});

describe('a change of an entity that has its tag in a property', () => {
  const changeBoth = {
    requests: [1, 2].map((id) => ({
      id: String(id),
      atomicityGroup: 'g',
      method: 'PATCH',
      url: `Album(${id})`,
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      body: { Name: 'new' },
    })),
  };

  it.each([
    ['is undone by the tag that it has then', true, 'old'],
    ['is left where that tag cannot be read', false, 'new'],
  ])('%s, although the answer to it says none', async (_, isReadable, name) => {
    const album = { id: 1, version: '1', name: 'old' };
    let isChanged = false;
    const { ask } = await serveDocument(DOCUMENT, {
      get 'GET /albums/1'() {
        return isChanged && !isReadable ? undefined : album;
      },
      'GET /albums/2': { id: 2, version: '1', name: 'other' },
      'PATCH /albums/1': (change: { name: string }) => {
        isChanged = true;
        Object.assign(album, change, { version: `${album.version}1` });
        return null;
      },
    });
    const [, { responses }] = (await ask('$batch', 'POST', changeBoth)) as [number, { responses: object[] }];
    expect(responses).toMatchObject([{ status: 424 }, { status: 404 }]);
    expect(album.name).toBe(name);
  });
});
