import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGatewayMesh, type GatewayMesh } from '../../src/mesh/mesh.ts';
import type { ProjectSource } from '../../src/mesh/project.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { callContext, failureOf, POSTS_DOCUMENT, post, recordingLog } from './support.ts';

/** The posts document with its names changed. */
function changedDocument(change: (text: string) => string): string {
  const directory = mkdtempSync(join(tmpdir(), 'sources-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'api.yaml');
  writeFileSync(file, change(readFileSync(POSTS_DOCUMENT, 'utf8')));
  return file;
}

async function openMesh(sources: readonly ProjectSource[]): Promise<GatewayMesh> {
  const mesh = await createGatewayMesh({ project: { directory: '/', sources }, log: recordingLog([]) });
  onTestFinished(() => mesh.destroy());
  return mesh;
}

function notes(text: string): string {
  return text
    .replaceAll('/posts', '/notes')
    .replaceAll('operationId: posts', 'operationId: notes')
    .replaceAll('operationId: post', 'operationId: note')
    .replaceAll('createPost', 'createNote')
    .replaceAll(/schemas\/(New)?Post/g, 'schemas/$1Note')
    .replaceAll(/^ {4}(New)?Post:/gm, '    $1Note:');
}

describe('two sources', () => {
  it('are called each at its own upstream with its own headers', async () => {
    const [first, second] = [
      await startStandInUpstream((_, reply) => reply.json([post(1)])),
      await startStandInUpstream((_, reply) => reply.json([post(2)])),
    ];
    onTestFinished(async () => {
      await first.close();
      await second.close();
    });
    const mesh = await openMesh([
      { name: 'Posts', document: POSTS_DOCUMENT, endpoint: first.url, operationHeaders: { 'x-a': '1' } },
      { name: 'Notes', document: changedDocument(notes), endpoint: `${second.url}/v2`, operationHeaders: {} },
    ]);
    const { data } = await mesh.execute('{ posts { id } notes { id } }', {}, { call: callContext() });
    expect(data).toEqual({ posts: [{ id: 1 }], notes: [{ id: 2 }] });
    expect(first.requests).toMatchObject([{ target: '/posts', headers: { 'x-a': '1' } }]);
    expect(second.requests).toMatchObject([{ target: '/v2/notes' }]);
    expect(second.requests[0]?.headers['x-a']).toBeUndefined();
  });

  it('that have operations or different types of the same name are refused', async () => {
    const source = { endpoint: 'http://127.0.0.1:1', operationHeaders: {} };
    const document = changedDocument((text) => text.replace(/^ {8}title:/m, '        heading:'));
    const error = await failureOf(
      openMesh([
        { ...source, name: 'Posts', document: POSTS_DOCUMENT },
        { ...source, name: 'Others', document },
      ]),
    );
    expect(error.message).toContain('Posts and Others both have the operation Query.posts');
    expect(error.message).toContain('Posts and Others have different types named Post');
  });
});

describe('a document that cannot be served', () => {
  it('is an error that the log explains', async () => {
    const lines: Parameters<typeof recordingLog>[0] = [];
    const document = changedDocument(
      () =>
        'openapi: 3.1.0\npaths: { /a: { get: { responses: { 200: { $ref: "http://127.0.0.1:1/x" } } } } }',
    );
    const sources = [{ name: 'Broken', document, endpoint: 'http://127.0.0.1:1', operationHeaders: {} }];
    await expect(
      createGatewayMesh({ project: { directory: '/', sources }, log: recordingLog(lines) }),
    ).rejects.toThrow();
    expect(lines).not.toHaveLength(0);
  });
});
