import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { SKIP_TOKEN, type TokenTarget, withOption, withoutToken } from './token-target.ts';

/** A part of a collection: how many of its entities are before it, and how many it may have. */
export interface PageOfAnswer {
  readonly offset: number;
  /** Undefined where neither the client nor the model wants pages: the answer is whole. */
  readonly size: number | undefined;
  /** The token of the state before the first page, where changes are tracked. */
  readonly tracked?: string | undefined;
}

/** What is shown of a collection, and the URL of the rest, relative to the service root. */
export interface CutPage {
  readonly rows: readonly Row[];
  readonly nextTarget: string | undefined;
}

/**
 * Server-driven paging (Part 1, 11.2.6.7): tokens say where the next page begins. They are signed, together
 * with the URL they belong to, so that nobody takes them for something to make up.
 */
export interface Paging {
  /**
   * The page that a request asks for: that of its token, which goes on with pages of the same size, or the
   * first one. A token that is not ours, or another URL's, is a BadRequest.
   */
  pageOf(target: string, size: number | undefined): PageOfAnswer;
  cut(rows: readonly Row[], page: PageOfAnswer, target: string): CutPage;
}

/**
 * `key` must be the same wherever a token may come back to. A query that came in a body may be longer than a
 * URL: whose next link would be longer than `longest` is given all of the rest instead.
 */
export function createPaging(key: string | Uint8Array, longest: number): Paging {
  const sign = (position: string, target: string): Buffer =>
    createHmac('sha256', key).update(`${position} ${target}`).digest().subarray(0, SIGNATURE_BYTES);
  return {
    pageOf(target, size) {
      const { rest, token } = splitTarget(target);
      if (token === undefined) return { offset: 0, size };
      const [, position = '', offset, tokenSize, tracked, signature] = TOKEN.exec(token) ?? [];
      const expected = sign(position, rest);
      const given = Buffer.from(signature ?? '', 'base64url');
      const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
      if (!isOurs) throw unknownToken();
      const page = { offset: Number(offset), size: Number(tokenSize) };
      return tracked === undefined ? page : { ...page, tracked: decode(tracked) };
    },
    cut(rows, { offset, size, tracked }, target) {
      if (size === undefined) return { rows, nextTarget: undefined };
      const end = offset + size;
      const shown = offset === 0 && rows.length <= end ? rows : rows.slice(offset, end);
      if (rows.length <= end) return { rows: shown, nextTarget: undefined };
      const { rest } = splitTarget(target);
      const position = tracked === undefined ? `${end}-${size}` : `${end}-${size}.${encode(tracked)}`;
      const token = `${position}-${sign(position, rest).toString('base64url')}`;
      const nextTarget = withOption(rest, '$skiptoken', token);
      return nextTarget.length > longest
        ? { rows: rows.slice(offset), nextTarget: undefined }
        : { rows: shown, nextTarget };
    },
  };
}

const SIGNATURE_BYTES = 16;
const TOKEN = /^((\d{1,15})-(\d{1,9})(?:\.([\w-]+))?)-([\w-]{22})$/;

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

function splitTarget(target: string): TokenTarget {
  return withoutToken(target, SKIP_TOKEN);
}

function unknownToken(): GatewayError {
  const message = '$skiptoken: expected the one of a next link of this service, as it was given';
  return new GatewayError('BadRequest', message, { target: '$skiptoken' });
}
