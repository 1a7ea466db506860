import { randomUUID } from 'node:crypto';
import { MEDIA_TYPES } from '../negotiation/media-range.ts';
import { batchBody, type Chunk } from './batch-body.ts';
import type { BatchAnswer, ItemAnswer } from './batch-request.ts';
import { httpMessage } from './http-message.ts';

export interface WrittenBatch {
  readonly contentType: string;
  readonly body: ReturnType<typeof batchBody>;
}

/**
 * The answers in the multipart form (Part 1, 11.7.7.5), in the letters that every client's parser knows: the
 * boundary is not quoted and the last parameter, lines end with CRLF.
 */
export function writeMultipartBatch(items: readonly ItemAnswer[]): WrittenBatch {
  const { contentType, chunks } = multipart('batchresponse', items.map(itemPart));
  return { contentType, body: batchBody([...chunks, '\r\n']) };
}

interface Multipart {
  readonly contentType: string;
  readonly chunks: readonly Chunk[];
}

function multipart(name: string, parts: readonly (readonly Chunk[])[]): Multipart {
  const boundary = `${name}_${randomUUID()}`;
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    chunks: [...parts.flatMap((part) => [`--${boundary}\r\n`, ...part, '\r\n']), `--${boundary}--`],
  };
}

/** A change set that has failed has one answer for all of it. */
function itemPart(item: ItemAnswer): readonly Chunk[] {
  if (item.kind === 'request') return answerPart(item.answer);
  if (item.failure !== undefined) return answerPart(item.failure);
  const { contentType, chunks } = multipart('changesetresponse', item.answers.map(answerPart));
  return [`Content-Type: ${contentType}\r\n\r\n`, ...chunks];
}

function answerPart({ request: { id }, response }: BatchAnswer): readonly Chunk[] {
  const contentId = id === undefined ? '' : `Content-ID: ${id}\r\n`;
  return [
    `Content-Type: ${MEDIA_TYPES.http}\r\nContent-Transfer-Encoding: binary\r\n${contentId}\r\n`,
    ...httpMessage(response),
  ];
}
