import { createHash } from 'node:crypto';
import { parse, print } from 'graphql';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import { answerWithFile, type StaticFile, staticFile } from '../../contract/static-file.ts';

let page: Promise<StaticFile> | undefined;

/** Redirects a browser to the page with an example query, unless the URL has a query. */
export function graphiqlWithQuery(query: string): GatewayResponse {
  const location = `?query=${encodeURIComponent(print(parse(query)))}`;
  // The example depends on what the user may see.
  return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: undefined };
}

/**
 * The self-contained GraphiQL page. Its requests send the cookie of the session; other credentials can be
 * entered as headers, and are not stored.
 *
 * The page has 9 MB of script, so it is loaded on first use. Its inline scripts are allowed by hash; the
 * editor starts workers from blobs and sets styles.
 */
export async function graphiqlPage(request: GatewayRequest): Promise<GatewayResponse> {
  page ??= renderPage();
  return answerWithFile(await page, request);
}

/** With this type, errors have their own status (GraphQL over HTTP, 6.4.2). */
const HEADERS = { accept: 'application/graphql-response+json' };

async function renderPage(): Promise<StaticFile> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  // The page derives the endpoint from its own URL, because the public URL may have a path.
  const html = renderGraphiQL({
    title: 'Duogate GraphiQL',
    credentials: 'same-origin',
    headers: JSON.stringify(HEADERS, undefined, 2),
    // Headers may contain tokens.
    shouldPersistHeaders: false,
  });
  return staticFile(Buffer.from(html), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(html),
  });
}

function contentSecurityPolicy(html: string): string {
  const hashes = inlineScripts(html).map(
    (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src ${hashes.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}

/** The texts of inline scripts, found as browsers do: from `<script>` to the next end tag. */
function inlineScripts(html: string): string[] {
  const scripts: string[] = [];
  for (let start = html.indexOf('<script>'); start >= 0; ) {
    const end = html.indexOf('</script>', start);
    scripts.push(html.slice(start + '<script>'.length, end));
    start = html.indexOf('<script>', end);
  }
  return scripts;
}
