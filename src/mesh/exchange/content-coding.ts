import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
} from 'node:zlib';
import type { GatewayError } from '../../contract/gateway-error.ts';
import { badResponse } from './upstream-failure.ts';

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const STREAM_DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** True where the body is sent as it is. */
export function isIdentity(coding: string | undefined): coding is undefined | '' | 'identity' {
  return coding === undefined || coding === '' || coding === 'identity';
}

/** Undoes a content coding, to at most `limit` bytes: a small body may stand for a huge one. */
export async function decodeBody(body: Buffer, coding: string, limit: number): Promise<Buffer> {
  const decode = DECODERS.get(coding.toLowerCase());
  if (decode === undefined) throw unasked(coding);
  try {
    return await decode(body, { maxOutputLength: limit });
  } catch (error) {
    throw badResponse(`${coding} body cannot be decoded within ${limit} bytes: ${String(error)}`, body);
  }
}

/** Undoes a content coding while the body comes. */
export function streamDecoder(coding: string): Transform {
  const create = STREAM_DECODERS.get(coding.toLowerCase());
  if (create === undefined) throw unasked(coding);
  return create();
}

function unasked(coding: string): GatewayError {
  return badResponse(`content coding ${JSON.stringify(coding)} was not asked for`);
}
