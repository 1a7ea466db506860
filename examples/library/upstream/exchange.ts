import type { Holdings } from './records.ts';

/** A request as the library's routes see it. */
export interface LibraryRequest {
  readonly holdings: Holdings;
  /** The values of the path parameters, in order. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** As it was sent. */
  readonly bytes: Buffer;
  /** Of the body. Throws a problem where it is not JSON. */
  json(): unknown;
  readonly ifMatch: string | undefined;
}

export interface LibraryAnswer {
  readonly status: 200 | 201 | 204;
  /** Written as JSON. */
  readonly json?: unknown;
  readonly media?: { readonly type: string; readonly bytes: Buffer };
  /** By default, computed from the bytes. */
  readonly etag?: string;
  /** The path of a created resource, in place of or in addition to its content. */
  readonly location?: string;
}

/** `METHOD /path/{parameter}`, and what answers it. */
export type Route = readonly [string, (request: LibraryRequest) => LibraryAnswer];

export function found(json: unknown): LibraryAnswer {
  return { status: 200, json };
}

export function created(json: unknown, location: string): LibraryAnswer {
  return { status: 201, json, location };
}

export const DONE: LibraryAnswer = { status: 204 };
