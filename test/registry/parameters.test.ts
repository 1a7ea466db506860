import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outcome } from '../cli/command.ts';
import { servePartsApi } from '../support/parts-api.ts';
import { serveRegistry } from './registry-gateway.ts';

const OPEN = ['open', 'open', 'open', 'open', 'open'];
const TRIED = ['proved', 'refuted', 'open', 'proved', 'proved'];
const FILE = '.duogate/parameters.json';

async function serveParts() {
  const parts = await servePartsApi();
  const gateway = await serveRegistry(parts.project);
  const report = async (other = gateway) => (await other.ask('GET', '/Stock/parameters')).body;
  return {
    ...parts,
    gateway,
    report,
    verdicts: async (other = gateway) =>
      ((await report(other))['parameters'] as readonly { readonly verdict: string }[]).map(
        ({ verdict }) => verdict,
      ),
    command: (...args: readonly string[]) =>
      outcome(['probe', ...args], { AUTH: 'off', MESH_CONFIG: parts.project.path('.meshrc.yaml') }),
  };
}

it('tries out the parameters of an API when it is asked to, and reports what they do', async () => {
  const { gateway, report, upstream } = await serveParts();
  expect(await report()).toStrictEqual({
    isRunning: false,
    parameters: [
      { entitySet: 'Part', parameter: 'kind', use: 'Kind equal', verdict: 'open' },
      { entitySet: 'Part', parameter: 'maker', use: 'Maker equal', verdict: 'open' },
      { entitySet: 'Part', parameter: 'note', use: 'Note equal', verdict: 'open' },
      { entitySet: 'Part', parameter: 'sort=size', use: 'order by Size', verdict: 'open' },
      { entitySet: 'Part', parameter: 'sort=-size', use: 'order by Size desc', verdict: 'open' },
    ],
  });
  const started = await gateway.ask('POST', '/Stock/parameters', {});
  expect([started.status, started.body['isRunning']]).toStrictEqual([202, true]);
  await expect.poll(() => report(), { timeout: 20_000 }).toMatchObject({ isRunning: false });
  expect(await report()).toStrictEqual({
    isRunning: false,
    parameters: [
      { entitySet: 'Part', parameter: 'kind', use: 'Kind equal', verdict: 'proved' },
      { entitySet: 'Part', parameter: 'maker', use: 'Maker equal', verdict: 'refuted' },
      { entitySet: 'Part', parameter: 'note', use: 'Note equal', verdict: 'open' },
      { entitySet: 'Part', parameter: 'sort=size', use: 'order by Size', verdict: 'proved' },
      { entitySet: 'Part', parameter: 'sort=-size', use: 'order by Size desc', verdict: 'proved' },
    ],
  });
  expect(upstream.requests.every(({ method }) => method === 'GET')).toBe(true);
});

it('forgets what it has found when it is asked to', async () => {
  const { gateway, verdicts } = await serveParts();
  await gateway.ask('POST', '/Stock/parameters', {});
  await expect.poll(() => verdicts(), { timeout: 20_000 }).toStrictEqual(TRIED);
  expect((await gateway.ask('DELETE', '/Stock/parameters')).status).toBe(204);
  expect(await verdicts()).toStrictEqual(OPEN);
});

it('uses what the command has found, also if it starts later, until the command forgets it', async () => {
  const { project, verdicts, command } = await serveParts();
  expect((await command()).code).toBe(0);
  await expect.poll(() => verdicts(), { timeout: 20_000 }).toStrictEqual(TRIED);
  const later = await serveRegistry(project);
  expect(await verdicts(later)).toStrictEqual(TRIED);
  expect(await command('--forget')).toMatchObject({ code: 0, stdout: 'What was found is forgotten.\n' });
  await expect.poll(() => verdicts(), { timeout: 20_000 }).toStrictEqual(OPEN);
  await expect.poll(() => verdicts(later), { timeout: 20_000 }).toStrictEqual(OPEN);
});

it('is left no values of rows, and no address, by the command', async () => {
  const { project, upstream, command } = await serveParts();
  await command();
  const text = readFileSync(project.path(FILE), 'utf8');
  expect(text).toContain('narrow kind Kind equal');
  expect(text).not.toMatch(/bolt|nut|acme|bora/);
  expect(text).not.toContain(new URL(upstream.url).host);
});

it('does not use what was found for another address, or another form of the file', async () => {
  const { project, verdicts, command } = await serveParts();
  await command();
  const other = await servePartsApi();
  other.project.write(FILE, readFileSync(project.path(FILE), 'utf8'));
  expect(await verdicts(await serveRegistry(other.project))).toStrictEqual(OPEN);
  project.write(FILE, '{"proofs":[{"name":');
  expect(await verdicts(await serveRegistry(project))).toStrictEqual(OPEN);
});

it('tries nothing out for an API that is not served, and says why', async () => {
  const { project } = await serveParts();
  const declared = await serveRegistry(project, { PUSH_DOWN: 'declared' });
  const { status, body } = await declared.ask('POST', '/Stock/parameters', {});
  expect([status, body.error.message]).toStrictEqual([
    409,
    'No parameters are tried out: PUSH_DOWN is declared.',
  ]);
  expect((await declared.ask('GET', '/Nothing/parameters')).status).toBe(404);
  expect((await declared.ask('PUT', '/Stock/parameters', {})).status).toBe(405);
});
