import { RequestFailure, readFailure } from './failure.ts';

/** An answer's status, header fields and JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where there is no body. */
  readonly body: unknown;
}

/** Sends a request and reads its JSON; fails with a {@link RequestFailure}. */
export async function requestJson(url: string, init: RequestInit = {}): Promise<JsonAnswer> {
  const response = await send(url, { ...init, headers: { Accept: 'application/json', ...init.headers } });
  if (!response.ok) throw await readFailure(response);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

export function postJson(
  url: string,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer> {
  return sendJson('POST', url, value, more);
}

export function sendJson(
  method: string,
  url: string,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer> {
  const headers = { 'Content-Type': 'application/json', ...more };
  return requestJson(url, { method, headers, body: JSON.stringify(value) });
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new RequestFailure(0, 'The gateway cannot be reached.');
  }
}
