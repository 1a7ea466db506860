import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type GatewayRequest, type GatewayResponse, pathOf } from '../contract/exchange.ts';
import { answerWithFile, type StaticFile, staticFile } from '../contract/static-file.ts';
import { assertGet, notFound } from './health.ts';
import { isBelow } from './http-message.ts';
import type { HandlerRoute } from './route.ts';

export interface WebFilesOptions {
  /** Where the build is. */
  readonly directory: string;
  /** The path of the public URL, with a slash at both ends. */
  readonly basePath: string;
}

/** The built screens. */
export interface WebFiles {
  /** The page that all screens are on; undefined where they have not been built. */
  page(request: GatewayRequest): Promise<GatewayResponse | undefined>;
  /** A file that the page loads, by its path below `/app`, such as `/assets/x.js`. */
  asset(path: string, request: GatewayRequest): Promise<GatewayResponse | undefined>;
}

export const NO_WEB_FILES: WebFiles = { page: async () => undefined, asset: async () => undefined };

interface Build {
  readonly page: StaticFile;
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/** Reads the build when somebody first asks for it, and once: a path that is not in it is no file's. */
export function createWebFiles(options: WebFilesOptions): WebFiles {
  let reading: Promise<Build | undefined> | undefined;
  const build = async (): Promise<Build | undefined> => {
    reading ??= readBuild(options);
    let found: Build | undefined;
    try {
      found = await reading;
      return found;
    } finally {
      // It may be built while the server runs.
      if (found === undefined) reading = undefined;
    }
  };
  return {
    async page(request) {
      const found = await build();
      return found && answerWithFile(found.page, request);
    },
    async asset(path, request) {
      const file = (await build())?.assets.get(path);
      return file && answerWithFile(file, request);
    },
  };
}

/**
 * The screens' own policy: files of this server and nothing else. The page's `<base>`, by which it finds
 * them, is one of ours, too.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

async function readBuild({ directory, basePath }: WebFilesOptions): Promise<Build | undefined> {
  const html = await readFile(join(directory, 'index.html'), 'utf8').catch(absent);
  const folder = join(directory, 'app/assets');
  const names = await readdir(folder).catch(absent);
  if (html === undefined || names === undefined) return undefined;
  const page = await staticFile(Buffer.from(html.replace('<base href="/">', `<base href="${basePath}">`)), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  });
  const assets = names.map(async (name) => [`/assets/${name}`, await readAsset(folder, name)] as const);
  return { page, assets: new Map(await Promise.all(assets)) };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

/** The name of an asset has its digest in it: another content is another name. */
async function readAsset(folder: string, name: string): Promise<StaticFile> {
  return staticFile(await readFile(join(folder, name)), {
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
  });
}

/** `/app`: the screens. Which of them an address means is theirs to know. */
export function webRoute(files: WebFiles): HandlerRoute {
  return {
    path: '/app',
    open: true,
    handler: async (request) => {
      assertGet(request);
      const page = await files.page(request);
      if (page === undefined) return NOT_BUILT;
      if (!isBelow('/assets', request.target)) return page;
      const asset = await files.asset(pathOf(request.target), request);
      if (asset === undefined) throw notFound();
      return asset;
    },
  };
}

const NOT_BUILT: GatewayResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'The web screens have not been built. To build them: npm run build\n',
};
