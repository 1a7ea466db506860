import { Readable } from 'node:stream';
import type { StreamBody } from '../../contract/exchange.ts';
import type { Cancellation } from './cancellation.ts';

interface SentUpload {
  readonly body: Readable;
  readonly headers: string[];
  /** The cancellation has a deadline for that, which begins when the upload is complete. */
  readonly headersTimeout: number;
}

/** How a body is sent while it comes. */
export function uploadOf(
  { bytes, length }: StreamBody,
  headers: readonly string[],
  cancellation: Cancellation,
): SentUpload {
  const announced = length === undefined ? [] : ['content-length', String(length)];
  const body = Readable.from(paced(bytes, cancellation), { objectMode: false });
  return { body, headers: [...headers, ...announced], headersTimeout: 0 };
}

/** The deadline is that of the upstream for each chunk and then for its answer: waiting for the client does not count. */
async function* paced(bytes: Readable, cancellation: Cancellation): AsyncGenerator<Buffer> {
  cancellation.liftDeadline();
  for await (const chunk of bytes) {
    cancellation.renewDeadline();
    yield chunk;
    cancellation.liftDeadline();
  }
  cancellation.renewDeadline();
}
