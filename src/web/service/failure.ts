/** One of the mistakes that the service found in what it was sent. */
export interface FieldMistake {
  readonly target: string | undefined;
  readonly message: string;
}

/** A request that was not answered as hoped. Status 0: there was no answer at all. */
export class RequestFailure extends Error {
  readonly status: number;
  /** In seconds, where the service says when to come again. */
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

/** Reads an error in OData's form (JSON Format 4.01, 21.1) or in that of the accounts' `{code, message}`. */
export async function readFailure(response: Response): Promise<RequestFailure> {
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
