import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { GatewayResponse } from '../contract/exchange.ts';
import { type StaticFile, staticFile } from '../contract/static-file.ts';

export interface SiteOptions {
  readonly directory: string;
  /** The public path of the pages, with a slash at both ends. */
  readonly basePath: string;
}

/** A kind of site. */
interface Site {
  readonly directory: string;
  /** Whether files with these names form a complete build. */
  readonly isBuilt: (names: ReadonlySet<string>) => boolean;
  /** The folder of files with their digest in the name, which never change. */
  readonly assets: string;
  /** Adapts a file's text when it is served. */
  readonly adapt: (text: string, name: string) => string;
  /** The Content-Security-Policy of a page. */
  readonly policyOf: (page: string) => string;
}

/** The files of a build, by path. */
export interface SiteFiles {
  /** Undefined if nothing is built, or if there is no such file. */
  find(name: string): Promise<StaticFile | undefined>;
}

/**
 * Lists the build on the first request, and reads each file on its first request. Paths that are not listed
 * are never read.
 */
export function siteFiles(site: Site): SiteFiles {
  let names: Promise<ReadonlySet<string>> | undefined;
  const files = new Map<string, Promise<StaticFile>>();
  /** The site may be built or rebuilt while the server runs. */
  const forget = (): void => {
    names = undefined;
    files.clear();
  };
  const fileOf = (name: string): Promise<StaticFile> => {
    const reading = files.get(name) ?? readSiteFile(site, name);
    files.set(name, reading);
    reading.catch(forget);
    return reading;
  };
  return {
    async find(name) {
      names ??= listFiles(site.directory);
      const listed = await names;
      if (site.isBuilt(listed)) return listed.has(name) ? fileOf(name) : undefined;
      forget();
      return undefined;
    },
  };
}

async function listFiles(directory: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(absent);
  const files = entries.filter((entry) => entry.isFile());
  return new Set(
    files.map(({ parentPath, name }) => relative(directory, join(parentPath, name)).replaceAll('\\', '/')),
  );
}

function absent(error: NodeJS.ErrnoException): readonly Dirent[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

const TEXTS: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

const BYTES: Readonly<Record<string, string>> = { '.png': 'image/png' };

async function readSiteFile(site: Site, name: string): Promise<StaticFile> {
  const bytes = await readFile(join(site.directory, name));
  const type = TEXTS[extname(name)];
  const kept = name.startsWith(site.assets) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = {
    'content-type': type ?? BYTES[extname(name)] ?? 'application/octet-stream',
    'cache-control': kept,
  };
  if (type === undefined) return staticFile(bytes, headers);
  const text = site.adapt(bytes.toString('utf8'), name);
  const policy = name.endsWith('.html') ? { 'content-security-policy': site.policyOf(text) } : {};
  return staticFile(Buffer.from(text), { ...headers, ...policy });
}

/** The response if the pages, such as `The documentation`, are not built. */
export function notBuilt(what: string, them: 'it' | 'them'): GatewayResponse {
  return {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: `${what} not been built. To build ${them}: npm run build\n`,
  };
}
