import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { answerWithFile, type StaticFile, staticFile } from '../contract/static-file.ts';
import { assertGet } from './health.ts';
import type { HandlerRoute } from './route.ts';

/** The path that the pages are built for. Where they are served, it is replaced by the path that they are reached at. */
export const DOCS_BASE = '/__docs__/';

export interface DocsFilesOptions {
  /** Where the build is. */
  readonly directory: string;
  /** The path at which browsers reach the pages, with a slash at both ends. */
  readonly basePath: string;
}

/** The built documentation. */
interface DocsFiles {
  /** Undefined where nothing has been built; a path that no page has is answered with the page that says so. */
  answer(path: string, request: GatewayRequest): Promise<GatewayResponse | undefined>;
}

const NOT_FOUND = '404.html';

/**
 * Lists the build when somebody first asks for it, and reads each file when that one is first asked for: nothing of it
 * is in memory before, and a path that is not listed is no file's.
 */
export function createDocsFiles(options: DocsFilesOptions): DocsFiles {
  let names: Promise<ReadonlySet<string>> | undefined;
  const files = new Map<string, Promise<StaticFile>>();
  const fileOf = (name: string): Promise<StaticFile> => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const reading = readDocsFile(options, name);
    files.set(name, reading);
    // It may be there, or readable, when it is asked for again.
    reading.catch(() => files.delete(name));
    return reading;
  };
  return {
    async answer(path, request) {
      names ??= listFiles(options.directory);
      const listed = await names;
      if (!listed.has(NOT_FOUND)) {
        // It may be built while the server runs.
        names = undefined;
        return undefined;
      }
      const name = namesOf(path).find((each) => listed.has(each));
      if (name !== undefined) return answerWithFile(await fileOf(name), request);
      return { ...answerWithFile(await fileOf(NOT_FOUND), request), status: 404 };
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

/** The files that a path may mean: pages are linked to without `.html`. */
function namesOf(path: string): readonly string[] {
  const name = path.slice(1);
  return name === '' || name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`];
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

async function readDocsFile({ directory, basePath }: DocsFilesOptions, name: string): Promise<StaticFile> {
  const bytes = await readFile(join(directory, name));
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const headers = { 'content-type': type, 'cache-control': cacheControl(name) };
  if (type === 'image/png') return staticFile(bytes, headers);
  const text = bytes.toString('utf8').replaceAll(DOCS_BASE, basePath);
  const policy = name.endsWith('.html') ? { 'content-security-policy': policyOf(text) } : {};
  return staticFile(Buffer.from(text), { ...headers, ...policy });
}

/** The name of an asset has its digest in it: another content is another name. */
function cacheControl(name: string): string {
  return name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

const SCRIPT_IN_PAGE = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs;

/**
 * Files of this server, the pictures within its style sheets, and the scripts that stand in the page itself: they put
 * on the dark colours before anything is shown.
 */
function policyOf(page: string): string {
  const scripts = [...page.matchAll(SCRIPT_IN_PAGE)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}

/** `/docs`: the documentation, for everybody. */
export function docsRoute(files: DocsFiles, basePath: string): HandlerRoute {
  return {
    path: '/docs',
    open: true,
    handler: async (request) => {
      assertGet(request);
      const path = pathOf(request.target);
      // The pages find each other below a path that ends in a slash.
      if (path === '') return { status: 308, headers: { location: basePath }, body: undefined };
      return (await files.answer(path, request)) ?? NOT_BUILT;
    },
  };
}

const NOT_BUILT: GatewayResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'The documentation has not been built. To build it: npm run build\n',
};
