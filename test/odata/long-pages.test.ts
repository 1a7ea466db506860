import { describe, expect, it, onTestFinished } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const gateway = useGateway();

describe('a list that is longer than what is made at once', () => {
  // What has been read before would be recognised, and kept.
  const long = (options: string) =>
    Array.from({ length: 40 }, (_, index) => ({ id: index + 1, title: options + 'x'.repeat(10_000) }));

  it.each([
    ['$skip=38', ['39', '40']],
    ['$skip=2&$top=2', ['3', '4']],
    ['$skip=1&$top=2&$orderby=Id desc', ['8', '7']],
    ['$apply=skip(2)/top(2)', ['3', '4']],
    ['$filter=true&$skip=2&$top=2', ['3', '4']],
    ['$skip=40', []],
  ])('%s (Part 1, 11.2.6.4)', async (options, keys) => {
    gateway.upstream.behave((_, reply) => reply.json(long(options)));
    const { text } = await gateway.fetch(`/odata/Post?$select=Id&${options}`);
    expect(JSON.parse(text).value.map(({ Id }: { readonly Id: string }) => Id)).toEqual(keys);
  });
});

/** A list of which a first part can be asked for, and that says neither how many there are nor where it goes on. */
const FIRST_PART = `
openapi: 3.1.0
info: { title: Parts, version: "1" }
paths:
  /parts:
    get:
      operationId: parts
      x-odata: { pageOf: Part, items: data, top: limit }
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses:
        "200":
          content:
            application/json:
              schema: { type: object, properties: { data: { type: array, items: { $ref: "#/components/schemas/Part" } } } }
  /parts/{id}:
    get:
      operationId: part
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Part" } } } } }
components:
  schemas:
    Part:
      type: object
      required: [id, title]
      properties: { id: { type: integer }, title: { type: string } }
      x-odata: { grants: { User: [View] } }
`;

describe('a page of a long list that tells no total and cannot be asked for a place in it', () => {
  it.each([
    ['$top=2', [1, 2], undefined],
    ['$skip=2&$top=2', [3, 4], undefined],
    ['$skip=38&$top=5', [39, 40], undefined],
    ['$skip=2&$top=2&$count=true', [3, 4], 40],
    ['$filter=Id gt 3&$skip=2&$top=2&$count=true', [6, 7], 37],
  ])('%s', async (options, keys, count) => {
    const upstream = await startStandInUpstream(({ target }, reply) => {
      const limit = Number(new URL(target, 'http://parts').searchParams.get('limit') ?? 40);
      const data = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, title: 'x'.repeat(10_000) }));
      reply.json({ data: data.slice(0, limit) });
    });
    onTestFinished(() => upstream.close());
    const files = {
      'api.yaml': FIRST_PART,
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
    };
    const { json } = await serveProject(createProject(files));
    const answer = (await json(`/odata/Part?$select=Id&${encodeURI(options)}`)) as {
      readonly value: readonly { readonly Id: number }[];
      readonly '@odata.count'?: number;
    };
    expect([answer.value.map(({ Id }) => Id), answer['@odata.count']]).toEqual([keys, count]);
  });
});
