import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { PHOTOS_DOCUMENT } from '../odata/streams.document.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const MESSAGE = 'Nothing can be changed at the moment: the gateway is set to read only.';
const REFUSED = { error: { code: 'ReadOnly', message: MESSAGE } };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('READ_ONLY=on', () => {
  let library: SampleUpstream;
  /** Hands reads on to the library, and answers changes as if they were made. */
  let upstream: StandInUpstream;
  let gateway: Gateway;
  beforeAll(async () => {
    library = await startLibraryUpstream();
    upstream = await startStandInUpstream(({ method, target }, reply) => {
      if (method !== 'GET') reply.send(204);
      else
        fetch(library.url + target).then(async (response) =>
          reply.send(response.status, Buffer.from(await response.arrayBuffer()), {
            'content-type': response.headers.get('content-type') ?? 'application/json',
          }),
        );
    });
    gateway = await startGateway(
      readConfig({
        AUTH: 'off',
        PORT: '0',
        LOG_LEVEL: 'silent',
        READ_ONLY: 'on',
        LIBRARY_URL: upstream.url,
        MESH_CONFIG: join(import.meta.dirname, '../../examples/library/.meshrc.yaml'),
      }),
    );
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
    await library.close();
  });

  const changesSent = () => upstream.requests.filter(({ method }) => method !== 'GET');
  const ask = async (method: string, path: string, body?: string, headers: object = JSON_TYPE) => {
    const init = { method, ...(body !== undefined && { body, headers: { ...headers } }) };
    const response = await fetch(gateway.url + path, init);
    return [response.status, JSON.parse(await response.text())] as const;
  };

  it.each([
    ['POST', '/odata/Author', '{"Name":"A"}'],
    ['PATCH', '/odata/Author(1)', '{"Name":"A"}'],
    ['PUT', '/odata/Author(1)', '{"Name":"A"}'],
    ['PATCH', '/odata/Author/$filter(@f)/$each?@f=Id%20eq%201', '{"Name":"A"}'],
    ['DELETE', '/odata/Author(1)', undefined],
    ['POST', '/odata/SendReminders', '{"DueBy":"2026-05-11"}'],
    ['POST', '/odata/Loan(97)/Return', '{}'],
  ])('refuses %s %s', async (method, path, body) => {
    expect(await ask(method, path, body)).toEqual([403, REFUSED]);
    expect(changesSent()).toEqual([]);
  });

  it('refuses each change of a batch, and answers its reads', async () => {
    const requests = [
      { id: '1', method: 'GET', url: 'Author/$count' },
      { id: '2', method: 'POST', url: 'Author', headers: JSON_TYPE, body: { Name: 'A' } },
      { id: '3', atomicityGroup: 'g', method: 'DELETE', url: 'Author(1)' },
    ];
    const [, { responses }] = await ask('POST', '/odata/$batch', JSON.stringify({ requests }));
    const statuses = responses.map(({ id, status }: { id: string; status: number }) => [id, status]);
    expect(Object.fromEntries(statuses)).toEqual({ 1: 200, 2: 403, 3: 403 });
    expect(changesSent()).toEqual([]);
  });

  it('refuses mutations of GraphQL, and answers queries', async () => {
    const schema = await ask(
      'POST',
      '/graphql',
      JSON.stringify({ query: '{ __schema { mutationType { name } } }' }),
    );
    expect(schema).toEqual([200, { data: { __schema: { mutationType: null } } }]);
    const query = 'mutation { sendReminders(dueBy: "2026-05-11") { sent } }';
    const [, { errors }] = await ask('POST', '/graphql', JSON.stringify({ query }));
    expect(errors).toMatchObject([{ message: MESSAGE, extensions: { code: 'ReadOnly' } }]);
    const found = await ask('POST', '/graphql', JSON.stringify({ query: '{ author(id: 1) { id } }' }));
    expect(found).toEqual([200, { data: { author: { id: '1' } } }]);
    expect(changesSent()).toEqual([]);
  });

  it('refuses changes in the test console, and sends reads', async () => {
    const attempt = (method: string) =>
      ask('POST', '/api/registry/Library/try', JSON.stringify({ method, path: '/authors' }));
    expect(await attempt('POST')).toEqual([403, REFUSED]);
    expect(await attempt('GET')).toMatchObject([200, { status: 200 }]);
    expect(changesSent()).toEqual([]);
  });

  it('shows no changes and no actions in $metadata (Org.OData.Capabilities.V1)', async () => {
    const [, metadata] = await ask('GET', '/odata/$metadata?$format=json');
    const texts = JSON.stringify(metadata);
    for (const claim of ['"Insertable":true', '"Updatable":true', '"Deletable":true', '"$Kind":"Action"'])
      expect(texts).not.toContain(claim);
    expect(texts).toContain('"Insertable":false');
    expect(texts).toContain('"$Kind":"Function"');
  });
});

it('READ_ONLY=on refuses uploads and removals of streams, and sends downloads', async () => {
  const photo = { id: 1, title: 'Harbour', mime_type: 'image/png', content_tag: '"a"' };
  const upstream = await startStandInUpstream(({ target }, reply) => {
    if (target.endsWith('/content')) reply.send(200, 'bytes', { 'content-type': 'image/png' });
    else reply.json(photo);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    'photos.json': JSON.stringify(PHOTOS_DOCUMENT),
    '.meshrc.yaml': `sources:\n${sourceOf('Photos', './photos.json', upstream.url)}`,
  });
  const { gateway } = await serveProject(project, { READ_ONLY: 'on' });
  const ask = async (method: string, path: string) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: 'bytes' };
    const headers = { 'content-type': 'image/png' };
    const response = await fetch(`${gateway.url}/odata/${path}`, { method, headers, ...body });
    return [response.status, await response.text()];
  };
  expect(await ask('GET', 'Photos(1)/$value')).toStrictEqual([200, 'bytes']);
  const refused = [403, JSON.stringify(REFUSED)];
  expect(await ask('PUT', 'Photos(1)/$value')).toStrictEqual(refused);
  expect(await ask('PUT', 'Photos(1)/Thumbnail')).toStrictEqual(refused);
  expect(await ask('POST', 'Photos')).toStrictEqual(refused);
  expect(await ask('DELETE', 'Photos(1)/$value')).toStrictEqual(refused);
  expect(upstream.requests.filter(({ method }) => method !== 'GET')).toStrictEqual([]);
});
