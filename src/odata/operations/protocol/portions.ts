import { Readable } from 'node:stream';
import type { BudgetedRequest, StreamBody } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { ListForm } from '../../payload/formats/list-format.ts';
import { errorTrailer } from '../../payload/json/error.ts';

/** The answer to a request may have a body that comes in pieces: its client sees whether the answer is whole. */
export interface PiecesAnswer {
  readonly body: StreamBody;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A body of pieces that are made while it is written, each when the client has read those before it. Resolves when the first one is
 * there, so that an error up to then has a status; later ones break the body off.
 */
export async function bodyOfPieces(
  pieces: AsyncIterable<Uint8Array>,
  { headers: { te = '' } }: Pick<BudgetedRequest, 'headers'>,
  { brokenBy = '' }: Pick<ListForm, 'brokenBy'>,
): Promise<PiecesAnswer> {
  const rest = pieces[Symbol.asyncIterator]();
  const first = await rest.next();
  const bytes = Readable.from(allPieces(first, rest), { objectMode: false, highWaterMark: 0 });
  const body: StreamBody = { bytes, length: undefined, isMade: true };
  if (!te.split(',').some((coding) => coding.trim().toLowerCase() === 'trailers'))
    return { body, headers: {} };
  const breakOff = (error: unknown) => ({ content: brokenBy, trailers: errorTrailer(asGatewayError(error)) });
  return { body: { ...body, breakOff }, headers: { trailer: 'OData-Error' } };
}

async function* allPieces(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function asGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError
    ? error
    : new GatewayError('InternalError', 'The gateway failed to complete this answer.', { cause: error });
}
