import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';

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

/** An answer in both codings. */
interface WebFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
}

interface Build {
  readonly page: WebFile;
  readonly assets: ReadonlyMap<string, WebFile>;
}

/** Reads the build when somebody first asks for it, and once: a path that is not in it is no file's. */
export function createWebFiles(options: WebFilesOptions): WebFiles {
  let reading: Promise<Build | undefined> | undefined;
  const build = async (): Promise<Build | undefined> => {
    reading ??= readBuild(options);
    const found = await reading;
    // It may be built while the server runs.
    if (found === undefined) reading = undefined;
    return found;
  };
  return {
    async page(request) {
      const found = await build();
      return found && answerWith(found.page, request);
    },
    async asset(path, request) {
      const file = (await build())?.assets.get(path);
      return file && answerWith(file, request);
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
  if (html === undefined) return undefined;
  const page = await webFile(Buffer.from(html.replace('<base href="/">', `<base href="${basePath}">`)), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  });
  const folder = join(directory, 'app/assets');
  const assets = (await readdir(folder)).map(
    async (name) => [`/assets/${name}`, await readAsset(folder, name)] as const,
  );
  return { page, assets: new Map(await Promise.all(assets)) };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

/** The name of an asset has its digest in it: another content is another name. */
async function readAsset(folder: string, name: string): Promise<WebFile> {
  return webFile(await readFile(join(folder, name)), {
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
  });
}

async function webFile(body: Buffer, headers: Readonly<Record<string, string>>): Promise<WebFile> {
  return {
    headers: { ...headers, vary: 'accept-encoding' },
    etag: createHash('sha256').update(body).digest('base64url').slice(0, 27),
    body,
    gzipped: await promisify(gzip)(body, { level: 9 }),
  };
}

/** Codings of one file have an ETag each (RFC 9110, 8.8.3.3). */
function answerWith({ headers, etag, body, gzipped }: WebFile, request: GatewayRequest): GatewayResponse {
  const isGzipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers['accept-encoding'] ?? '');
  const tag = isGzipped ? `"${etag}-gzip"` : `"${etag}"`;
  const fields = { ...headers, etag: tag, ...(isGzipped ? { 'content-encoding': 'gzip' } : {}) };
  if (request.headers['if-none-match']?.includes(tag))
    return { status: 304, headers: fields, body: undefined };
  return { status: 200, headers: fields, body: isGzipped ? gzipped : body };
}
