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
 * there, so that an error up to then has a status; later ones break the body off. `close` is called at the end of the body, whether
 * the client has read it or not.
 */
export async function bodyOfPieces(
  pieces: AsyncIterable<Uint8Array>,
  { headers: { te = '' } }: Pick<BudgetedRequest, 'headers'>,
  { brokenBy = '' }: Pick<ListForm, 'brokenBy'>,
  close: () => void,
): Promise<PiecesAnswer> {
  const rest = pieces[Symbol.asyncIterator]();
  const first = await rest.next();
  const bytes = Readable.from(allPieces(first, rest), { objectMode: false, highWaterMark: 0 });
  // A generator that has not begun does nothing when it is ended.
  bytes.once('close', close);
  const body: StreamBody = { bytes, length: undefined, isMade: true };
  if (!te.split(',').some((coding) => coding.trim().toLowerCase() === 'trailers'))
    return { body, headers: {} };
  const breakOff = (error: unknown) => ({ content: brokenBy, trailers: errorTrailer(asGatewayError(error)) });
  return { body: { ...body, breakOff }, headers: { trailer: 'OData-Error' } };
}

/** Maximum length of what is written at a time, in bytes: the pace of a client shows by what it has read of several. */
const CHUNK = 65_536;

async function* allPieces(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await rest.next()) {
    const { value } = next;
    for (let begin = 0; begin < value.length; begin += CHUNK) yield value.subarray(begin, begin + CHUNK);
  }
}

function asGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError
    ? error
    : new GatewayError('InternalError', 'The gateway failed to complete this answer.', { cause: error });
}
