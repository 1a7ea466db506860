import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openMeshServices, writeSchema } from '../../src/mesh/schema/load-schema.ts';
import { type ReceivedRequest, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject, sourceOf } from '../support/temporary-project.ts';
import { bracedDocument } from './braced-document.ts';
import { callEveryField } from './every-field.ts';
import { recordingLog } from './support.ts';

/** Values of the environment and of the client's headers that must not leak. */
const SECRETS = {
  environment: 'secret-of-the-environment',
  cookie: 'secret-of-the-cookie',
  authorization: 'secret-of-the-authorization',
} as const;

const CALLER = { cookie: `session=${SECRETS.cookie}`, authorization: `Bearer ${SECRETS.authorization}` };

beforeAll(() => {
  process.env['DUOGATE_CANARY'] = SECRETS.environment;
});
afterAll(() => {
  delete process.env['DUOGATE_CANARY'];
});

interface Scene {
  readonly gateway: ProjectGateway;
  readonly requests: readonly ReceivedRequest[];
}

/** Serves the document before an upstream that answers every request alike. */
async function serve(document: object): Promise<Scene & { stop(): Promise<void> }> {
  const upstream = await startStandInUpstream((_, reply) => reply.json({ id: '1' }));
  const ends: (() => unknown)[] = [() => upstream.close()];
  const atEnd = (end: () => unknown) => void ends.unshift(end);
  const project = createProject(
    {
      '.meshrc.yaml': `sources:\n${sourceOf('Api', './api.json', upstream.url)}`,
      'api.json': JSON.stringify(document),
    },
    atEnd,
  );
  const gateway = await serveProject(project, {}, atEnd);
  const stop = async () => {
    for (const end of ends) await end();
  };
  return { gateway, requests: upstream.requests, stop };
}

/** The requests to the upstream as text: repeatedly decoded targets, header fields, bodies. */
function sentTexts(requests: readonly ReceivedRequest[]): string {
  return requests
    .flatMap(({ target, headers, body }) => [
      target,
      decodeURIComponent(target),
      JSON.stringify(headers),
      body,
    ])
    .map(String)
    .join('\n');
}

function expectNoSecretIn(texts: string): void {
  const known = Object.values(SECRETS);
  const forms = known.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]);
  expect(forms.filter((form) => texts.includes(form))).toStrictEqual([]);
}

/** The places of the operations that are reported as left out. */
const ANSWER = { 200: { description: 'OK', content: { 'application/json': { schema: {} } } } };

function documentOf(path: string, operation: object): object {
  const call = { operationId: 'call', responses: ANSWER, ...operation };
  return { openapi: '3.1.0', info: { title: 'Api', version: '1' }, paths: { [path]: { get: call } } };
}

const LEAK = 'en}|{env.DUOGATE_CANARY}|{context.call.headers.cookie}{';

describe('what the author of a document puts into braces', () => {
  it.each([
    [
      'the default of a header',
      documentOf('/a', {
        parameters: [
          { name: 'lang', in: 'header', required: true, schema: { type: 'string', default: LEAK } },
        ],
      }),
      '/a',
      { lang: 'x' },
    ],
    ['a parameter that is named twice', documentOf('/a/{env}/{env}', {}), '/a/x/x', {}],
    ['a path with braces that are none of a parameter', documentOf('/a/}b/{c', {}), '/a/%7Db/%7Bc', {}],
    ['a path that names the environment', documentOf('/a/{env.DUOGATE_CANARY}', {}), '/a/x', {}],
    ['a path with double braces', documentOf('/a/{{env.DUOGATE_CANARY}}', {}), '/a/%7Bx%7D', {}],
  ])('is sent as it stands: %s', async (_, document, target, headers) => {
    const { gateway, requests, stop } = await serve(document);
    onTestFinished(stop);
    await callEveryField(gateway.gateway.url, CALLER);
    expect([...new Set(requests.map((request) => request.target))]).toStrictEqual([target]);
    expect(requests.at(-1)?.headers).toMatchObject(headers);
    expectNoSecretIn(sentTexts(requests));
  });

  it.each([
    ['what is sent', 'requestBody'],
    ['what comes', 'responses'],
  ])('leaves its operation out where it is a media type of %s', async (_, place) => {
    const media = 'application/json;x={env.DUOGATE_CANARY}';
    const content = {
      content: { [media]: { schema: { type: 'object', properties: { id: { type: 'string' } } } } },
    };
    const response = place === 'responses' ? { 200: { description: 'OK', ...content } } : content;
    const call = { operationId: 'call', responses: ANSWER, [place]: response };
    const document = {
      openapi: '3.1.0',
      info: { title: 'Api', version: '1' },
      paths: { '/a': { post: call, get: { operationId: 'other', responses: ANSWER } } },
    };
    const { gateway, requests, stop } = await serve(document);
    onTestFinished(stop);
    expect(await callEveryField(gateway.gateway.url, CALLER)).toStrictEqual(['other']);
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toStrictEqual(['GET /a']);
    expectNoSecretIn(sentTexts(requests));
    expect(gateway.entries()).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        pointer: '/paths/~1a/post',
        msg: `The operation is left out: its media type ${JSON.stringify(media)} has braces`,
      }),
    );
  });

  it('is no template anywhere', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(bracedDocument(), async (document) => {
        const { gateway, requests, stop } = await serve(document);
        try {
          const called = await callEveryField(gateway.gateway.url, CALLER, '{env.DUOGATE_CANARY}');
          expectNoSecretIn(sentTexts(requests));
          expect(called.length).toBeGreaterThan(0);
          expect(requests.length).toBeGreaterThan(0);
        } finally {
          await stop();
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a schema of Mesh in which braces stand that are no argument', () => {
  const operation = { operationId: 'call', responses: ANSWER };
  const header = { name: 'lang', in: 'header', schema: { type: 'string', default: LEAK } };
  const answer = {
    description: '',
    content: { 'application/json;x={context}': { schema: { title: 'Any' } } },
  };
  it.each([
    ['the path', { '/{env}': { get: operation } }],
    ['the default of an argument', { '/{args.id:{env.X}}': { get: operation } }],
    ['a header', { '/a': { get: { ...operation, parameters: [header] } } }],
    ['a media type', { '/a': { get: { ...operation, responses: { 200: answer } } } }],
  ])('is refused: %s', async (_, paths) => {
    const info = { title: 'Api', version: '1' };
    const document = { openapi: '3.1.0', info, paths, components: { schemas: {} } };
    const loading = writeSchema(document, 'Api', openMeshServices(recordingLog([])));
    await expect(loading).rejects.toThrow('has braces that are no argument');
  });
});
