import { expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Greetings, version: "1" }
paths:
  /greeting:
    get:
      operationId: greeting
      x-odata: { function: Greeting, grants: { User: [Call] } }
      parameters: [{ name: x-lang, in: header, required: true, schema: { type: string } }]
      responses: { "200": { content: { application/json: { schema: { type: string } } } } }
`;

it('keeps what was read apart by the header fields that were sent for it (RFC 9111, 4.1)', async () => {
  const upstream = await startStandInUpstream(({ headers }, reply) => {
    if (headers['if-none-match'] !== undefined) return reply.send(304);
    const text = headers['x-lang'] === 'de' ? 'Hallo' : 'Hello';
    reply.send(200, JSON.stringify(text), { 'content-type': 'application/json', etag: '"1"' });
  });
  onTestFinished(() => upstream.close());
  const files = {
    'api.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
  };
  const { gateway } = await serveProject(createProject(files, onTestFinished), {}, onTestFinished);
  const greet = async (language: string) => {
    const response = await fetch(`${gateway.url}/odata/Greeting(XLang='${language}')`);
    const { value } = await response.json();
    return value;
  };
  expect([await greet('de'), await greet('en'), await greet('de')]).toEqual(['Hallo', 'Hello', 'Hallo']);
  expect(upstream.requests.map(({ headers }) => headers['if-none-match'])).toEqual([
    undefined,
    undefined,
    '"1"',
  ]);
});
