import { createHash } from 'node:crypto';
import { parse, print } from 'graphql';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import { answerWithFile, type StaticFile, staticFile } from '../../contract/static-file.ts';

let page: Promise<StaticFile> | undefined;

/** A browser is sent on to the page with a query of this service in it, where it has not come with one. */
export function graphiqlWithQuery(query: string): GatewayResponse {
  const location = `?query=${encodeURIComponent(print(parse(query)))}`;
  // The query is of what the user may know of.
  return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: undefined };
}

/**
 * The GraphiQL page with all it needs in it, so that nothing is loaded from elsewhere. Its requests have the cookie of
 * whoever has signed in here; the headers of anybody else are typed there, and kept nowhere.
 *
 * It is 9 MB of script, so it is read when somebody first asks for it. Its inline scripts are allowed by
 * their hashes; the editor starts workers from blobs and sets styles as it goes.
 */
export async function graphiqlPage(request: GatewayRequest): Promise<GatewayResponse> {
  page ??= renderPage();
  return answerWithFile(await page, request);
}

/** Who has signed in is known by a cookie; with this, refusals have their own status (GraphQL over HTTP, 6.4.2). */
const HEADERS = { accept: 'application/graphql-response+json' };

async function renderPage(): Promise<StaticFile> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  // It asks where it is itself: the public URL may have a path.
  const html = renderGraphiQL({
    title: 'Duogate GraphiQL',
    credentials: 'same-origin',
    headers: JSON.stringify(HEADERS, undefined, 2),
    // What is typed there may be a token.
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

/** The texts of the page's own scripts, found as a browser does: from `<script>` to the next end tag. */
function inlineScripts(html: string): string[] {
  const scripts: string[] = [];
  for (let start = html.indexOf('<script>'); start >= 0; ) {
    const end = html.indexOf('</script>', start);
    scripts.push(html.slice(start + '<script>'.length, end));
    start = html.indexOf('<script>', end);
  }
  return scripts;
}
