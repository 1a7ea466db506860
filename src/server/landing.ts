import type { GatewayResponse } from '../contract/exchange.ts';
import { notFound, requireGet } from './health.ts';
import { jsonResponse } from './json-response.ts';
import type { HandlerPart } from './part.ts';
import { pathOf } from './request-target.ts';

/** What `/` tells about the service: as JSON to programs, as a page to browsers. */
export interface Landing {
  readonly title: string;
  readonly description: string;
  readonly links: readonly Link[];
}

export interface Link {
  readonly title: string;
  /** Absolute, or relative to the page. */
  readonly href: string;
  readonly description?: string;
}

/** `/`, and the answer to every path that no other part serves. */
export function landingPart(landing: Landing): HandlerPart {
  const json = varying(jsonResponse(200, landing));
  const html = varying(htmlResponse(landing));
  return {
    path: '',
    open: true,
    handler: (request) => {
      if (pathOf(request.target) !== '/') throw notFound();
      requireGet(request);
      return prefersHtml(request.headers['accept'] ?? '') ? html : json;
    },
  };
}

// Browsers name text/html first; a program that says nothing, or anything, gets JSON.
function prefersHtml(accept: string): boolean {
  const html = accept.search(/text\/html/i);
  const json = accept.search(/application\/json/i);
  return html >= 0 && (json < 0 || html < json);
}

function varying(response: GatewayResponse): GatewayResponse {
  return { ...response, headers: { ...response.headers, vary: 'Accept' } };
}

function htmlResponse(landing: Landing): GatewayResponse {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 200, headers, body: writePage(landing) };
}

function writePage(landing: Landing): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(landing.title)}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
body { max-width: 48rem; margin: 3rem auto; padding: 0 1rem }
li { margin: 0.75rem 0 }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(landing.title)}</h1>
<p>${escapeHtml(landing.description)}</p>
<ul>
${landing.links.map(writeLink).join('\n')}
</ul>
</main>
</body>
</html>
`;
}

function writeLink(link: Link): string {
  const description = link.description === undefined ? '' : `<br>${escapeHtml(link.description)}`;
  return `<li><a href="${escapeHtml(link.href)}">${escapeHtml(link.title)}</a>${description}</li>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
