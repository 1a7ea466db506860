import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SiteOptions } from '../../src/server/site-files.ts';

/** A page as the build has it. */
export const WEB_PAGE = '<!doctype html><base href="/"><script src="./app/assets/x-1.js"></script>';
export const WEB_SCRIPT = `console.log(${JSON.stringify('x'.repeat(500))})`;

/** A build of the screens in a folder of its own, for one test. */
export function useWebBuild(basePath = '/'): SiteOptions {
  const directory = emptyBuild();
  writeBuild(directory);
  return { directory, basePath };
}

/** A folder in which nothing has been built, for one test. */
export function emptyBuild(): string {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-web-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

export function writeBuild(directory: string): void {
  mkdirSync(join(directory, 'app/assets'), { recursive: true });
  writeFileSync(join(directory, 'index.html'), WEB_PAGE);
  writeFileSync(join(directory, 'app/assets/x-1.js'), WEB_SCRIPT);
}
