import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postsProject } from '../registry/registry-gateway.ts';
import { documentOf, serveProject } from '../support/temporary-project.ts';
import { HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
const NAME = 'Chosen';
const MIB = 1024 * 1024;

describe.skipIf(!HAS_BROWSER)('the file to register', () => {
  it('is sent once it has been read, however soon Register is pressed', async () => {
    const { page, offences, stored } = await enter();
    await choose(page, 'notes.yaml', documentOf('Note'));
    const registered = register(page);
    await page.getByRole('button', { name: 'Registering …' }).waitFor();
    await endReading(page, 'notes.yaml');
    await registered;
    expect(stored('openapi/chosen.yaml')).toBe(documentOf('Note'));
    expect(offences).toStrictEqual([]);
  });

  it('is the one that was chosen last, however long an earlier one is read', async () => {
    const { page, offences, stored } = await enter();
    await choose(page, 'posts.yaml', documentOf('Post'));
    await choose(page, 'notes.yaml', documentOf('Note'));
    await endReading(page, 'notes.yaml');
    await page.getByText('What it becomes').waitFor();

    await endReading(page, 'posts.yaml');
    await register(page);
    expect(stored('openapi/posts.yaml')).toBe(documentOf('Post'));
    expect(stored('openapi/chosen.yaml')).toBe(documentOf('Note'));
    expect(offences).toStrictEqual([]);
  });

  it('is none where the one chosen last is too large', async () => {
    const { page, offences } = await enter();
    await choose(page, 'notes.yaml', documentOf('Note'));
    await endReading(page, 'notes.yaml');
    await page.getByText('What it becomes').waitFor();

    await choose(page, 'large.yaml', '#'.repeat(6 * MIB));
    await page.getByText('large.yaml is 6.0 MB; the limit is 5 MB.').waitFor();
    await page.getByText('What it becomes').waitFor({ state: 'detached' });
    await page.getByLabel('Or its URL').waitFor();
    expect(offences).toStrictEqual([]);
  });
});

/** The page on which an API is registered, where a file is read until the test ends it. */
async function enter() {
  const project = postsProject('http://api.example');
  const { gateway } = await serveProject(project);
  const { page, offences } = await browser.open(gateway.url);
  const script = await page.addInitScript(() => {
    const read = File.prototype.text;
    File.prototype.text = function (this: File): Promise<string> {
      return new Promise((resolve) => {
        addEventListener(`read ${this.name}`, () => resolve(read.call(this)), { once: true });
      });
    };
  });
  onTestFinished(() => script.dispose());
  await page.goto('/app/apis/register-api');
  return { page, offences, stored: (path: string) => readFileSync(project.path(path), 'utf8') };
}

/** Registers what has been chosen, under another name than that of any file. */
async function register(page: Page): Promise<void> {
  await page.getByLabel('Name').fill(NAME);
  await page.getByLabel('Service URL').fill('http://api.example');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: NAME, level: 1 }).waitFor();
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'application/yaml', buffer: Buffer.from(text) };
  await page.getByLabel('OpenAPI file').setInputFiles(file);
}

async function endReading(page: Page, name: string): Promise<void> {
  await page.evaluate((event) => dispatchEvent(new Event(event)), `read ${name}`);
}
