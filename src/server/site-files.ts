import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { GatewayResponse } from '../contract/exchange.ts';
import { type StaticFile, staticFile } from '../contract/static-file.ts';

/** A build of pages, and where they are. */
export interface SiteOptions {
  /** Where the build is. */
  readonly directory: string;
  /** The path at which browsers reach the pages, with a slash at both ends. */
  readonly basePath: string;
}

/** What the pages of a build have in common. */
interface Site {
  readonly directory: string;
  /** Whether files of those names are a build, and not only the beginning of one. */
  readonly isBuilt: (names: ReadonlySet<string>) => boolean;
  /** The folder of the files that have their digest in their names: another content is another name. */
  readonly assets: string;
  /** A file's text as it is served. */
  readonly adapt: (text: string, name: string) => string;
  /** What a page may load. */
  readonly policyOf: (page: string) => string;
}

/** The files of a build, by their paths in it. */
export interface SiteFiles {
  /** Undefined where nothing has been built, or no file has that name. */
  find(name: string): Promise<StaticFile | undefined>;
}

/**
 * Lists a build when somebody first asks for it, and reads each file when that one is first asked for: nothing of it is
 * in memory before, and a path that is not listed is no file's.
 */
export function siteFiles(site: Site): SiteFiles {
  let names: Promise<ReadonlySet<string>> | undefined;
  const files = new Map<string, Promise<StaticFile>>();
  /** It may be built, or built anew, while the server runs. */
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

/** The answer where the pages, such as `The documentation`, are not there. */
export function notBuilt(what: string, them: 'it' | 'them'): GatewayResponse {
  return {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: `${what} not been built. To build ${them}: npm run build\n`,
  };
}
