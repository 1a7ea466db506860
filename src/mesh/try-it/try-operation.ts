import type { IncomingHttpHeaders } from 'node:http';
import type { AuthorizedClient } from '../credentials/upstream-access.ts';
import type { ProjectSource } from '../project-reading/project-source.ts';
import { plainBody } from '../reading/answer-data.ts';

/** A request below the URL of an API. */
export interface TrialRequest {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface TrialAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its content coding undone. */
  readonly body: Uint8Array;
}

/** What a call of an API needs to know of it. */
export type TriedApi = Pick<ProjectSource, 'endpoint' | 'operationHeaders' | 'queryParams'>;

/**
 * Sends one request to an API as the gateway itself would: with its identifiers and credentials, which win over
 * what the request has, and within its limits. Fails with a GatewayError where the upstream does.
 */
export async function tryOperation(
  client: Pick<AuthorizedClient, 'send'>,
  { endpoint, operationHeaders, queryParams }: TriedApi,
  { method, path, headers, body }: TrialRequest,
  { bodySize, signal }: { readonly bodySize: number; readonly signal: AbortSignal },
): Promise<TrialAnswer> {
  const all = { ...headers, 'accept-encoding': 'identity', 'user-agent': 'duogate', ...operationHeaders };
  const answer = await client.send(
    {
      operation: 'a trial',
      method,
      path: withQuery(basePath(endpoint) + path, queryParams),
      headers: Object.entries(all).flat(),
      body,
    },
    signal,
  );
  const coding = answer.headers['content-encoding'];
  return {
    status: answer.status,
    headers: answer.headers,
    body: method === 'HEAD' ? answer.body : await plainBody(coding, answer.body, bodySize),
  };
}

function basePath(endpoint: string): string {
  return new URL(endpoint).pathname.replace(/\/+$/, '');
}

function withQuery(path: string, parameters: TriedApi['queryParams']): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
