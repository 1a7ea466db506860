import type { SwaggerRequest } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { RequestFailure } from '../../../service/failure.ts';
import { registryUrl } from '../../../service/registry.ts';
import { postJson } from '../../../service/request.ts';

/** What the gateway tells of a request that it sent to an API. */
export interface Trial {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In base64 are bytes that are no text. */
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
  readonly milliseconds: number;
  readonly curl: string;
}

/** The last trial of each operation; undefined where the API gave no answer. */
export type Trials = Map<string, Trial | undefined>;

export function trialKey(method: unknown, url: unknown): string {
  return `${String(method).toUpperCase()} ${String(url)}`;
}

/** Lets the gateway send a request of the console to the API, and gives its answer to the console. */
export async function tryOperation(name: string, request: SwaggerRequest, trials: Trials): Promise<Response> {
  const { method = 'GET', headers = {}, body, url } = request;
  if (body !== undefined && typeof body !== 'string') throw new Error('The console sends no files.');
  trials.delete(trialKey(method, url));
  try {
    const answer = await postJson(registryUrl(name, 'try'), {
      method,
      path: pathOf(name, url),
      headers,
      body,
    });
    const trial = answer.body as Trial;
    trials.set(trialKey(method, url), trial);
    return responseOf(trial);
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.status === 0) throw error;
    trials.set(trialKey(method, url), undefined);
    return new Response(error.message, { status: error.status, headers: { 'content-type': 'text/plain' } });
  }
}

/** Below the service URL: the console takes the gateway's own address for that. */
function pathOf(name: string, url: string): string {
  const { pathname, search } = new URL(url, document.baseURI);
  const base = new URL(registryUrl(name, 'try'), document.baseURI).pathname;
  return (pathname.startsWith(base) ? pathname.slice(base.length) : pathname) + search;
}

/** Browsers make no answer with a body of what has none. */
function responseOf({ status, headers, body, encoding }: Trial): Response {
  const isEmpty = status === 204 || status === 205 || status === 304;
  const content = encoding === 'base64' ? bytesOf(body) : body;
  return new Response(isEmpty ? null : content, { status, headers });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
