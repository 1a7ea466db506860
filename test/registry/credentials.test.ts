import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { serveRegistry } from './registry-gateway.ts';

const SCHEMES = `  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    certificate: { type: mutualTLS }
`;

/** Every operation wants a key, or a certificate. */
const DOCUMENT = documentOf('Post')
  .replace(/^components:\n/m, `components:\n${SCHEMES}`)
  .replace(/^security: \[\]/m, 'security: [{ key: [] }, { certificate: [] }]');

async function credentialsOf(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const upstream = await startStandInUpstream();
  onTestFinished(() => upstream.close());
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url, headers)}`,
    'openapi/posts.yaml': DOCUMENT,
  });
  const { body } = await (await serveRegistry(project)).ask('GET', '/Posts');
  expect(JSON.stringify(body)).not.toContain('top-secret');
  return body['credentials'];
}

const setting = { section: 'operationHeaders', name: 'x-key', value: '{env.POSTS_X_KEY}' };
const key = { name: 'key', asksFor: 'API key in the header X-Key', operations: 3, setting };
const certificate = { name: 'certificate', asksFor: 'client certificate', operations: 3, setting: null };

describe('what the operations of an API ask for', () => {
  it.each([
    ['that is given', { 'x-key': 'top-secret' }, true, 0],
    ['that is not given', {}, false, 3],
  ])('is told where it is something %s, and never the secret', async (_, headers, isGiven, unmet) => {
    expect(await credentialsOf(headers)).toStrictEqual({
      asking: 3,
      unmet,
      schemes: [
        { ...key, isGiven },
        { ...certificate, isGiven: false },
      ],
    });
  });
});
