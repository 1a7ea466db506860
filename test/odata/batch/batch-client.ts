import type { RunningGateway } from '../../support/running-gateway.ts';

/** The answer to a batch, the service's root written as `~` and boundaries without what is random in them. */
export interface BatchAnswered {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  /** The requests that the upstream received: method, target and body. */
  readonly asked: readonly string[];
}

type Gateway = Pick<RunningGateway, 'url' | 'upstream' | 'fetch'>;
type Headers = Readonly<Record<string, string>>;

export async function sendBatch(gateway: Gateway, body: string, headers: Headers): Promise<BatchAnswered> {
  const before = gateway.upstream.requests.length;
  const answer = await gateway.fetch('/odata/$batch', { method: 'POST', body, headers });
  const requested = gateway.upstream.requests
    .slice(before)
    .map((request) => `${request.method} ${request.target} ${request.body}`.trimEnd());
  const contentType = answer.headers.get('content-type');
  return {
    status: answer.status,
    contentType: contentType && withoutRandom(contentType),
    text: withoutRandom(answer.text.replaceAll(`${gateway.url}/odata`, '~')),
    asked: requested,
  };
}

const UUID = /_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Lengths are those of bodies with the root in them. */
function withoutRandom(text: string): string {
  return text.replaceAll(UUID, '').replaceAll(/^Content-Length: \d+/gm, 'Content-Length: #');
}

export function sendMultipart(gateway: Gateway, body: string, headers: Headers = {}): Promise<BatchAnswered> {
  return sendBatch(gateway, body, { 'content-type': 'multipart/mixed;boundary=b', ...headers });
}

/** One member of the answer in the JSON form. */
export interface JsonResponse {
  readonly id: string;
  readonly status: number;
  readonly atomicityGroup?: string;
  readonly headers: Headers;
  readonly body?: unknown;
}

export interface JsonAnswered extends Pick<BatchAnswered, 'status' | 'asked'> {
  readonly responses: readonly JsonResponse[];
}

export async function sendJson(
  gateway: Gateway,
  requests: readonly object[],
  headers: Headers = {},
): Promise<JsonAnswered> {
  const body = JSON.stringify({ requests });
  const sent = { 'content-type': 'application/json', ...headers };
  const { status, text, asked } = await sendBatch(gateway, body, sent);
  return { status, responses: JSON.parse(text).responses, asked };
}

/** A summary of each response: its id, status, and message or body. */
export function outline({ responses }: JsonAnswered): readonly string[] {
  return responses.map(({ id, status, body }) => {
    const { error } = (body ?? {}) as { readonly error?: { readonly message: string } };
    return [id, status, error?.message ?? (body === undefined ? '' : JSON.stringify(body))]
      .join(' ')
      .trimEnd();
  });
}
