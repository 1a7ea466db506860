import { describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';
import { HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const pod = "{ $ref: '#/components/schemas/Pod' }";

/** Pods, whose key is a nested property. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Pods, version: '1' }
paths:
  /pods:
    get: { operationId: pods, responses: ${answer(`{ type: array, items: ${pod} }`)} }
    post:
      operationId: addPod
      requestBody: { content: { application/json: { schema: { type: object, required: [image], properties: { image: { type: string }, note: { type: string } } } } } }
      responses: ${answer(pod)}
  /pods/{name}:
    get:
      operationId: pod
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses: ${answer(pod)}
components:
  schemas:
    Pod:
      type: object
      properties:
        metadata: { type: object, properties: { name: { type: string }, space: { type: string } } }
        image: { type: string }
        note: { type: string }
`;

const POD = { metadata: { name: 'web-1', space: 'blue' }, image: 'nginx', note: null };

describe.skipIf(!HAS_BROWSER)('the screens of entities whose key is within another property', () => {
  it('lead from the list to one of them', async () => {
    const { gateway } = await serveDocument(DOCUMENT, { 'GET /pods': [POD], 'GET /pods/web-1': POD });
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/sets/Pod');
    await page.getByText('nginx').click();
    await page.getByText('blue').waitFor();
    expect(new URL(page.url()).searchParams.get('MetadataName')).toBe('web-1');
    expect(offences).toEqual([]);
  });

  it('demand what a create must say, whatever reads may have', async () => {
    const { gateway } = await serveDocument(DOCUMENT, { 'GET /pods': [POD] });
    const { page } = await browser.open(gateway.url);
    await page.goto('/app/sets/Pod/add');
    await page.getByRole('button', { name: 'Add Pod' }).click();
    const problems = page.locator('.field', { has: page.locator('.problem') });
    await expect.poll(() => problems.locator('.label').allInnerTexts()).toEqual(['Image (required)']);
  });
});
