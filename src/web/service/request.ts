export interface JsonAnswer {
  readonly status: number;
  /** Undefined without a body. */
  readonly body: unknown;
}

/** Sends a request; throws a {@link RequestFailure}. */
export async function requestAnswer(url: string, init: RequestInit = {}): Promise<JsonAnswer> {
  const response = await send(url, { ...init, headers: { Accept: 'application/json', ...init.headers } });
  if (!response.ok) throw await readFailure(response);
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Sends a request and returns the JSON of the response, whose type the caller asserts. */
export async function requestJson<Body = unknown>(url: string, init?: RequestInit): Promise<Body> {
  return (await requestAnswer(url, init)).body as Body;
}

export function postJson<Body = unknown>(
  url: string,
  value: unknown,
  more?: Readonly<Record<string, string>>,
): Promise<Body> {
  return sendJson('POST', url, value, more);
}

export function sendJson<Body = unknown>(
  method: string,
  url: string,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Body> {
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

/** A mistake that the service reports in the request. */
export interface FieldMistake {
  readonly target: string | undefined;
  readonly message: string;
}

/** A failed request. Status 0 means that there was no response. */
export class RequestFailure extends Error {
  readonly status: number;
  /** In seconds, if the service sends it. */
  readonly retryAfter: number | undefined;
  readonly mistakes: readonly FieldMistake[];

  constructor(status: number, message: string, retryAfter?: number, mistakes: readonly FieldMistake[] = []) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
    this.mistakes = mistakes;
  }
}

interface ErrorBody {
  readonly message?: string;
  readonly error?: {
    readonly message?: string;
    readonly target?: string;
    readonly details?: readonly { readonly message?: string; readonly target?: string }[];
  };
}

/** Reads an error in the format of OData (JSON Format 4.01, 21.1) or of the accounts, `{code, message}`. */
async function readFailure(response: Response): Promise<RequestFailure> {
  const body = await readBody(response);
  const error = body.error ?? body;
  const message = error.message ?? `The service answered with status ${response.status}.`;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new RequestFailure(
    response.status,
    message,
    Number.isFinite(seconds) ? seconds : undefined,
    mistakesOf(body, message),
  );
}

async function readBody(response: Response): Promise<ErrorBody> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function mistakesOf({ error }: ErrorBody, message: string): readonly FieldMistake[] {
  const others = error?.details ?? [];
  return [
    { target: error?.target, message },
    ...others.map((detail) => ({ target: detail.target, message: detail.message ?? message })),
  ];
}

/** The path of the gateway, with a slash at both ends: the page's `<base>`. */
export const BASE_PATH = new URL(document.baseURI).pathname;

/** The URL of a path relative to the gateway, such as `odata/$metadata`. */
export function gatewayUrl(path: string): string {
  return BASE_PATH + path;
}

/** The URL of a path relative to the OData service, such as `/Post('1')`. */
export function dataUrl(path: string): string {
  return gatewayUrl(`odata${path}`);
}
