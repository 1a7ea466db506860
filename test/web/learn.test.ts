import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveRegistry } from '../registry/registry-gateway.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();

const ANSWERS: Readonly<Record<string, unknown>> = {
  '/users': [{ id: 1, email: 'ann@example.com', roleId: 2 }],
  '/users/1': { id: 1, email: 'ann@example.com', roleId: 2 },
  '/roles': { items: [{ id: 2, name: 'Reader', since: '2024-01-01' }], total: 1 },
};

async function serveDocument(document: string) {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const answer = ANSWERS[target];
    if (answer === undefined) return reply.send(404);
    reply.json(answer);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    'openapi/users.yaml': document,
    '.meshrc.yaml': `sources:\n${sourceOf('Users', './openapi/users.yaml', upstream.url)}`,
  });
  const { gateway } = await serveRegistry(project);
  return { ...(await browser.open(gateway.url)), project, upstream };
}

describe.skipIf(!HAS_BROWSER)('an API whose document says little', () => {
  it('is learnt from its answers after a question, and shows its tables before and after', async () => {
    const document = readFileSync(join(import.meta.dirname, '../openapi/generated/nest-plain.yaml'), 'utf8');
    const { page, offences, project, upstream } = await serveDocument(document);
    await page.goto('/app/apis/Users');
    await page
      .getByRole('link', {
        name: '3 reads do not say what they answer with; 2 look like lists: learn from an answer.',
      })
      .click();
    await page.getByRole('button', { name: 'Learn from the answers' }).click();
    await page.getByText('3 GET requests will be sent').waitFor();
    expect(upstream.requests).toStrictEqual([]);
    await page.getByRole('button', { name: 'Send 3 requests' }).click();
    await page.getByText('3 of 3 answers could be read.').waitFor();
    const roles = page.getByRole('region', { name: 'Role (new)' });
    expect(await roles.getByRole('row').allInnerTexts()).toStrictEqual([
      'Column\tBefore\tAfter',
      'Id\t–\tInt64, key',
      'Name\t–\tString',
      'Since\t–\tDate',
      'Users\t–\tCollection(User)',
    ]);
    await page.getByText(/^The overlay \(/).click();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('button', { name: 'Change it anyway' }).click();
    await page.getByText('The answers of these reads have been learnt.').waitFor();
    const overlay = readFileSync(project.path('openapi/users.overlay.yaml'), 'utf8');
    expect(overlay).toContain('Learnt from answers: Role');
    expect(overlay).not.toMatch(/ann@|Reader|2024/);
    expect(offences.filter((offence) => !offence.includes('409'))).toStrictEqual([]);
  });

  it('shows suggestions one by one, each with the table before and after', async () => {
    const rows = `{ type: array, items: { $ref: '#/components/schemas/Sum' } }`;
    const { page, offences, project } = await serveDocument(`openapi: 3.1.0
info: { title: Sums, version: "1" }
paths:
  /sums: { get: { operationId: sums, responses: { 200: { description: x, content: { application/json: { schema: ${rows} } } } } } }
components: { schemas: { Sum: { type: object, properties: { month: { type: string }, place: { type: string }, amount: { type: number } } } } }
`);
    await page.goto('/app/apis/Users/suggestions');
    await page.getByText('1 suggestion', { exact: true }).waitFor();
    await page.getByText(/^A key for /).click();
    await page.getByText('Look first whether no two rows of').waitFor();
    await page.getByRole('table').waitFor();
    const [, ...columns] = await page.getByRole('row').allInnerTexts();
    expect(columns).toContain('Month\tString\tString, key');
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('button', { name: 'Change it anyway' }).click();
    await page.getByText(/^A key for /).waitFor({ state: 'detached' });
    expect(readFileSync(project.path('openapi/users.overlay.yaml'), 'utf8')).toContain('- place');
    expect(offences.filter((offence) => !offence.includes('409'))).toStrictEqual([]);
  });
});
